/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Judges the newest commit of a history: has it made a program more expensive? The answer is a
 * comparison, like that of two reports.
 */
#ifndef BPROF_HISTORY_CHECK_H
#define BPROF_HISTORY_CHECK_H

#include "history/history_series.h"

/*
 * Compares each series that the newest commit, or the commit before it in the same environment, has
 * a point of. The new value of a row is that of the newest commit, and the base are the commits of
 * its segment before it. But if the newest commit is what makes a change at an earlier commit
 * certain, the commits from that one on are compared with those before it.
 *
 * Returns 0; -ENODATA if the newest commit has no series; or -EINVAL if a limit applies to nothing,
 * or if its unit is not that of its event. Sets *reason on every error. The history and
 * *all must outlive *out, which the caller frees.
 */
int history__check(const struct history_all *all, struct comparison **out, struct reason *reason);

#endif
