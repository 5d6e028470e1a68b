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
 * Returns true for the name of one of bprof's programs or maps. The names have a common prefix
 * because the kernel has no other mark for them.
 */
bool prog_name__is_own(const char *name);

/*
 * Returns true for a program of bprof: a program with such a name, or a leader of bprof system.
 * bprof's and perf's leaders have the same name and are distinguished by the names of their maps.
 * Refreshes p->info if the program has a leader's name.
 */
bool prog__is_own(struct prog *p);

#endif
