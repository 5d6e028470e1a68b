/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How long CPUs have been idle, from /proc/stat.
 */
#ifndef BPROF_CPU_IDLE_H
#define BPROF_CPU_IDLE_H

#include <linux/types.h>

struct cpu_idle;

/* Opens the file, to be read for CPUs with ids below cpu_limit. Returns 0 or -errno. */
int cpu_idle__open(int cpu_limit, struct cpu_idle **out);
void cpu_idle__close(struct cpu_idle *idle); /* accepts NULL */
/*
 * Sets idle_ns[cpu] to the time for which each CPU has been idle since boot, to within a tick of
 * 10 ms; 0: it is offline. Returns 0 or -errno.
 */
int cpu_idle__read(const struct cpu_idle *idle, __u64 *idle_ns);

#endif
