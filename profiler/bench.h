/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * bprof bench: programs driven by BPF_PROG_TEST_RUN in blocks, while a session counts. Two versions
 * of a program take turns within each block of time, so that what the machine does meanwhile falls
 * on both.
 */
#ifndef BPROF_BENCH_H
#define BPROF_BENCH_H

#include <stdbool.h>
#include <linux/types.h>

#include "bench_input.h"

struct report;
struct session;
struct result_opts;

enum bench_side { BENCH_BASE, BENCH_NEW, BENCH_SIDE_CNT };

/* What the runs of a program with one case have shown. */
struct bench_outcome {
	int err;	/* it cannot be run with it: -errno; is left out then */
	bool changes;	/* runs see what the one before them left in the packet */
	bool varied;	/* runs with the same packet returned different values */
	__u32 *retval;	/* by packet of the case */
	__s64 unwanted; /* runs that were counted beside those that were asked for */
};

struct bench_prog {
	int fd; /* the caller's */
	__u32 id, type;
	const char *name; /* the caller's */
	enum bench_side side;
	int partner; /* index of its other version; -1: there is none */
	/* What the verifier says only as it loads a program; NaN: not known. */
	double stack_bytes, verified_insns;
	struct bench_outcome *outcome; /* by case */
};

struct bench_opts {
	__u32 repeat,
		warm_up; /* runs of each program with each case: in a block, before the first */
	__u32 blocks;
	bool fresh, live; /* as in struct test_run_opts */
	bool exact;	  /* the machine does the same each time */
};

struct bench {
	struct bench_opts o;
	const struct bench_input *input;
	struct bench_prog *prog; /* in the order of runs */
	int prog_cnt;
	struct session *s;		      /* the caller's */
	struct snapshot **block, **all;	      /* by case: what was counted in a block, in all */
	struct report **each[BENCH_SIDE_CNT]; /* a report of each block */
	int each_cnt;
};

/*
 * Adds a program, before anything else is done; the other version of one that is there already is
 * found by its name. 0 or -ENOMEM (reported).
 */
int bench__add(struct bench *b, const struct bench_prog *p);
/*
 * Runs each program once with every packet of every case and fills in the outcomes. 0 or -errno
 * (reported); that a program cannot be run with a case is reported and no error.
 */
int bench__look(struct bench *b);
/* Can the program be run with any case? */
bool bench_prog__can_run(const struct bench *b, const struct bench_prog *p);

/*
 * Measures all blocks, on the CPU that this thread is bound to and that b->s measures. *result: as
 * the reports are to be. 0 or -errno (reported).
 */
int bench__measure(struct bench *b, const struct result_opts *result);
/* The report of one version; the caller frees it. 0 or -ENOMEM (reported). */
int bench__report(struct bench *b, enum bench_side side, const struct result_opts *result,
		  struct report **out);
void bench__free(struct bench *b);

#endif
