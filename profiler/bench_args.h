/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The options of bprof bench.
 */
#ifndef BPROF_BENCH_ARGS_H
#define BPROF_BENCH_ARGS_H

#include <stdbool.h>
#include <linux/types.h>

#include "bench.h"
#include "bench_expect.h"
#include "bench_input.h"
#include "bench_setup.h"
#include "compare_opts.h"
#include "measure_opts.h"
#include "target.h"

struct bench_args {
	struct measure_opts measure; /* the first member; of it events and output */
	struct compare_flags compare;
	struct bench_setup setup;
	const char *object[BENCH_SIDE_CNT]; /* one: it is the new side's */
	int object_cnt;
	struct selector_list loaded[BENCH_SIDE_CNT];
	const char *func;
	struct bench_input input;
	const char **data, *pcap, *ctx; /* files */
	int data_cnt;
	bool cycle, live, fresh, exact, no_calibrate, no_hist, benchfmt, markdown, junit;
	__u64 repeat, warm_up, blocks, cpu;
	struct bench_expects expects;
	const char *save[BENCH_SIDE_CNT];
};

#define NOT_GIVEN (~0ULL)

/*
 * Parses the command line and sets the log's level. As options__parse(): 0; 1: --help or --version
 * was printed; -errno: a wrong option, already reported. The caller frees a with bench_args__free(),
 * whatever this returns.
 */
int bench_args__parse(struct bench_args *a, int argc, char **argv);
void bench_args__free(struct bench_args *a);

/* Are two versions compared? */
bool bench_args__compare(const struct bench_args *a);
/* Reads the packets and the context, or makes the packet where none is given. 0 or -errno (reported). */
int bench_args__read_input(struct bench_args *a);

#endif
