// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Fuzzes what bprof bench does with an object file: opening it, choosing its programs, setting its
 * maps and variables, and explaining why the kernel refuses it (the world's kernel refuses
 * everything). "make fuzz" runs it.
 *
 * Input: options, each a byte that chooses the option and its argument up to a NUL, ended by a byte
 * 0xff; then the object.
 *
 * libbpf 1.1 itself crashes on some damaged objects. bprof therefore opens each object in a child
 * first (object_open.c). The fuzzer opens it in place of the child, and counts a crash in libbpf as
 * the death of the child: what libbpf does with memory in there is not fuzzed here.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/libbpf.h>

#include "object/object_load.h"
#include "tests/fuzz/world.h"

#define PATH "/in/object.bpf.o"
#define MAX_ARGS 8

static sigjmp_buf crashed;

static void jump(int sig)
{
	siglongjmp(crashed, 1);
}

/*
 * Returns false if libbpf crashes. Its memory then leaks here; in bprof, a child crashes instead.
 */
static bool survives(void)
{
	static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE};
	struct sigaction act = {.sa_handler = jump, .sa_flags = SA_NODEFER}, old[3];
	volatile bool ok = false;

	for (int i = 0; i < 3; i++)
		sigaction(signals[i], &act, &old[i]);
	if (!sigsetjmp(crashed, 1)) {
		bench_load__touch(PATH);
		ok = true;
	}
	for (int i = 0; i < 3; i++)
		sigaction(signals[i], &old[i], NULL);
	return ok;
}

const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0:quarantine_size_mb=8:malloc_context_size=8";
}

static bool can_run(__u32 type)
{
	return type == BPF_PROG_TYPE_XDP || type == BPF_PROG_TYPE_SCHED_CLS;
}

static int add(struct bench_setup *s, uint8_t option, const char *arg)
{
	switch (option % 7) {
	case 0:
		return bench_setup__add_map(s, arg);
	case 1:
		return bench_setup__add_global(s, arg);
	case 2:
		return bench_setup__add_prog_array(s, arg);
	case 3:
		return bench_setup__add_prog(s, arg);
	case 4:
		return bench_setup__add_type(s, arg);
	case 5:
		return bench_setup__add_size(s, "--map-size", option % 3, arg);
	default:
		return bench_setup__add_inner_map(s, arg);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t sz)
{
	struct bench_object *object = NULL;
	struct bench_setup setup = {};
	struct bytes in = {data, sz};
	char *arg[MAX_ARGS];
	int n = 0, err = 0;

	for (; in.sz && *in.at != 0xff && n < MAX_ARGS; n++) {
		uint8_t option = bytes__u8(&in);

		arg[n] = bytes__text(&in);
		err = err ?: add(&setup, option, arg[n]);
	}
	bytes__u8(&in);
	world__clear();
	world__set_file(PATH, in.at, in.sz);
	world__set_text("/map.json", "[{\"key\": 0, \"value\": 1}]");
	world_child_survives = true;
	if (!err && survives())
		err = bench_object__load(PATH, &setup, can_run, &object);
	bench_object__free(object);
	bench_setup__free(&setup);
	while (n)
		free(arg[--n]);
	return 0;
}
