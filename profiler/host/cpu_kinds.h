/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kinds of CPUs of a machine (big.LITTLE, hybrid). The cost of a probe depends on the kind.
 */
#ifndef BPROF_CPU_KINDS_H
#define BPROF_CPU_KINDS_H

#include "base/util.h"
#include "host/cpus.h"

struct cpu_group {
	/*
	 * The property that distinguishes the kind: on arm64 the main ID register, on hybrid x86
	 * machines the name of the core PMU. "" if the machine has neither.
	 */
	char name[160];
	struct cpus cpus; /* the CPUs of this kind, ascending; never empty */
};

struct cpu_groups {
	struct cpu_group *v; /* in the order of their first CPUs */
	int cnt;
};

/*
 * Groups CPUs by their kind. root is a prefix of each path below /sys that is read; it is "" for
 * the real machine. The caller frees *out with cpu_groups__free().
 */
void cpu_groups__find(const char *root, const struct cpus *cpus, struct cpu_groups *out);
void cpu_groups__free(struct cpu_groups *g); /* makes *g empty */

#endif
