// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Gives the parts of a target's runs to other keys (--by). Owns the counts of the parts that were
 * freed. Must not know which parts are worth keeping.
 */
#include <stdlib.h>
#include <string.h>

#include "backend/backend_env.h"
#include "backend/snapshot.h"
#include "base/memory.h"
#include "probe/key_read.h"
#include "probe/probe_parts.h"
#include "probe/probes.h"
#include "target/target.h"

static int find_first(const struct probe *p, int part)
{
	const struct bprof_keys *k = probe__keys(p);
	__u64 value = part ? k->value[part - 1] : 0;

	for (int i = 1; value && i < part; i++)
		if (k->value[i - 1] == value)
			return i;
	return p->set->env->opts.by == BY_COMM ? key_read__first_of_name(k->comm, part) : part;
}

void probe_parts__find_first(const struct probe *p, int *first)
{
	const bool by_retval = p->set->env->opts.by == BY_RETVAL;

	for (int i = 0; i < p->part_cnt; i++)
		first[i] = by_retval ? i : find_first(p, i);
}

void probe__close_parts(const struct target *t, const bool *part)
{
	const struct probe *p = t->priv;
	int first[BPROF_KEY_PARTS];

	probe_parts__find_first(p, first);
	for (int i = 1; i < p->part_cnt; i++)
		if (part[first[i]])
			__atomic_store_n(&probe__keys(p)->value[i - 1], BPROF_KEY_CLOSED,
					 __ATOMIC_RELAXED);
}

/* Frees a part that is closed. Its counts have been read. */
static void free_part(const struct probe *p, int part)
{
	struct bprof_keys *k = probe__keys(p);

	for (int cpu = 0; cpu < p->cpu_limit; cpu++)
		probe__reset_sums(p, probe__part(p, part, cpu));
	memset(k->comm[part], 0, sizeof(k->comm[part]));
	p->freed->reused[part] = true;
	__atomic_store_n(&k->value[part - 1], 0, __ATOMIC_RELEASE);
}

int probe__free_parts(struct target *t, const bool *part)
{
	struct probe *p = t->priv;
	const int cpus = p->set->env->cpus.cnt, cnt = counts__rows(cpus, p->part_cnt);
	struct counts *rows = counts__new(cnt);
	int err = probe__read(t, true, rows, rows + cpus);

	if (!p->freed) {
		p->freed = xcalloc(1, sizeof(*p->freed));
		p->freed->rows = counts__new(cpus);
	}
	for (int i = 1; !err && i < p->part_cnt; i++) {
		if (probe__keys(p)->value[i - 1] != BPROF_KEY_CLOSED)
			continue;
		for (int cpu = 0; cpu < cpus; cpu++)
			counts__move(&p->freed->rows[cpu], &rows[cpus + 1 + i * cpus + cpu]);
		free_part(p, i);
	}
	counts__free(rows, cnt);
	return err;
}

__s64 probe_parts__freed_total(const struct probe *p, int cpu, __u32 slot)
{
	const struct cpus *cpus = &p->set->env->cpus;

	for (int i = 0; p->freed && i < cpus->cnt; i++)
		if (cpus->id[i] == cpu)
			return p->freed->rows[i].event[slot].total;
	return 0;
}

void probe_parts__add_freed(const struct probe *p, int i, bool hists, struct counts *c)
{
	if (!p->freed)
		return;
	if (hists) {
		counts__merge(c, &p->freed->rows[i]);
		return;
	}
	counts__add(c, &p->freed->rows[i], 1);
	counts__widen(c, &p->freed->rows[i]);
}

void probe_parts__close(struct probe *p)
{
	if (p->freed)
		counts__free(p->freed->rows, p->set->env->cpus.cnt);
	free(p->freed);
}
