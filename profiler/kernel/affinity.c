// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * CPU affinity of the calling thread. Owns the size of the kernel's CPU sets; must not know why a
 * thread is bound.
 *
 * The kernel refuses a set that is smaller than its own (kernel/sched/syscalls.c: EINVAL of
 * sched_getaffinity()), and glibc's cpu_set_t has room for only 1024 CPUs: sets here are allocated
 * as large as the kernel requires.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#include "kernel/affinity.h"
#include "base/util.h"

/* Above every NR_CPUS that a kernel is built with. */
#define MAX_CPUS (1 << 16)

struct affinity {
	cpu_set_t *set;
	size_t sz;
};

static void free_affinity(struct affinity *a)
{
	CPU_FREE(a->set);
	free(a);
}

int affinity__save(struct affinity **out)
{
	struct affinity *a = calloc(1, sizeof(*a));
	int err = a ? -EINVAL : -ENOMEM;

	*out = NULL;
	for (int cnt = CPU_SETSIZE; err == -EINVAL && cnt <= MAX_CPUS; cnt *= 2) {
		CPU_FREE(a->set);
		a->set = CPU_ALLOC(cnt);
		a->sz = CPU_ALLOC_SIZE(cnt);
		err = !a->set ? -ENOMEM : sched_getaffinity(0, a->sz, a->set) ? -errno : 0;
	}
	if (!err)
		*out = a;
	else if (a)
		free_affinity(a);
	return err;
}

void affinity__restore(struct affinity *a)
{
	if (!a)
		return;
	sched_setaffinity(0, a->sz, a->set);
	free_affinity(a);
}

int affinity__bind(int cpu)
{
	size_t sz = CPU_ALLOC_SIZE(cpu + 1);
	cpu_set_t *set = CPU_ALLOC(cpu + 1);
	int err;

	if (!set)
		return -ENOMEM;
	CPU_ZERO_S(sz, set);
	CPU_SET_S(cpu, sz, set);
	err = sched_setaffinity(0, sz, set) ? -errno : 0;
	CPU_FREE(set);
	return err;
}

static bool has_cpu(const struct affinity *a, int cpu)
{
	return CPU_ISSET_S(cpu, a->sz, a->set);
}

/* Binds to the first of the CPUs that is in the saved affinity, or that is not in it. */
static int bind_first(const struct affinity *saved, const struct cpus *cpus, bool in_set)
{
	int err = -EINVAL;

	for (int i = 0; err == -EINVAL && i < cpus->cnt; i++) {
		if (has_cpu(saved, cpus->id[i]) != in_set)
			continue;
		err = affinity__bind(cpus->id[i]);
		if (!err)
			return cpus->id[i];
	}
	return err;
}

int affinity__bind_any(const struct affinity *saved, const struct cpus *cpus)
{
	int cpu = bind_first(saved, cpus, true);

	return cpu == -EINVAL ? bind_first(saved, cpus, false) : cpu;
}
