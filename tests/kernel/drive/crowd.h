/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Many programs, and many processes.
 */
#ifndef KTEST_CROWD_H
#define KTEST_CROWD_H

#include <linux/types.h>

/*
 * Loads copies of the object at "path" until cnt programs are loaded. This process holds the
 * programs. Returns 0, or -errno.
 */
int crowd__load(const char *path, int cnt, __u32 *ids);

/*
 * Starts cnt processes that sleep until they are killed or this process ends. They need little
 * memory, because they share the memory of this process. Returns 0, or -errno.
 */
int crowd__start(int cnt, int *pids);
/* Kills the processes, and waits for their end. */
void crowd__kill(const int *pids, int cnt);

/*
 * Returns the numbers as text, separated by commas. The caller frees the text. NULL: out of memory.
 */
char *crowd__list(const __u32 *numbers, int cnt);

#endif
