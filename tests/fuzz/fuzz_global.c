// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Fuzzes --global of bprof bench with the variables of a real object, globals.bpf.c. "make fuzz" runs
 * it.
 *
 * Input: the arguments of --global, each up to a NUL.
 */
#include <stdlib.h>
#include <string.h>
#include <bpf/libbpf.h>

#include "object/object_load.h"
#include "tests/fuzz/globals.h"
#include "tests/fuzz/world.h"

#include "globals.skel.h" /* uses the types of globals.h */

#define MAX_ARGS 8

/* Variables keep their values until the object is closed, so each input gets an object. */
static struct bpf_object *open_object(void)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "globals");
	struct bpf_object *obj;
	const void *elf;
	size_t sz;

	elf = globals_bpf__elf_bytes(&sz);
	obj = bpf_object__open_mem(elf, sz, &opts);
	require(!libbpf_get_error(obj));
	return obj;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t sz)
{
	struct bench_setup setup = {};
	struct bench_load l = {.path = "globals.bpf.o", .setup = &setup};
	struct bpf_object *obj = NULL;
	struct bytes in = {data, sz};
	char *arg[MAX_ARGS];
	int n = 0, err = 0;

	for (; in.sz && n < MAX_ARGS; n++) {
		arg[n] = bytes__text(&in);
		err = err ?: bench_setup__add_global(&setup, arg[n]);
	}
	if (!err && setup.global_cnt) {
		obj = open_object();
		bench_load__set_globals(&l, obj);
		bpf_object__close(obj);
	}
	bench_setup__free(&setup);
	while (n)
		free(arg[--n]);
	return 0;
}
