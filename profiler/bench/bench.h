/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * bprof bench runs programs with BPF_PROG_TEST_RUN in blocks while a session counts. The runs of
 * two versions of a program alternate, so that other activity of the machine affects both versions
 * alike.
 */
#ifndef BPROF_BENCH_H
#define BPROF_BENCH_H

#include <stdbool.h>
#include <linux/types.h>

#include "bench/bench_input.h"

struct report;
struct session;
struct result_opts;

enum bench_side { BENCH_BASE, BENCH_NEW, BENCH_SIDE_CNT };

/* The outcome of all runs of one program with one input case. */
struct bench_outcome {
	/* -errno: the program cannot run with this case, and is not measured with it */
	int err;
	/* The program changes its packet, so a repeated run would get the changed packet. */
	bool changes;
	bool varied;	 /* runs with the same packet returned different values */
	__u32 *retval;	 /* return value for each packet of the case */
	__u64 unwanted;	 /* runs that were counted, but not made by bench */
	__u64 uncounted; /* runs that were made, but not counted */
};

struct bench_prog {
	/* Borrowed descriptor; -1: the session measures no function of the program. */
	int fd;
	__u32 id, type;
	/*
	 * name is the program's name in its own version; other_name is its name in the other
	 * version. bench__free() frees both names, and verification.
	 */
	char *name, *other_name;
	enum bench_side side;
	int partner; /* index of the program's other version; -1: none */
	/* NaN if not known: the verifier reports these values only when a program is loaded. */
	double stack_bytes, verified_insns, peak_states;
	/*
	 * How long the verifier took, in ns. Before the first block, bench may load the program
	 * several times to get several values.
	 */
	const double *verification;
	int verification_cnt;
	/* The code is of full length (code_length.h). If not, its numbers are not exact. */
	bool full_length;
	/*
	 * True if the program is not of full length and bench did not load it. Then its code has
	 * the same addresses in all blocks, so the blocks do not show how much the addresses change
	 * the numbers.
	 */
	bool fixed_short;
	/* the fields of its context that it reads (ctx_reads.h); known if bench loaded it */
	bool reads_known;
	__u64 ctx_reads;
	struct bench_outcome *outcome; /* indexed by input case */
};

struct bench_opts {
	/*
	 * How often each program runs with each case: at least repeat times in each block (see
	 * bench__runs()), and warm_up times before the first block of a load.
	 */
	__u64 repeat, warm_up;
	__u64 blocks;
	__u64 block_ns;	  /* the maximum time of a block of one program and case */
	bool fresh, live; /* same meaning as in struct test_run_opts */
	bool exact;	  /* --exact: the machine is deterministic (one vCPU, -icount) */
};

struct bench {
	struct bench_opts o;
	const struct bench_input *input;
	struct bench_prog *prog; /* in the order in which they are run */
	int prog_cnt;
	struct session *s; /* borrowed */
	bool warm;	   /* the programs were warmed up since session s was opened */
	int load_cnt;	   /* number of sessions so far */
	/* targets of the first session; later sessions must have the same targets */
	struct bench_row *row;
	int row_cnt;
	/* Snapshots, indexed by input case: of the last block, and the sum over all blocks. */
	struct snapshot **block, **all;
	/* for each version, an array of one report per block */
	struct report **each[BENCH_SIDE_CNT];
	int each_cnt;
};

/*
 * Adds a program; call this before the other functions. If the program's other version was added
 * before, pairs the two versions by name.
 */
void bench__add(struct bench *b, const struct bench_prog *p);
/*
 * Replaces the program with this index by p, a new load of the same program. Returns 0, or -ESTALE
 * (reported) if p is a different program.
 */
int bench__renew(struct bench *b, int index, const struct bench_prog *p);
/*
 * Runs each program once with every packet of every case and fills in the outcomes. Returns 0 or
 * -errno (reported). A program that cannot run with a case is reported, but this is no error.
 */
int bench__inspect(struct bench *b);
/*
 * Uses session s for the following measurements, until the next call. The caller owns s, and may
 * close it after the next call or after the reports were made. Leaves out a program if session s
 * skipped all the program's targets. Returns 0, or -ESTALE (reported) if the targets or their
 * methods differ from those of the first session.
 */
int bench__set_session(struct bench *b, struct session *s);
/* Returns true if the program can run with at least one case. */
bool bench_prog__can_run(const struct bench *b, const struct bench_prog *p);

/*
 * Warms up if b->s is new, then measures one block and makes its reports with the options in
 * *result. The calling thread must be bound to the CPU that b->s measures. Returns 0 or -errno
 * (reported).
 */
int bench__measure(struct bench *b, const struct result_opts *result);
/*
 * Returns true if another load of the same programs may change how much a probe adds to the numbers
 * of its target's callers.
 */
bool bench__has_varying_costs(const struct bench *b);
/*
 * Makes the report of one version; b->s must still be open. The caller frees *out. Returns 0 or
 * -errno (reported).
 */
int bench__report(struct bench *b, enum bench_side side, const struct result_opts *result,
		  struct report **out);
/* Like bench__report(), but makes a report without rows: no program can be run. */
int bench__report_nothing(const struct result_opts *result, struct report **out);
void bench__free(struct bench *b);

#endif
