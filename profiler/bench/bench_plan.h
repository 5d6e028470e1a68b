/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The plan of a bench: its programs, their setup and input, and the number of runs. Knows nothing
 * of the command line, nor of what becomes of the results.
 */
#ifndef BPROF_BENCH_PLAN_H
#define BPROF_BENCH_PLAN_H

#include <stdbool.h>
#include <linux/types.h>

#include "bench/bench.h"
#include "bench/bench_expect.h"
#include "bench/bench_input.h"
#include "bench/bench_setup.h"
#include "target/target.h"

#define BENCH_ANY_CPU (~0ULL)

/* Strings are borrowed from the caller. */
struct bench_plan {
	/* Paths of object files; a single one is the new side. */
	const char *object[BENCH_SIDE_CNT];
	int object_cnt;
	struct bench_setup setup; /* of the objects */
	/* Without objects: programs that are loaded already. */
	struct selector_list loaded[BENCH_SIDE_CNT];
	const char *func; /* glob of function names; NULL: entry functions */
	struct bench_input input;
	struct bench_opts run;
	__u64 cpu; /* CPU to run on; BENCH_ANY_CPU: the current one */
	bool no_calibrate, no_hist;
	struct bench_expects expects;
};

/* Returns true if two versions are compared. */
bool bench_plan__compares(const struct bench_plan *p);
void bench_plan__free(struct bench_plan *p); /* frees the members, not p */

#endif
