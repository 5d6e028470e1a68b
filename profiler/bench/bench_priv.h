/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internal interface of bench.c, bench_expect.c, bench_replay.c, bench_report.c, bench_rows.c,
 * bench_steps.c and their tests.
 */
#ifndef BPROF_BENCH_PRIV_H
#define BPROF_BENCH_PRIV_H

#include "bench/bench.h"
#include "report/report.h"

/* Writes "program [case]" to buf, truncated to sz bytes. which: index of the case. Returns buf. */
const char *bench__label(const struct bench *b, const struct bench_prog *p, int which, char *buf,
			 size_t sz);
/* Returns a text that describes the error of a test run. */
const char *bench__explain(int err);
/*
 * Returns how many runs a block makes with a case: b->o.repeat, rounded up so that each packet of
 * the case is run equally often.
 */
__u64 bench__runs(const struct bench *b, int which);
/*
 * "runs" runs took ns. Returns -ETIME (reported) if a block would take longer than b->o.block_ns at
 * this rate, else 0.
 */
int bench__check_time(const struct bench *b, const struct bench_prog *p, int which, __u64 runs,
		      __u64 ns);
/* In bench_replay.c: adds notes on data that the program reads but a test run of the case lacks. */
void bench_replay__add_notes(struct report_notes *notes, const struct bench_prog *p,
			     const struct bench_input *in, int which);
/* Returns true if each run gets a fresh copy of its packet. */
bool bench__is_fresh(const struct bench *b, const struct bench_prog *p, int which);
/* Returns 0, or -EINVAL (reported) if a step of the case needs a program that is not run. */
int bench__check_steps(const struct bench *b, const struct bench_prog *p, int which);
/* Makes the runs that precede the runs of p with a case. Returns 0 or -errno (reported). */
int bench__build_up(const struct bench *b, const struct bench_prog *p, int which);
/* Frees b->row, the list of targets of the first session. */
void bench__free_rows(struct bench *b);
/* Returns true if the program with this id is measured with the case `which`. */
bool bench__has_row(const struct bench *b, __u32 prog_id, int which);
/* Makes the reports of the last block. Returns 0 or -errno (reported). */
int bench__report_block(struct bench *b, const struct result_opts *result);
/*
 * Returns true if the event's minimum and median are the same in all blocks, as they must be on a
 * deterministic machine.
 */
bool bench__is_exact(const struct report_event *ev);

#endif
