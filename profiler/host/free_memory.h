/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How much memory this process may still use.
 */
#ifndef BPROF_FREE_MEMORY_H
#define BPROF_FREE_MEMORY_H

#include <linux/types.h>

/*
 * Returns the available memory in bytes: that of the machine, or what the limits of the process's cgroups
 * leave (cgroup2), whichever is less. ~0: not known. proc, cgroup: where these file systems are mounted.
 */
__u64 free_memory(const char *proc, const char *cgroup);

#endif
