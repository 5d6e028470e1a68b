/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Takes the numbers of the self-test's programs from a report.
 */
#ifndef BPROF_SELFTEST_RESULTS_H
#define BPROF_SELFTEST_RESULTS_H

#include "doctor/selftest.h"
#include "doctor/selftest_progs.h"

/*
 * Sets the events and the counts of a context from the rows of its programs, or sets c->why if
 * there are no rows. A program may have several rows, one for each block of its runs.
 */
void selftest_results__take(struct selftest_context *c, const struct selftest_progs *p,
			    const struct event_list *events, const struct report *report);

#endif
