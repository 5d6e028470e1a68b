/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tells which loaded programs are bprof's own. These are never measured, neither by the bprof that
 * loaded them nor by another one.
 */
#ifndef BPROF_OWN_H
#define BPROF_OWN_H

#include <stdbool.h>

struct prog;

/*
 * Returns true for the name of one of bprof's programs or maps. They all have the same prefix; the
 * kernel has no other mark for them.
 */
bool prog_name__is_own(const char *name);

/*
 * Returns true for a program of bprof: one with such a name, or a leader of bprof system. Leaders
 * have the name of perf's own leaders, so their maps tell them apart. Refreshes p->info of a
 * leader.
 */
bool prog__is_own(struct prog *p);

#endif
