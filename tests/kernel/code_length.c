// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Loads copies of a program and chooses among them by the length of their code. On arm64, the code
 * that loads the address of a map has one MOVK instruction less if a 16-bit part of the address is
 * zero. All copies stay loaded until one is chosen, so that their maps are at different addresses.
 * Links no code of bprof, because tests use these programs to check bprof's own code for this
 * (profiler/btf/arm64_addrs.c).
 */
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>

#include "tests/kernel/harness.h"

/*
 * load_full_length() loads this many copies of a program and keeps the longest. Of two neighbouring maps in
 * a slab, at most one is at a multiple of 64 KiB, and a program of the tests has at most four maps.
 */
#define COPIES 8
/*
 * load_two_lengths() fails after this many copies of one length: about every second array of 32 KiB
 * is at a multiple of 64 KiB.
 */
#define MAX_COPIES 256

/* Returns the number of MOVK instructions for 64-bit registers; on x86-64 always 0. */
static int count_movk(const struct target *t)
{
	struct bpf_prog_info info = {}, code = {};
	__u32 len = sizeof(info), *insns;
	int cnt = 0;

	if (!arch_is("aarch64"))
		return 0;
	assert_int_equal(bpf_obj_get_info_by_fd(t->fd, &info, &len), 0);
	assert_true(info.jited_prog_len > 0);
	insns = calloc(1, info.jited_prog_len);
	assert_non_null(insns);
	code.jited_prog_len = info.jited_prog_len;
	code.jited_prog_insns = (__u64)(unsigned long)insns;
	assert_int_equal(bpf_obj_get_info_by_fd(t->fd, &code, &len), 0);
	assert_true(code.jited_prog_insns); /* 0: the kernel hides the code */
	for (__u32 i = 0; i < info.jited_prog_len / sizeof(*insns); i++)
		cnt += (insns[i] & 0xff800000) == 0xf2800000;
	free(insns);
	return cnt;
}

static void unload_all(struct fixture *f, const struct target *t, int cnt)
{
	while (cnt)
		unload(f, t[--cnt]);
}

struct target load_full_length(struct fixture *f, const char *file, const char *prog)
{
	struct target best = load_target(f, file, prog), other[COPIES];
	int copies = arch_is("aarch64") ? COPIES : 1, cnt = 0;

	while (cnt < copies - 1) {
		struct target t = load_target(f, file, prog);
		bool longer = count_movk(&t) > count_movk(&best);

		other[cnt++] = longer ? best : t;
		if (longer)
			best = t;
	}
	unload_all(f, other, cnt);
	return best;
}

bool is_full_length_with(struct fixture *f, const char *file, const char *prog, const char *map,
			 int map_fd)
{
	struct target full = load_full_length(f, file, prog), with;
	struct bpf_program *p;
	struct bpf_object *obj;
	char path[256];
	bool is;

	snprintf(path, sizeof(path), PROGS_DIR "/%s.bpf.o", file);
	obj = open_object(f, path);
	bpf_object__for_each_program (p, obj)
		bpf_program__set_autoload(p, !strcmp(bpf_program__name(p), prog));
	assert_int_equal(bpf_map__reuse_fd(bpf_object__find_map_by_name(obj, map), map_fd), 0);
	assert_int_equal(bpf_object__load(obj), 0);
	with = program_of(obj, prog);
	is = count_movk(&with) == count_movk(&full);
	unload(f, full);
	unload(f, with);
	return is;
}

void load_two_lengths(struct fixture *f, const char *file, const char *prog, struct target *shorter,
		      struct target *longer)
{
	struct target first = load_target(f, file, prog), other[MAX_COPIES], t;
	int cnt = 0, difference;

	for (;;) {
		t = load_target(f, file, prog);
		difference = count_movk(&t) - count_movk(&first);
		if (difference || !arch_is("aarch64"))
			break;
		assert_true(cnt < MAX_COPIES);
		other[cnt++] = t;
	}
	unload_all(f, other, cnt);
	*shorter = difference < 0 ? t : first;
	*longer = difference < 0 ? first : t;
}
