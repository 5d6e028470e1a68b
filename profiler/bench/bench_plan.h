/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What bprof bench measures: which programs, set up how, with which input, and how often. Knows
 * nothing of how that was typed, nor of what becomes of the results.
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

/* Strings are the caller's. */
struct bench_plan {
	/* Files; one alone is the new side's. */
	const char *object[BENCH_SIDE_CNT];
	int object_cnt;
	struct bench_setup setup; /* of the objects */
	/* Without objects: programs that are loaded. */
	struct selector_list loaded[BENCH_SIDE_CNT];
	const char *func; /* glob of functions' names; NULL: entry functions */
	struct bench_input input;
	struct bench_opts run;
	__u64 cpu; /* to run on; BENCH_ANY_CPU: the one it is started on */
	bool no_calibrate, no_hist;
	struct bench_expects expects;
};

/* Returns true if two versions are compared. */
bool bench_plan__compares(const struct bench_plan *p);
void bench_plan__free(struct bench_plan *p); /* what is in it */

#endif
