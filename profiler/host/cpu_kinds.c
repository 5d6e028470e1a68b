// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the rule that tells kinds of CPUs apart: on arm64 by the main ID register, on x86 by the
 * CPU's core PMU. Must not know what is measured on them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "host/cpu_kinds.h"

static void describe_kind(const char *root, int cpu, char *buf, size_t sz)
{
	static const char *const pmus[] = {"cpu_core", "cpu_atom", "cpu_lowpower"};
	char path[4096], *midr = NULL;

	snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/cpu%d/regs/identification/midr_el1",
		 root, cpu);
	if (read_file(path, &midr))
		midr = NULL;
	snprintf(buf, sz, "%s", midr ?: "");
	free(midr);
	for (size_t i = 0; i < ARRAY_SIZE(pmus); i++) {
		struct cpus cpus = {};

		snprintf(path, sizeof(path), "%s/sys/devices/%s/cpus", root, pmus[i]);
		if (!cpus__read(path, &cpus) && cpus__has(&cpus, cpu))
			strncat(buf, pmus[i], sz - strlen(buf) - 1);
		cpus__free(&cpus);
	}
}

void cpu_groups__find(const char *root, const struct cpus *cpus, struct cpu_groups *out)
{
	memset(out, 0, sizeof(*out));
	for (int i = 0; i < cpus->cnt; i++) {
		char name[sizeof(out->v->name)];
		struct cpu_group *group = NULL;

		describe_kind(root, cpus->id[i], name, sizeof(name));
		for (int k = 0; !group && k < out->cnt; k++)
			if (!strcmp(out->v[k].name, name))
				group = &out->v[k];
		if (!group) {
			group = array__add(&out->v, &out->cnt, sizeof(*group));
			strcpy(group->name, name);
		}
		*(int *)array__add(&group->cpus.id, &group->cpus.cnt, sizeof(int)) = cpus->id[i];
	}
}

void cpu_groups__free(struct cpu_groups *g)
{
	for (int i = 0; i < g->cnt; i++)
		cpus__free(&g->v[i].cpus);
	free(g->v);
	memset(g, 0, sizeof(*g));
}
