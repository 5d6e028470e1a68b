/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reports targets whose programs are loaded or unloaded during the session.
 */
#ifndef BPROF_RESULT_FOLLOW_H
#define BPROF_RESULT_FOLLOW_H

#include "report/report.h"
#include "session/session.h"

/*
 * Returns true if the report has a row for the target: its program was loaded for a part of the
 * time between the snapshots, or ran in that time.
 */
bool result__has_target(const struct session *s, int target, const struct snapshot *from,
			const struct snapshot *to);
void result__set_version(struct report_prog *p, const struct session *s, const struct target *t);

#endif
