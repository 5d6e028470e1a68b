/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fills what a report says of thinning (--sample).
 */
#ifndef BPROF_RESULT_THINNING_H
#define BPROF_RESULT_THINNING_H

#include "report/report.h"
#include "session/session.h"

/* --sample auto: sets the periods at "to" on CPUs first to last of the session, by index. */
void result__set_periods(struct report_row *row, const struct session *s,
			 const struct snapshot *from, const struct snapshot *to, int target,
			 int first, int last);
/* Sets the period or, with --sample auto, the share and what the probes added. */
void result__set_thinning(struct report *r, const struct session *s, const struct snapshot *from,
			  const struct snapshot *to);

#endif
