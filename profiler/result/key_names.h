/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The names of the keys of --by: the device of an ifindex, the path of a cgroup, the name of a
 * process.
 */
#ifndef BPROF_KEY_NAMES_H
#define BPROF_KEY_NAMES_H

#include "backend/counter.h"
#include "btf/run_key.h"
#include "report/report.h"

/*
 * Returns the name of the key. comm: the name of the task of a run with that key. The caller frees
 * the result.
 */
char *key_names__make(enum run_key by, __u64 key, const char *comm);
/* Returns the key of a device, as probes make it. net: the number of its network namespace; 0: bprof's own. */
__u64 key_names__device_key(__u32 ifindex, __u32 net);

/*
 * Sets the number and the name of a row's key. c: the counts of a part that has a single key (part
 * 0 has several). For BY_CPU, c is NULL and cpu is the CPU's id.
 */
void key_names__set(enum run_key by, const struct counts *c, int cpu, struct report_prog *p);

#endif
