/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The plan of a bench: its programs, their setup and input, and the number of runs. Must not know
 * the command line, or what happens with the results.
 */
#ifndef BPROF_BENCH_PLAN_H
#define BPROF_BENCH_PLAN_H

#include <stdbool.h>
#include <linux/types.h>

#include "bench/bench.h"
#include "bench/bench_expect.h"
#include "bench/bench_input.h"
#include "object/object_setup.h"
#include "target/target.h"

#define BENCH_ANY_CPU (~0ULL)

/* The strings are borrowed from the caller. */
struct bench_plan {
	/* Paths of the object files. If there is only one object file, it is the new version. */
	const char *object[BENCH_SIDE_CNT];
	int object_cnt;
	struct bench_setup setup; /* setup of the objects */
	/* Selectors of loaded programs. Used if there are no object files. */
	struct selector_list loaded[BENCH_SIDE_CNT];
	const char *func;  /* glob of function names; NULL: entry functions only */
	const char *calls; /* glob of kernel functions that the targets call; NULL: none */
	struct bench_input input;
	struct bench_opts run;
	__u64 cpu; /* the CPU to run on; BENCH_ANY_CPU: the current CPU */
	bool no_calibrate, no_hist;
	struct bench_expects expects;
};

/* Returns true if the plan compares two versions. */
bool bench_plan__compares(const struct bench_plan *p);
void bench_plan__free(struct bench_plan *p); /* frees the members, not p */

#endif
