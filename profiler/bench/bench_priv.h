/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What bench.c and bench_report.c share. For them, and their tests, only.
 */
#ifndef BPROF_BENCH_PRIV_H
#define BPROF_BENCH_PRIV_H

#include "bench/bench.h"
#include "report/report.h"

/* "program [case]", truncated to sz. Returns buf. */
const char *bench__label(const struct bench *b, const struct bench_prog *p, int which, char *buf,
			 size_t sz);
/* Why the kernel does not test-run a program, in words. */
const char *bench__explain(int err);
/* Has each run a packet of its own? */
bool bench__is_fresh(const struct bench *b, const struct bench_prog *p, int which);
/* Frees what bench__take_session() keeps of the first session. */
void bench__free_rows(struct bench *b);
/* Is that program measured with that case? */
bool bench__has_row(const struct bench *b, __u32 prog_id, int which);
/* Makes the reports of the block that was measured last. 0 or -ENOMEM (reported). */
int bench__report_block(struct bench *b, const struct result_opts *result);
/*
 * Do an event's blocks show what a machine that does the same each time shows of a program that does the same
 * each time?
 */
bool bench__is_exact(const struct report_event *ev);

#endif
