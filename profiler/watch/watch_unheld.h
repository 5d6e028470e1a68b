/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Notices programs that become unheld: nothing holds them any more (target/holds.h). */
#ifndef BPROF_WATCH_UNHELD_H
#define BPROF_WATCH_UNHELD_H

#include "session/prog_watch.h"

struct watch_unheld;

/*
 * Returns an object that calls fn for programs that become unheld. The caller frees it with
 * watch_unheld__free().
 */
struct watch_unheld *watch_unheld__new(prog_change_fn fn, void *arg);
void watch_unheld__free(struct watch_unheld *u); /* accepts NULL */

/*
 * Checks all programs. Calls fn for each program that was unheld in two successive checks, and again only
 * after something held it. One
 * check is not enough, because a program that was detached has no holder until the kernel unloads
 * it. Returns 0, what fn returned, or -errno (reported).
 */
int watch_unheld__look(struct watch_unheld *u);
/*
 * Checks for the last time, and says how many programs are unheld. Returns the same values as
 * watch_unheld__look().
 */
int watch_unheld__end(struct watch_unheld *u);

#endif
