/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internal interface of session.c and session_targets.c only.
 */
#ifndef BPROF_SESSION_PRIV_H
#define BPROF_SESSION_PRIV_H

#include "session/session.h"

/*
 * Finds a backend for each target and skips targets that no backend can measure. Returns 0 or
 * -ENOMEM.
 */
int session__place_targets(struct session *s);
/*
 * Reads a target's counts into rows, which the caller has zeroed: one row for each CPU, and a last
 * row for counts that belong to no CPU. Reads distributions only if hists is set. Returns 0 or
 * -errno (reported).
 */
int session__read_target(struct session *s, struct target *t, bool hists, struct counts *rows);
/*
 * Updates the number of runs of a followed target that its probe missed. rows has the probe's
 * counts; the caller must have read t->prog->info before them.
 */
void session__note_missed(struct session *s, struct target *t, const struct counts *rows);

#endif
