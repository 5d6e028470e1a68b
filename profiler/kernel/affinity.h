/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * CPU affinity of the calling thread.
 */
#ifndef BPROF_AFFINITY_H
#define BPROF_AFFINITY_H

#include "kernel/cpus.h"

struct affinity; /* a saved set of CPUs */

/*
 * Saves this thread's affinity. The caller ends it with affinity__restore(). Returns 0 or -errno.
 */
int affinity__save(struct affinity **out);
/* Restores the saved affinity and frees it. NULL is fine. */
void affinity__restore(struct affinity *a);

/*
 * Binds this thread to one CPU. Returns 0; -EINVAL: the CPU is offline or not in the thread's
 * cpuset; or another -errno.
 */
int affinity__bind(int cpu);
/*
 * Binds this thread to one of several CPUs: to the first one in the saved affinity or, if that has
 * none of them, to the first one in the thread's cpuset. Returns the CPU; -EINVAL: there is none;
 * or another -errno.
 */
int affinity__bind_any(const struct affinity *saved, const struct cpus *cpus);

#endif
