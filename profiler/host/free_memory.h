/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The amount of memory that this process may take without harm.
 */
#ifndef BPROF_FREE_MEMORY_H
#define BPROF_FREE_MEMORY_H

#include <linux/types.h>

/*
 * Returns the smaller of two amounts in bytes: an eighth of the machine's free memory, and a quarter of the
 * memory that the limits of the process's cgroups leave (cgroup2). The rest is for later needs of other
 * processes and of bprof itself. ~0: not known. proc, cgroup: the places where these file systems are
 * mounted.
 */
__u64 free_memory(const char *proc, const char *cgroup);

#endif
