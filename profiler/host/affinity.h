/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The CPUs on which a thread may run. Runs functions in a thread of their own, which can be bound.
 */
#ifndef BPROF_AFFINITY_H
#define BPROF_AFFINITY_H

#include "host/cpus.h"

struct affinity; /* the CPUs on which a thread may run */

/*
 * Calls fn in a new thread and waits for the thread's end. fn may bind the new thread; the affinity
 * of the calling thread does not change. The new thread has the caller's affinity ("allowed") and
 * log sink, and blocks all signals. Returns the result of fn, or -errno if the thread cannot be
 * started.
 */
int affinity__run(int (*fn)(const struct affinity *allowed, void *arg), void *arg);

/* Binds this thread to a CPU. Returns 0 or -errno (-EINVAL: offline or not in the cpuset). */
int affinity__bind(int cpu);
/*
 * Binds this thread to the first CPU of cpus that is in "allowed". If no CPU is in both, binds the
 * thread to the first CPU of cpus that is in the thread's cpuset. Returns the CPU; -EINVAL: there
 * is no such CPU either; or another -errno.
 */
int affinity__bind_any(const struct affinity *allowed, const struct cpus *cpus);

#endif
