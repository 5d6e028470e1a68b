/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A BPF object file, loaded and set up for test runs.
 */
#ifndef BPROF_BENCH_OBJECT_H
#define BPROF_BENCH_OBJECT_H

#include <stdbool.h>
#include <linux/types.h>

#include "base/util.h"
#include "bench/bench_setup.h"

struct bench_object_prog {
	const char *name; /* full name of its function; belongs to the object */
	int fd;		  /* belongs to the object */
	__u32 id;
	__u32 type; /* BPF_PROG_TYPE_... */
	/*
	 * Bytes of stack that the deepest chain of calls uses: the sum over its functions in the
	 * verifier's statistics (kernel/bpf/verifier.c, print_verification_stats()). A callback
	 * counts as called by the function that passes it on. Not rounded up per function (to 32
	 * or 16 bytes), as the kernel does when it checks the limit of 512. -1: not known.
	 */
	long stack_depth;
	long verified_insns; /* instructions that the verifier processed; -1: not known */
};

struct bench_object {
	struct bench_object_prog *prog; /* programs to run, in the file's order */
	int prog_cnt;
	/* No address in the code is shorter than others (arm64); only checked with setup->exact. */
	bool full_length;
	/* If set, free it only after all later loads: free_unused_copies() in bench_object.c. */
	bool has_prog_array;
	struct bpf_object **obj; /* copies; with setup->exact, programs may come from several */
	int obj_cnt;
};

/*
 * Loads the object at path: the programs that setup names, or all that can be run, and the programs
 * that these tail-call; sets up its maps and variables. Attaches nothing, and pins nothing except
 * for --pin-maps. Reports errors, each in one line with the path, except for the verifier's log.
 * libbpf's messages appear as log_libbpf.h says. The caller frees *out.
 */
int __must_check bench_object__load(const char *path, const struct bench_setup *setup,
				    bool (*can_run)(__u32 prog_type), struct bench_object **out);
void bench_object__free(struct bench_object *o); /* NULL is fine */

#endif
