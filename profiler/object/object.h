/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A BPF object file that is loaded and set up for test runs.
 */
#ifndef BPROF_OBJECT_H
#define BPROF_OBJECT_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <linux/types.h>

#include "base/util.h"
#include "object/object_setup.h"

struct bench_object_prog {
	const char *name; /* full name of the program, owned by the object */
	int fd;		  /* owned by the object */
	__u32 id;
	__u32 type; /* one of BPF_PROG_TYPE_... */
	/*
	 * How many bytes of stack the deepest chain of calls uses: the sum of what its functions
	 * use, from the verifier's statistics (kernel/bpf/verifier.c, print_verification_stats()).
	 * A function that passes a callback to a helper counts as the caller of the callback. When
	 * the kernel checks its limit of 512 bytes, it rounds the stack of each function up to 32
	 * or 16 bytes; this sum is not rounded. -1: not known.
	 */
	long stack_depth;
	long verified_insns; /* number of instructions that the verifier processed; -1: not known */
	/* the most states that the verifier kept at the same time; -1: not known */
	long peak_states;
	/* how long verification took, for each of several loads, in ns; owned by the object */
	double *verification;
	int verification_cnt;
	__u32 xlated_bytes, jited_bytes; /* 0: not known */
	char tag[2 * BPF_TAG_SIZE + 1];
	__u64 ctx_reads; /* the fields of its context that the program reads (ctx_reads.h) */
	char *why;	 /* why the program cannot be run, owned; NULL for programs that are run */
};

/* A program that cannot be loaded. */
struct bench_skip {
	char *prog, *why;
	/*
	 * True if the user asked for the program's cost or named it. If false, only the verifier's
	 * figures of the program are missing.
	 */
	bool failed;
	bool named; /* --prog names it and libbpf cannot relocate it; not reported yet */
};
/*
 * Free the arrays and what their elements own. The second one frees the array "figure" of struct
 * bench_object.
 */
void bench_skips__free(struct bench_skip *skip, int cnt);
void bench_object_progs__free(struct bench_object_prog *figure, int cnt);

struct bench_object {
	struct bench_object_prog *prog; /* programs to run, in the order of the file */
	int prog_cnt;
	/*
	 * Programs that the kernel cannot test-run, with the verifier's figures. These programs are
	 * not loaded any more: their descriptors are -1. The object owns their names.
	 */
	struct bench_object_prog *figure;
	int figure_cnt;
	struct bench_skip *skip; /* programs that cannot be loaded */
	int skip_cnt;
	/*
	 * True if each program is run from a copy in which it is of full length (code_length.h).
	 * Always true if all copies have code of the same length.
	 */
	bool full_length;
	/*
	 * If set, free the object only after all later loads; free_unused_copies() in object_load.c
	 * explains why.
	 */
	bool has_prog_array;
	/* Copies of the object. With setup->exact, the programs may come from several copies. */
	struct bpf_object **obj;
	int obj_cnt;
};

/*
 * Loads the object at path: the programs that setup names, or all programs if it names none, and
 * the programs that these tail-call. Programs that cannot be run are loaded only to get the
 * verifier's figures, and not at all if setup->no_figures is set. Reports programs that cannot be
 * loaded, and leaves them out. Sets up maps and variables. Attaches nothing, and pins nothing
 * except for --pin-maps. Reports each error in one line with the path; the verifier's log follows
 * in further lines. log_libbpf.h says which messages of libbpf appear. The caller frees *out.
 * Returns 0 or -errno (reported).
 */
int __must_check bench_object__load(const char *path, const struct bench_setup *setup,
				    bool (*can_run)(__u32 prog_type), struct bench_object **out);
void bench_object__free(struct bench_object *o); /* accepts NULL */

#endif
