/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a report says of --sample.
 */
#ifndef BPROF_RESULT_THINNING_H
#define BPROF_RESULT_THINNING_H

#include "report/report.h"
#include "session/session.h"

/* The periods at "to", with --sample auto, of CPUs first to last of the session, by index. */
void result__set_periods(struct report_row *row, const struct session *s,
			 const struct snapshot *from, const struct snapshot *to, int target,
			 int first, int last);
/* The period, or what was chosen instead and what the probes added. */
void result__set_thinning(struct report *r, const struct session *s, const struct snapshot *from,
			  const struct snapshot *to);

#endif
