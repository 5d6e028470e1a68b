/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * bprof bench: drives programs with BPF_PROG_TEST_RUN in blocks while a session counts. Two
 * versions of a program alternate, so that other activity of the machine affects both alike.
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

/* How the runs of a program with one case went. */
struct bench_outcome {
	int err;	/* -errno if the program cannot run with this case; it is then left out */
	bool changes;	/* the program changes its packet, and a repeated run sees the change */
	bool varied;	/* runs with the same packet returned different values */
	__u32 *retval;	/* by packet of the case */
	__s64 unwanted; /* counted runs minus requested runs; < 0: some were not counted */
};

struct bench_prog {
	int fd; /* borrowed; -1: the session measures none of its functions */
	__u32 id, type;
	char *name, *other_name; /* other_name: in the other version; bench__free() frees both */
	enum bench_side side;
	int partner; /* index of its other version; -1: none */
	/* The verifier reports these only when it loads the program; NaN: not known. */
	double stack_bytes, verified_insns;
	bool full_length; /* as struct bench_object has it; false: its costs are not exact */
	struct bench_outcome *outcome; /* by case */
};

struct bench_opts {
	/* Runs of each program with each case: per block, and before the first block of a load. */
	__u64 repeat, warm_up;
	__u64 blocks;
	bool fresh, live; /* as in struct test_run_opts */
	bool exact;	  /* the machine is deterministic */
};

struct bench {
	struct bench_opts o;
	const struct bench_input *input;
	struct bench_prog *prog; /* in the order of runs */
	int prog_cnt;
	struct session *s;     /* borrowed */
	bool warm;	       /* the programs were warmed up under s */
	int load_cnt;	       /* sessions so far */
	struct bench_row *row; /* the targets of the first session */
	int row_cnt;
	struct snapshot **block, **all;	      /* counts by case: of the last block, of all */
	struct report **each[BENCH_SIDE_CNT]; /* a report of each block */
	int each_cnt;
};

/*
 * Adds a program; call it before anything else. If its other version was added already, pairs the
 * two by name. Returns 0 or -ENOMEM (reported).
 */
int bench__add(struct bench *b, const struct bench_prog *p);
/*
 * Replaces program index by p, a new load of the same program. Returns 0, or -ESTALE (reported) if
 * p is a different program.
 */
int bench__renew(struct bench *b, int index, const struct bench_prog *p);
/*
 * Runs each program once with every packet of every case and fills in the outcomes. Returns 0 or
 * -errno (reported). A program that cannot run with a case is reported, but is no error.
 */
int bench__inspect(struct bench *b);
/*
 * Measures the programs with this session from here on, until the next one is set. The caller owns
 * it, and closes it after the next one is set or after the reports are made. Leaves out a program
 * if the session skipped all its targets. Returns 0; -ESTALE (reported) if its targets or their
 * methods differ from the first session's; or -ENOMEM (reported).
 */
int bench__set_session(struct bench *b, struct session *s);
/* Returns true if the program can run with at least one case. */
bool bench_prog__can_run(const struct bench *b, const struct bench_prog *p);

/*
 * Warms up if b->s is new, then measures this many blocks and makes their reports with the options
 * *result. The calling thread must be bound to the CPU that b->s measures. Returns 0 or -errno
 * (reported).
 */
int bench__measure(struct bench *b, const struct result_opts *result, __u32 blocks);
/* Returns true if the cost of probes for callers may differ from one load of b->s to the next. */
bool bench__has_varying_costs(const struct bench *b);
/*
 * Makes the report of one version; b->s must be open. The caller frees *out. Returns 0 or -ENOMEM
 * (reported).
 */
int bench__report(struct bench *b, enum bench_side side, const struct result_opts *result,
		  struct report **out);
void bench__free(struct bench *b);

#endif
