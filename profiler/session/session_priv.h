/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internal interface of session.c and session_counts.c only.
 */
#ifndef BPROF_SESSION_PRIV_H
#define BPROF_SESSION_PRIV_H

#include "session/session.h"

/*
 * Reads a target's counts into rows, which the caller has zeroed: one row for each CPU, and a last
 * row for counts that belong to no CPU. Reads distributions only if hists is set. Returns 0 or
 * -errno (reported).
 */
int session__read_target(struct session *s, struct target *t, bool hists, struct counts *rows);

#endif
