/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which invocations are recorded: --slower-than, --event, --retval, --every. Any condition that is
 * true is enough. Pure.
 */
#ifndef BPROF_TRACE_CONDS_H
#define BPROF_TRACE_CONDS_H

#include <stdbool.h>
#include <linux/types.h>

#include "event/event.h"
#include "base/parse_error.h"
#include "bpf/trace.h"

/* "instructions>10000": of the net cost of an invocation. */
struct trace_bound {
	char *spec;  /* as it was given */
	char *event; /* its part of it */
	int index;   /* of the event, once trace_conds__resolve() has found it */
	bool under;  /* true of what is less than the limit, else of what is more */
	double value;
	const char *unit; /* that value is in; NULL: the event's own */
	bool equal;	  /* what has just that value is among it */
	__s64 limit;	  /* in the event's raw counts */
};

struct trace_conds {
	struct trace_bound *bound;
	int bound_cnt;
	const char *retval[BPROF_TRACE_RETVALS]; /* not owned */
	int retval_cnt;
	__u64 every; /* 0: none */
};

/* --event SPEC. 0, -EINVAL with *err, -ENOMEM. */
int trace_conds__add_event(struct trace_conds *c, const char *spec, struct parse_error *err);
/* --slower-than DURATION: the event "time". */
int trace_conds__add_time(struct trace_conds *c, const char *duration, struct parse_error *err);
/* --retval, a name of any program type's or a number. 0, -EINVAL, -E2BIG. */
int trace_conds__add_retval(struct trace_conds *c, const char *text);
void trace_conds__free(struct trace_conds *c);

/*
 * Finds the events of the bounds in the list, to which those that are missing are added, and checks
 * that the bounds go together. 0; -EINVAL with *which, the bound that is wrong, and *err, a place in
 * its spec; -ENOMEM.
 */
int trace_conds__resolve(struct trace_conds *c, struct event_list *events, const char *sysfs,
			 const struct trace_bound **which, struct parse_error *err);

bool trace_bound__is_true(const struct trace_bound *b, __s64 net);

#endif
