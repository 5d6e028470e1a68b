/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From which change on something is worse: --fail-on [PROGRAM/]EVENT:STATISTIC>CHANGE. Pure.
 *
 *   instructions:p50>2%            a share of the base
 *   time:p99>10us                  an amount in ns, us, ms or s, of an event in ns
 *   energy:mean>0.5                an amount in the event's own unit
 *   xdp_?b/cycles:mean>5%          of these programs (a glob; also program:function)
 *
 * EVENT is a name as the report has it, or a glob: pmu/terms/ and modifiers are part of it. What
 * ends at the first '/' is a PROGRAM where the number of '/' is odd.
 */
#ifndef BPROF_COMPARE_LIMIT_H
#define BPROF_COMPARE_LIMIT_H

#include <stdbool.h>

#include "base/parse_error.h"
#include "report/report.h"

struct compare_limit {
	char *spec;	   /* as it was given */
	char *prog;	   /* glob; NULL: all */
	char *event;	   /* glob */
	enum stat_id stat; /* see typical */
	double value;
	bool relative;	   /* value is a share (2 %: 0.02), else it is in unit */
	const char *unit;  /* "ns", or NULL: whatever the event's is; static */
	const char *bound; /* ">2%": the end of spec */
	/* Of the default limits: */
	bool exact;   /* for events that are exact in both reports only */
	bool typical; /* the median, or the mean where not all have it, instead of stat */
};

#define COMPARE_MAX_LIMITS 64

struct compare_limits {
	struct compare_limit *v;
	int cnt;
};

/* 0, -EINVAL with *err, -E2BIG (there are COMPARE_MAX_LIMITS) or -ENOMEM. */
int compare_limits__add(struct compare_limits *l, const char *spec, struct parse_error *err);
/*
 * Without --fail-on: where a machine is exact, any run that takes longer at the least; everywhere
 * a typical run that takes 2 % longer. 0 or -ENOMEM.
 */
int compare_limits__add_default(struct compare_limits *l);
void compare_limits__free(struct compare_limits *l);

/* Is it for this event (by its name) of that program? Which statistic, is another matter. */
bool compare_limit__selects(const struct compare_limit *l, const struct report_prog *p,
			    const char *event);
/* Which statistic, where these are the events of both reports; NULL: one does not have it. */
enum stat_id compare_limit__stat(const struct compare_limit *l, const struct report_event *base,
				 const struct report_event *new);
/* Does it name one event, and not all that a glob fits? */
bool compare_limit__names_event(const struct compare_limit *l);

#endif
