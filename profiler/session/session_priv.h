/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Internal interface of session.c, session_counts.c and session_keys.c only. */
#ifndef BPROF_SESSION_PRIV_H
#define BPROF_SESSION_PRIV_H

#include "session/session.h"

/*
 * Reads a target's rows: one for each CPU, then one for counts that belong to no CPU, then the rows
 * of the target's parts (--by). The counts include what was counted while the gate was closed.
 * Reads distributions only if hists is set. The caller frees *out with counts__free(). Returns 0 or
 * -errno (reported).
 */
int session__read_raw(struct session *s, struct target *t, bool hists, struct counts **out);
/* Make the next session__read() read a target, or all targets, even if they have not run. */
void session__forget_reading(struct session *s, struct target *t);
void session__forget_readings(struct session *s);

#endif
