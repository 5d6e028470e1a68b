/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a report says of targets that come and go.
 */
#ifndef BPROF_RESULT_FOLLOW_H
#define BPROF_RESULT_FOLLOW_H

#include "report/report.h"
#include "session/session.h"

/* Has that target a row for what was counted between the two: was it there, or did it run? */
bool result__has_target(const struct session *s, int target, const struct snapshot *from,
			const struct snapshot *to);
void result__set_version(struct report_prog *p, const struct session *s, const struct target *t);

#endif
