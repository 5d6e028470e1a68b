/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Conditions for recording an invocation: --slower-than, --event, --retval, --every. An invocation
 * is recorded if any condition is true. Pure.
 */
#ifndef BPROF_TRACE_CONDS_H
#define BPROF_TRACE_CONDS_H

#include <stdbool.h>
#include <linux/types.h>

#include "base/parse_error.h"
#include "bpf/trace.h"
#include "event/event.h"

/* "instructions>10000": a bound on the net cost of an invocation. */
struct trace_bound {
	char *spec;  /* as given by the user */
	char *event; /* the event in spec */
	int index;   /* index of the event, set by trace_conds__resolve() */
	bool under;  /* true below the limit; otherwise true above it */
	double value;
	const char *unit; /* unit of value; NULL: the event's own */
	bool equal;	  /* also true for exactly that value */
	__s64 limit;	  /* in the event's raw counts */
};

struct trace_conds {
	struct trace_bound *bound;
	int bound_cnt;
	const char *retval[BPROF_TRACE_RETVALS]; /* not owned */
	int retval_cnt;
	__u64 every; /* 0: none */
};

/* Adds --event SPEC. Returns 0, -EINVAL with *err, or -ENOMEM. */
int trace_conds__add_event(struct trace_conds *c, const char *spec, struct parse_error *err);
/* Adds --slower-than DURATION: a bound on the event "time". */
int trace_conds__add_time(struct trace_conds *c, const char *duration, struct parse_error *err);
/* Adds --retval: a name of any program type or a number. Returns 0, -EINVAL or -E2BIG. */
int trace_conds__add_retval(struct trace_conds *c, const char *text);
void trace_conds__free(struct trace_conds *c);

/*
 * Finds the events of the bounds in the list, adds the missing ones to it, and checks that the
 * bounds can be combined. Returns 0; -EINVAL with *which, the wrong bound, and *err, a position in
 * its spec; or -ENOMEM.
 */
int trace_conds__resolve(struct trace_conds *c, struct event_list *events, const char *sysfs,
			 const struct trace_bound **which, struct parse_error *err);

bool trace_bound__is_true(const struct trace_bound *b, __s64 net);

#endif
