/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fills in the fields of a report that describe thinning (--sample).
 */
#ifndef BPROF_RESULT_THINNING_H
#define BPROF_RESULT_THINNING_H

#include "report/report.h"
#include "session/session.h"

/*
 * With --sample auto, a target has a period N on each CPU: one run in N is measured there. Sets the
 * row's lowest and highest period, over the session's CPUs with indexes "first" to "last", at the
 * snapshot "to".
 */
void result__set_periods(struct report_row *row, const struct session *s,
			 const struct snapshot *from, const struct snapshot *to, int target,
			 int first, int last);
/*
 * Sets the report's period or, with --sample auto, the allowed share of CPU time and the share that
 * the probes took.
 */
void result__set_thinning(struct report *r, const struct session *s, const struct snapshot *from,
			  const struct snapshot *to);

#endif
