/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The CPUs that a thread may run on: running a function in a thread of its own, which is bound.
 */
#ifndef BPROF_AFFINITY_H
#define BPROF_AFFINITY_H

#include "kernel/cpus.h"

struct affinity; /* the CPUs that a thread may run on */

/*
 * Calls fn in a thread of its own, which fn may bind, and waits for it: the affinity of this thread
 * stays as it is. The new thread has this one's affinity (allowed) and log sink, and all signals
 * blocked. Returns what fn returned, or -errno where the thread cannot be started.
 */
int affinity__run(int (*fn)(const struct affinity *allowed, void *arg), void *arg);

/*
 * Binds this thread to one CPU. Returns 0; -EINVAL: the CPU is offline or not in the thread's
 * cpuset; or another -errno.
 */
int affinity__bind(int cpu);
/*
 * Binds this thread to the first of the CPUs that is allowed or, where none of them is, to the first
 * that the thread's cpuset has. Returns that CPU; -EINVAL: there is none; or another -errno.
 */
int affinity__bind_any(const struct affinity *allowed, const struct cpus *cpus);

#endif
