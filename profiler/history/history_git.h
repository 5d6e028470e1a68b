/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The data that bprof history gets from git: the names and dates of commits, and notes on commits.
 * Runs git in the current directory.
 */
#ifndef BPROF_HISTORY_GIT_H
#define BPROF_HISTORY_GIT_H

#include <time.h>

#include "history/history.h"

#define HISTORY_NOTES_REF "refs/notes/bprof"

/*
 * Finds the commit that "rev" names, and the commit's date. Sets *hash, which the caller frees.
 * Returns 0; -ENOENT without a message if there is no repository, no git or no such commit; or
 * -errno (reported).
 */
int history_git__find_commit(const char *rev, char **hash, struct timespec *date);
/* Appends a line to the note on a commit. Returns 0 or -errno (reported). */
int history_git__append(const char *hash, const char *line);
/*
 * Reads the notes on HEAD and the commits before it, in the order of the commits. Leaves out notes
 * on other commits. Returns 0 or -errno (reported).
 */
int history_git__read(struct history *h);

#endif
