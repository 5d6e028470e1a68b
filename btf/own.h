/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which loaded programs are bprof's own. They are never measured: neither by the bprof that loaded
 * them nor by another one.
 */
#ifndef BPROF_OWN_H
#define BPROF_OWN_H

#include <stdbool.h>

struct prog;

/*
 * Returns true for a name of one of bprof's programs or maps. They all begin alike; the kernel has no
 * other mark for them.
 */
bool prog_name__is_own(const char *name);

/*
 * Returns true for a program of bprof: one with such a name, or a leader of bprof system. Leaders have
 * the name that perf gives to its own, so their maps tell them apart. Refreshes p->info of a leader.
 */
bool prog__is_own(struct prog *p);

#endif
