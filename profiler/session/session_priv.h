/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the files of the session (session.c, session_targets.c) share. For them only.
 */
#ifndef BPROF_SESSION_PRIV_H
#define BPROF_SESSION_PRIV_H

#include "session/session.h"

/* Finds each target its backend; those that no one can measure are skipped. 0 or -ENOMEM. */
int session__place_targets(struct session *s);
/*
 * A target's rows of counts, one for each CPU and the rest, which are empty; distributions only if hists is set. 0 or
 * -errno (reported).
 */
int session__read_target(struct session *s, struct target *t, bool hists, struct counts *rows);
/* Notes the runs that a followed target has missed: prog->info was read before its rows of counts. */
void session__note_missed(struct session *s, struct target *t, const struct counts *rows);

#endif
