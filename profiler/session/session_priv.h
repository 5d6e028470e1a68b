/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by the files of the session (session.c, session_targets.c) only.
 */
#ifndef BPROF_SESSION_PRIV_H
#define BPROF_SESSION_PRIV_H

#include "session/session.h"

/* Finds a backend for each target; skips those that no backend can measure. 0 or -ENOMEM. */
int session__place_targets(struct session *s);
/*
 * Reads a target's rows of counts, which start zeroed: one for each CPU, and one for no CPU.
 * Distributions only if hists is set. 0 or -errno (reported).
 */
int session__read_target(struct session *s, struct target *t, bool hists, struct counts *rows);
/*
 * Updates the number of runs that a followed target missed. prog->info must have been read before
 * rows.
 */
void session__note_missed(struct session *s, struct target *t, const struct counts *rows);

#endif
