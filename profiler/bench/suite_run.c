// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Measures the entries of a suite, one after the other. Owns the handling of entries that fail.
 * Must not know how results are shown.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "bench/bench_run.h"
#include "bench/bench_suite.h"
#include "bench/log_prefix.h"

/* Compares the reports of an entry. If the options do not fit them, only this entry fails. */
static int check_comparison(const struct bench_entry *e)
{
	const struct compare_opts o = compare_flags__opts(&e->a.compare);
	struct comparison *c;
	struct reason reason;
	char why[512];
	int err;

	if (!bench_plan__compares(&e->a.plan))
		return 0;
	err = compare__reports(e->report[BENCH_BASE], e->report[BENCH_NEW], &o, &c, &reason);
	if (err)
		return log_err(err, "%s", reason__describe(&reason, why, sizeof(why)));
	comparison__free(c);
	return 0;
}

static int take_reports(struct bench_entry *e, struct bench_run *r)
{
	for (int side = 0; side < BENCH_SIDE_CNT; side++) {
		if (side == BENCH_BASE && !bench_plan__compares(&e->a.plan))
			continue;
		e->report[side] = r->report[side];
		r->report[side] = NULL;
		report__set_entry(e->report[side], e->name);
	}
	return check_comparison(e);
}

/* Records that the entry failed, and frees its reports. Takes ownership of why. */
static void fail(struct bench_suite *s, struct bench_entry *e, int err, char *why)
{
	for (int side = 0; side < BENCH_SIDE_CNT; side++) {
		report__free(e->report[side]);
		e->report[side] = NULL;
	}
	s->failed = true;
	s->has_failure |= err != -ENODATA;
	e->why = why ?: xstrdup(strerror(-err));
}

static void run_entry(struct bench_suite *s, struct bench_entry *e, char **argv, bool *interrupted)
{
	struct log_prefix prefix;
	struct bench_run r;
	int err;

	log_prefix__begin(&prefix, "%s", e->name);
	err = bench_run__measure(&r, &e->a, argv) ?: take_reports(e, &r);
	s->failed |= r.failed || r.nothing;
	s->has_failure |= r.failed;
	s->has_report |= !err && !r.nothing;
	*interrupted = r.interrupted;
	bench_run__free(&r);
	if (err)
		fail(s, e, err, log_prefix__errors(&prefix));
	log_prefix__end(&prefix);
}

void bench_suite__run(struct bench_suite *s, char **argv)
{
	bool interrupted = false;

	for (int i = 0; i < s->cnt; i++)
		if (interrupted)
			fail(s, &s->v[i], -EINTR, NULL);
		else
			run_entry(s, &s->v[i], argv, &interrupted);
}
