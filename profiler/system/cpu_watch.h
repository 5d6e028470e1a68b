/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds out which CPUs have been offline since a session began. The perf events that count all
 * tasks of a CPU, or of a cgroup on a CPU, stop when the CPU goes offline, and stay stopped when it
 * comes back.
 */
#ifndef BPROF_CPU_WATCH_H
#define BPROF_CPU_WATCH_H

#include <stdbool.h>

#include "host/cpus.h"

/* A perf event on each CPU that counts nothing. It stops like the events that count. */
struct cpu_watch {
	int *fd; /* indexed like the CPUs; -1: it could not be opened */
	int cnt;
};

/*
 * Opens the events. Does nothing if *w is open. Returns 0, even if the kernel refuses some events;
 * -EMFILE, -ENFILE or -ENOMEM.
 */
int cpu_watch__open(struct cpu_watch *w, const struct cpus *cpus);
/*
 * Sets uncounted[CPU] for each of the CPUs that is online, but was offline in the meantime. cpus is
 * the argument of cpu_watch__open(). Before it sets an element, waits some 30 ms for a sign that
 * the CPU counts.
 */
void cpu_watch__check(const struct cpu_watch *w, const struct cpus *cpus, bool *uncounted);
void cpu_watch__close(struct cpu_watch *w); /* *w may be zeroed */

#endif
