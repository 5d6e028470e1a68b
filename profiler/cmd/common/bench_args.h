/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The options of bprof bench: the plan, and how the results are shown.
 */
#ifndef BPROF_BENCH_ARGS_H
#define BPROF_BENCH_ARGS_H

#include <stdbool.h>
#include <linux/types.h>

#include "bench/bench_plan.h"
#include "cmd/common/compare_opts.h"
#include "cmd/common/measure_opts.h"

struct bench_args {
	struct measure_opts measure; /* the first member; not all of it is used */
	struct compare_flags compare;
	struct bench_plan plan;
	/* Files that bench_args__read_input() reads into the plan. */
	const char **data, *pcap, *ctx;
	int data_cnt;
	bool cycle;
	const char *save[BENCH_SIDE_CNT];
};

/*
 * Parses the command line and sets the log level. As options__parse(): 0; 1: --help or --version
 * was printed; -errno: a wrong option, already reported. The caller frees a with
 * bench_args__free(), whatever this returns.
 */
int bench_args__parse(struct bench_args *a, int argc, char **argv);
void bench_args__free(struct bench_args *a);

/*
 * Reads the packets and the context into the plan; without any, adds the default packet. 0 or
 * -errno (reported).
 */
int bench_args__read_input(struct bench_args *a);

#endif
