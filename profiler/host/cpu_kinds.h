/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kinds of CPUs of a machine (big.LITTLE, hybrid): what a probe costs depends on the kind.
 */
#ifndef BPROF_CPU_KINDS_H
#define BPROF_CPU_KINDS_H

#include "base/util.h"
#include "host/cpus.h"

struct cpu_group {
	/*
	 * What distinguishes the kind: the main ID register on arm64, the name of the core PMU on
	 * hybrid x86 machines, "" where there is neither.
	 */
	char name[160];
	struct cpus cpus; /* the CPUs of this kind, ascending; never empty */
};

struct cpu_groups {
	struct cpu_group *v; /* in the order of their first CPUs */
	int cnt;
};

/*
 * Groups CPUs by their kind. root is put before each path below /sys that is read; it is "" for the
 * real machine. The caller frees *out with cpu_groups__free().
 */
void cpu_groups__find(const char *root, const struct cpus *cpus, struct cpu_groups *out);
void cpu_groups__free(struct cpu_groups *g); /* leaves no group */

#endif
