/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the keys of --by are called: the device of an ifindex, the path of a cgroup, the name of a process.
 */
#ifndef BPROF_KEY_NAMES_H
#define BPROF_KEY_NAMES_H

#include "backend/counter.h"
#include "btf/run_key.h"
#include "report/report.h"

/*
 * Returns what the key is called. comm: the name of the task in which a run with the key was. The caller
 * frees it.
 */
char *key_names__make(enum run_key by, __u64 key, const char *comm);
/*
 * Sets the number and the name of a row's key. c: the counts of a part, not part 0; for BY_CPU, NULL
 * with the CPU's id.
 */
void key_names__set(enum run_key by, const struct counts *c, int cpu, struct report_prog *p);

#endif
