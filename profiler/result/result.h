/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Makes a report from snapshots of a session.
 */
#ifndef BPROF_RESULT_H
#define BPROF_RESULT_H

#include "report/report.h"
#include "report/report_sum.h"
#include "session/session.h"

/* The time between two snapshots. */
struct result_span {
	/* name of the input case with which the programs ran (bprof bench), or NULL */
	const char *input;
	const struct snapshot *from, *to;
	/*
	 * if a probe is attached only for slices of time (--max-overhead), the statistics of its
	 * events are those since this snapshot, which is earlier than "from"; NULL: since "from"
	 */
	const struct snapshot *slices_from;
};

struct result_opts {
	char **command; /* bprof's argv, which the report shows; NULL-terminated */
	bool per_cpu;	/* add rows for each CPU */
	bool buckets;	/* include the buckets of the histograms (--hist) */
	/* with --by: before the rows of a target's parts, add a row with all its runs */
	bool with_whole;
	/* bprof itself started the runs, so the report leaves out rates and CPU shares */
	bool driven;
	/*
	 * the report is on one of several intervals, whose reports must all have the same
	 * statistics
	 */
	bool intervals;
	/*
	 * add up the rows of programs that have this in common; SUM_NONE: make a row for each
	 * program
	 */
	enum sum_key sum;
	const char *per; /* show costs per run of this program (report_per.h); NULL: do not */
	/* Sets the device and the owner of a program's row. NULL: they are not wanted. */
	void (*label)(void *label_arg, struct report_prog *p);
	void *label_arg;
	/* with --by: show all known keys, so that all reports of a session have the same rows */
	bool all_keys;
	/*
	 * with --by: a key that got a part of its own only after the span began has a row, which lacks its
	 * first runs; they are in "other"
	 */
	bool late_keys;
	struct timespec started;
	/*
	 * Returns true if the report has a row for the program in this span or, if span is NULL, in
	 * any span. If wants is NULL, all programs have rows in all spans.
	 */
	bool (*wants)(void *arg, __u32 prog_id, const struct result_span *span);
	void *arg;
};

/*
 * Makes a report with one row per target and span. There must be at least one span. The caller
 * frees *out with report__free(). Returns 0 or -errno (reported).
 */
int result__report(const struct session *s, const struct result_span *spans, int cnt,
		   const struct result_opts *o, struct report **out);

#endif
