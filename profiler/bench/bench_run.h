/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One bench: loads the programs of a plan, runs and measures them.
 */
#ifndef BPROF_BENCH_RUN_H
#define BPROF_BENCH_RUN_H

#include <stdbool.h>

#include "bench/bench.h"
#include "bench/bench_args.h"
#include "bench/bench_targets.h"
#include "host/cpus.h"
#include "report/report.h"

struct bench_run {
	struct bench_args *a;
	const struct bench_plan *plan; /* is &a->plan */
	struct bench_targets targets;
	struct bench bench;
	struct cpus cpu;
	struct session *session;
	struct report *report[BENCH_SIDE_CNT];
	bool failed;	    /* a program was not measured, or returned an unexpected value */
	bool interrupted;   /* a signal arrived before all blocks were measured */
	bool clock_changed; /* the kernel's clock source changed during a block */
	/* No program can be run: the reports have only the verifier's figures. */
	bool figures_only;
	bool nothing; /* the reports have no programs, only the reasons */
};

/*
 * Measures the bench that a describes, and makes the reports. a must outlive *r. Returns 0 or
 * -errno (reported). The caller frees *r in any case.
 */
int bench_run__measure(struct bench_run *r, struct bench_args *a, char **argv);
void bench_run__free(struct bench_run *r); /* frees the members, not r */

#endif
