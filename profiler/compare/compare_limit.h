/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Limits above which a change is worse: --fail-on [PROGRAM/]EVENT:STATISTIC>CHANGE.
 *
 *   instructions:p50>2%            a share of the base
 *   time:p99>10us                  an amount in ns, us, ms or s, for an event in ns
 *   energy:mean>0.5                an amount in the event's own unit
 *   verified_insns>5% work of the verifier, and other sizes, which have no statistic
 *   xdp_?b/cycles:mean>5%          only for these programs (a glob, also for program:function)
 *
 * EVENT is a name in the report, including pmu/terms/ and modifiers, or a glob. A PMU event has two
 * '/'. So if the number of '/' is odd, the part before the first '/' is PROGRAM.
 */
#ifndef BPROF_COMPARE_LIMIT_H
#define BPROF_COMPARE_LIMIT_H

#include <stdbool.h>

#include "base/parse_error.h"
#include "base/suggest.h"
#include "report/report.h"

struct compare_limit {
	char *spec;	   /* the text that the user gave */
	char *prog;	   /* a glob; NULL: all programs */
	char *event;	   /* glob */
	enum stat_id stat; /* not used if typical or of_size is set */
	bool of_size;	   /* "event" is the name of the size "size" */
	enum size_id size;
	double value;
	bool relative;	   /* value is a share (0.02 for 2 %), not an amount in unit */
	const char *unit;  /* "ns", or NULL for the event's own unit; a literal */
	const char *bound; /* the part of spec from the '>' on: ">2%" */
	/* The following members are set only for default limits. */
	bool exact;   /* the limit applies only to events that are exact in both reports */
	bool typical; /* the limit is for the median, or the mean if a report has no median */
};

#define COMPARE_MAX_LIMITS 64

struct compare_limits {
	struct compare_limit *v;
	int cnt;
};

/*
 * Parses a limit and appends it to the list. Does not check the length of the list: the caller must
 * not give compare__parts() more than COMPARE_MAX_LIMITS limits. Returns 0, or -EINVAL with *err.
 */
int compare_limits__add(struct compare_limits *l, const char *spec, struct parse_error *err);
/*
 * Adds the limits that apply without --fail-on: any increase of the minimum of an exact event, and
 * an increase of the median (or mean) of any event by more than 2 %. The list must be empty.
 */
void compare_limits__add_default(struct compare_limits *l);
/*
 * Adds the limit that applies without --fail-on if no program was run: more verified instructions
 * are worse. The list must have only default limits.
 */
void compare_limits__add_default_size(struct compare_limits *l);
void compare_limits__free(struct compare_limits *l);

/* Returns true if the limit is for this size of this program. */
bool compare_limit__selects_size(const struct compare_limit *l, const struct report_prog *p,
				 enum size_id size);
/* Returns true if the limit is for this program and this event. Ignores the statistic. */
bool compare_limit__selects(const struct compare_limit *l, const struct report_prog *p,
			    const char *event);
/*
 * Returns the statistic to which the limit applies. base and new are the event in the two reports;
 * one of them may be NULL.
 */
enum stat_id compare_limit__stat(const struct compare_limit *l, const struct report_event *base,
				 const struct report_event *new);
/* Returns true if the limit's event is a name, not a glob. */
bool compare_limit__names_event(const struct compare_limit *l);

/* The state of a search for a program and an event that match a limit, and for similar names. */
struct limit_search {
	const struct compare_limit *l;
	bool found, has_prog, has_event;
	struct suggest prog, event;
};

void limit_search__init(struct limit_search *s, const struct compare_limit *l);
/* Checks a program and, unless event is NULL, one of its events. */
void limit_search__look(struct limit_search *s, const struct report_prog *p, const char *event);
/* Checks all programs of a report, also programs without events, and all their events. */
void limit_search__look_at_report(struct limit_search *s, const struct report *r);
/*
 * Writes into buf of sz bytes why the search found nothing: "there is no event 'cyclse'; did you
 * mean 'cycles'?". Returns buf.
 */
const char *limit_search__explain(const struct limit_search *s, char *buf, size_t sz);

#endif
