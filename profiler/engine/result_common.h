/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The common parts of all reports: the host, and the events of its rows.
 */
#ifndef BPROF_RESULT_COMMON_H
#define BPROF_RESULT_COMMON_H

#include "base/event_status.h"

struct event;
struct report;
struct report_event;
struct report_row;

/*
 * Fills in the version, the command (a NULL-terminated argv, which is copied) and the host, except
 * for the number of CPUs and whether programs are JITed. 0 or -ENOMEM.
 */
int result__fill_host(struct report *r, char **command);
/* Sets whether the kernel JITs programs, if no measured program shows it. */
void result__set_jit(struct report *r);

/*
 * Adds an event to a row, with the reason (state) if it has no values. *out: the event if it could be
 * opened, for the caller to fill in its values; else NULL. 0 or -ENOMEM.
 */
int result__add_event(struct report_row *row, const struct event *ev,
		      const struct event_state *state, struct report_event **out);
/* Sets why an event has no values. 0 or -ENOMEM. */
int result__set_status(struct report_event *re, enum event_status status, const char *detail);

#endif
