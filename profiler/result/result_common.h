/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fills in the parts that all reports have: the host, and the events of the rows.
 */
#ifndef BPROF_RESULT_COMMON_H
#define BPROF_RESULT_COMMON_H

#include "base/event_status.h"

struct event;
struct report;
struct report_event;
struct report_row;

/*
 * Fills in the version, the command (a copy of a NULL-terminated argv) and the host, except for the
 * number of CPUs and whether programs are JITed. Returns 0 or -errno.
 */
int result__fill_host(struct report *r, char **command);
/* Reports that a report cannot be made. Returns err. */
int result__fail(int err);
/*
 * Sets r->host.jit from net.core.bpf_jit_enable. For reports whose programs do not show whether the
 * kernel JITs programs.
 */
void result__set_jit(struct report *r);

/*
 * Adds an event to a row. If the event could be opened, returns the added event, and the caller
 * fills in its values. Otherwise sets the reason from state and returns NULL.
 */
struct report_event *result__add_event(struct report_row *row, const struct event *ev,
				       const struct event_state *state);
/* Sets the reason why an event has no values. */
void result__set_status(struct report_event *re, enum event_status status, const char *detail);

#endif
