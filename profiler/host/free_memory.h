/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How much memory this process may take without harm.
 */
#ifndef BPROF_FREE_MEMORY_H
#define BPROF_FREE_MEMORY_H

#include <linux/types.h>

/*
 * Returns an eighth of what the machine has free, in bytes, or a quarter of what the limits of the process's
 * cgroups leave (cgroup2), whichever is less: others need memory later, and bprof itself does. ~0: not
 * known. proc, cgroup: where these file systems are mounted.
 */
__u64 free_memory(const char *proc, const char *cgroup);

#endif
