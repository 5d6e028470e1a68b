/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A BPF object file, loaded and set up for test runs.
 */
#ifndef BPROF_BENCH_OBJECT_H
#define BPROF_BENCH_OBJECT_H

#include <stdbool.h>
#include <linux/types.h>

#include "bench/bench_setup.h"
#include "base/util.h"

struct bench_object_prog {
	const char *name; /* its function's, in full; the object's */
	int fd;		  /* the object's */
	__u32 id;
	__u32 type; /* BPF_PROG_TYPE_... */
	/*
	 * Bytes of stack: the sum of what the functions take, as the verifier's statistics have it
	 * (kernel/bpf/verifier.c, print_verification_stats()), of the chain of calls that takes
	 * most. Callbacks count as called by the function that hands them over. Not rounded up, as
	 * the limit of 512 bytes is checked (to 32 for each function, or to 16). -1: not known.
	 */
	long stack_depth;
	long verified_insns; /* that the verifier has gone through; -1: not known */
};

struct bench_object {
	struct bench_object_prog *prog; /* those to be run, in the file's order */
	int prog_cnt;
	/* With setup->exact: the code is as long as it will be any other time, or else it is not exact. */
	bool usual;
	/* Who loads it again should free this one at the very end: bench_object.c, drop_others(). */
	bool has_prog_array;
	struct bpf_object **obj; /* copies: with setup->exact its programs may be of several */
	int obj_cnt;
};

/*
 * Loads what is needed of the object at path: the programs that setup names, or all that can be
 * run, and what these call by prog arrays; sets up its maps and variables. Nothing is attached, and
 * nothing pinned but by --pin-maps. Errors are reported, each in one line with path in it, but for
 * the verifier's. libbpf's messages appear as log_libbpf.h says. path and setup are used until it
 * returns. The caller frees *out.
 */
int __must_check bench_object__load(const char *path, const struct bench_setup *setup,
				    bool (*can_run)(__u32 prog_type), struct bench_object **out);
void bench_object__free(struct bench_object *o); /* NULL is fine */

#endif
