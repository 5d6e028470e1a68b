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

#include "bench/bench_input.h"

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
	int fd; /* the caller's; -1: the session measures none of its functions */
	__u32 id, type;
	char *name, *other_name; /* the other version's; copies, freed by bench__free() */
	enum bench_side side;
	int partner; /* index of its other version; -1: there is none */
	/* What the verifier says only as it loads a program; NaN: not known. */
	double stack_bytes, verified_insns;
	bool usual; /* its code is as it is any other time: what it costs may be exact */
	struct bench_outcome *outcome; /* by case */
};

struct bench_opts {
	/* Runs of each program with each case: in a block, and before the first one of a load. */
	__u64 repeat, warm_up;
	__u64 blocks;
	bool fresh, live; /* as in struct test_run_opts */
	bool exact;	  /* the machine does the same each time */
};

struct bench {
	struct bench_opts o;
	const struct bench_input *input;
	struct bench_prog *prog; /* in the order of runs */
	int prog_cnt;
	struct session *s;     /* the caller's */
	bool warm;	       /* s has run the programs before the first block */
	int load_cnt;	       /* sessions so far */
	struct bench_row *row; /* the targets of the first session */
	int row_cnt;
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
 * The same program, loaded anew: from here on it is run. 0, or -ESTALE (reported): it is another one.
 */
int bench__renew(struct bench *b, int index, const struct bench_prog *p);
/*
 * Runs each program once with every packet of every case and fills in the outcomes. 0 or -errno
 * (reported); that a program cannot be run with a case is reported and no error.
 */
int bench__look(struct bench *b);
/*
 * Takes a session of the programs: from here on it measures them, until the next one. The caller keeps
 * it, and closes it after the next is taken or the reports are made. A program whose every target the
 * session skipped is left out. 0; -ESTALE (reported): its targets, or how they are measured, are not
 * those of the first session; or -ENOMEM (reported).
 */
int bench__take_session(struct bench *b, struct session *s);
/* Can the program be run with any case? */
bool bench_prog__can_run(const struct bench *b, const struct bench_prog *p);

/*
 * Measures so many of the blocks, after the runs to warm up, on the CPU that this thread is bound to and
 * that b->s measures. *result: as the reports are to be. 0 or -errno (reported).
 */
int bench__measure(struct bench *b, const struct result_opts *result, __u32 blocks);
/* Returns true if the cost of probes for callers may differ from one load of b->s to the next. */
bool bench__has_varying_costs(const struct bench *b);
/* The report of one version, while b->s is open; the caller frees it. 0 or -ENOMEM (reported). */
int bench__report(struct bench *b, enum bench_side side, const struct result_opts *result,
		  struct report **out);
void bench__free(struct bench *b);

#endif
