/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Judges the newest commit of a history: has it made a program more expensive? The result is a
 * comparison, like a comparison of two reports.
 */
#ifndef BPROF_HISTORY_CHECK_H
#define BPROF_HISTORY_CHECK_H

#include "history/history_series.h"

/*
 * Compares each series that has a point of the newest commit, or of the commit before it in the
 * same environment. The new value of a row is the newest commit's value. The base is the commits
 * since the last change before it (the newest commit's segment). There is one exception: together
 * with the newest commit, a change at an earlier commit may become certain. Then the commits from
 * that earlier commit on are compared with the commits before it.
 *
 * Returns 0; -ENODATA if the newest commit has no series; or -EINVAL if a limit applies to nothing,
 * or if a limit and its event have different units. Sets *reason on every error. The history and
 * *all must outlive *out, which the caller frees.
 */
int history__check(const struct history_all *all, struct comparison **out, struct reason *reason);

#endif
