/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How long CPUs have been idle, from /proc/stat.
 */
#ifndef BPROF_CPU_IDLE_H
#define BPROF_CPU_IDLE_H

#include <linux/types.h>

struct cpu_idle;

/* Keeps the file open. Returns 0 or -errno. */
int cpu_idle__open(struct cpu_idle **out);
void cpu_idle__close(struct cpu_idle *idle); /* accepts NULL */
/*
 * Sets idle_ns[cpu] to the time for which each CPU with an id below cpu_limit has been idle since
 * boot, to within a tick of 10 ms; 0: it is offline, or the time is not known. Returns 0 or -errno.
 */
int cpu_idle__read(const struct cpu_idle *idle, __u64 *idle_ns, int cpu_limit);

#endif
