/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tells which loaded programs belong to a bprof process. bprof never measures such programs, even
 * if another bprof process has loaded them.
 */
#ifndef BPROF_OWN_H
#define BPROF_OWN_H

#include <stdbool.h>

struct prog;

/*
 * Returns true if a program or map of bprof has this name. All their names have a common prefix,
 * because the kernel offers no other way to mark programs and maps.
 */
bool prog_name__is_own(const char *name);

/*
 * Returns true if the program belongs to bprof: prog_name__is_own() is true for its name, or it is a leader
 * of bprof system (a program that reads an event for all users). Leaders of bprof and perf have the same
 * name; the names of their maps distinguish them. Refreshes p->info if the program has a leader's name.
 */
bool prog__is_own(struct prog *p);

#endif
