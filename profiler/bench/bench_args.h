/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The options of bprof bench: what to measure (the plan), and how to show the results.
 */
#ifndef BPROF_BENCH_ARGS_H
#define BPROF_BENCH_ARGS_H

#include <stdbool.h>
#include <linux/types.h>

#include "bench/bench_cases.h"
#include "bench/bench_plan.h"
#include "bench/suite_vars.h"
#include "run/compare_opts.h"
#include "run/measure_opts.h"

struct bench_args {
	struct measure_opts measure; /* bench uses only events and output */
	struct compare_flags compare;
	struct bench_plan plan;
	/* Files that bench_args__read_input() reads into the plan. */
	const char **data, *pcap, *ctx;
	int data_cnt;
	bool cycle;
	struct bench_cases cases; /* of an entry of a suite */
	struct {
		const char *file, *entry; /* --suite, --entry; NULL: not given */
		struct suite_vars vars;
		bool list;
	} suite;
	const char *save[BENCH_SIDE_CNT]; /* files of --save-base and --save-new, or NULL */
};

/*
 * Parses the command line and sets the log level. Returns 0; 1: --help or --version was printed; or
 * -errno: an option is wrong, which has been reported. The caller frees a with bench_args__free(),
 * also after an error.
 */
int bench_args__parse(struct bench_args *a, int argc, char **argv);
void bench_args__free(struct bench_args *a);

/*
 * The steps of bench_args__parse(), for entries of a suite, whose options are set between the
 * steps. The first step initializes *a. The second parses the command line. The third sets the
 * defaults of the members that are not set, and checks whether the options can be combined. They
 * return 0 or -errno (reported).
 */
void bench_args__init(struct bench_args *a);
int bench_args__add_argv(struct bench_args *a, int argc, char **argv);
int bench_args__finish(struct bench_args *a);

/*
 * If compares is false, refuses the options and formats of a comparison. If it is true, refuses
 * formats that cannot show a comparison. Returns 0 or -EINVAL (reported).
 */
int bench_args__check_output(const struct bench_args *a, bool compares);

/*
 * Reads the files of packets and the context into the plan. If there are no packets, adds the
 * default packet. Returns 0 or -errno (reported).
 */
int bench_args__read_input(struct bench_args *a);

#endif
