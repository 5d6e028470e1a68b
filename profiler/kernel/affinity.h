/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The CPUs that this thread may run on.
 */
#ifndef BPROF_AFFINITY_H
#define BPROF_AFFINITY_H

#include "kernel/cpus.h"

struct affinity; /* a saved set */

/* Saves this thread's set. The caller ends it with affinity__restore(). 0 or -errno. */
int affinity__save(struct affinity **out);
/* Lets this thread run where it might when that was saved; frees it. NULL is fine. */
void affinity__restore(struct affinity *a);

/*
 * Binds this thread to one CPU. 0; -EINVAL: it is offline, or the thread's cpuset does not have it;
 * or another -errno.
 */
int affinity__bind(int cpu);
/*
 * Binds this thread to one of several CPUs: to the first one in the saved set or, if none of them is in
 * it, to the first one that the thread's cpuset has. The CPU; -EINVAL: there is none; or another -errno.
 */
int affinity__bind_any(const struct affinity *saved, const struct cpus *cpus);

#endif
