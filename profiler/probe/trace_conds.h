/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Conditions for recording an invocation: --slower-than, --event, --retval, --every. An invocation
 * is recorded if at least one condition is true. Prints nothing.
 */
#ifndef BPROF_TRACE_CONDS_H
#define BPROF_TRACE_CONDS_H

#include <stdbool.h>
#include <linux/types.h>

#include "base/parse_error.h"
#include "bpf/trace.h"
#include "event/event.h"

/* A bound on the net cost of an invocation, such as "instructions>10000". */
struct trace_bound {
	char *spec;  /* the bound as the user wrote it */
	char *event; /* name of the event in spec */
	int index;   /* index of the event in the event list, set by trace_conds__resolve() */
	/* true: the condition is true for values below the limit; false: for values above it */
	bool under;
	double value;
	const char *unit; /* unit of value; NULL: the event's own unit */
	/*
	 * If it is not 0, the limit is this quantile of the runs so far, such as 0.999 for p99.9;
	 * else it is value.
	 */
	double quantile;
	bool equal; /* the condition is also true for exactly the limit */
	/* the largest count (or, if under is set, the smallest) for which the condition is false */
	__s64 limit;
};

struct trace_conds {
	struct trace_bound *bound;
	int bound_cnt;
	const char *retval[BPROF_TRACE_RETVALS]; /* names or numbers of return values; borrowed */
	int retval_cnt;
	__u64 every; /* record one run in every; 0: no such condition */
};

/* Adds the bound of --event SPEC. Returns 0, or -EINVAL with *err. */
int trace_conds__add_event(struct trace_conds *c, const char *spec, struct parse_error *err);
/*
 * Adds the bound of --slower-than DURATION or pNN on the event "time". Returns 0, or -EINVAL with
 * *err.
 */
int trace_conds__add_time(struct trace_conds *c, const char *duration, struct parse_error *err);
/*
 * Adds a return value of --retval: a number, or a name that any program type defines. Returns 0,
 * -EINVAL (not a return value) or -E2BIG (too many).
 */
int trace_conds__add_retval(struct trace_conds *c, const char *text);
void trace_conds__free(struct trace_conds *c);

/*
 * Finds the events of the bounds in the event list, adds missing events to the list, and checks
 * that the bounds can be combined. Returns 0 or -EINVAL. On -EINVAL, *which is the wrong
 * bound, and *err has a position in its spec.
 */
int trace_conds__resolve(struct trace_conds *c, struct event_list *events, const char *sysfs,
			 const struct trace_bound **which, struct parse_error *err);

/* Returns the bound that follows a percentile, or NULL. */
const struct trace_bound *trace_conds__percentile(const struct trace_conds *c);

/*
 * Returns whether the condition is true for this net cost. For a bound that is a percentile, always
 * returns true: its event has no other bound, so the bit of its slot in bprof_record.why already
 * shows that the run exceeded it.
 */
bool trace_bound__is_true(const struct trace_bound *b, __s64 net);

#endif
