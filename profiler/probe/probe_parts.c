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

static bool has_runs(const struct counts *c, int cpu_cnt)
{
	for (int i = 0; i < cpu_cnt; i++)
		if (c[i].measured)
			return true;
	return false;
}

void probe_parts__complete_keys(const struct probe *p, struct counts *parts)
{
	const int cpus = p->set->env->cpus.cnt;

	for (int i = 1; i < p->part_cnt; i++) {
		const struct counts *last = &parts[(i + 1) * cpus - 1];

		for (struct counts *c = &parts[i * cpus]; c < last; c++) {
			if (!c->reused)
				c->retval = last->retval;
			if (c->retval == last->retval)
				memcpy(c->comm, last->comm, sizeof(c->comm));
		}
	}
}

void probe_parts__join(struct probe *p, struct counts *parts)
{
	const struct backend_env *env = p->set->env;
	const int cpus = env->cpus.cnt;
	__u8 *row = p->key_row;

	for (int i = 1; env->opts.by != BY_RETVAL && i < p->part_cnt; i++) {
		if (!row[i] && has_runs(&parts[i * cpus], cpus))
			row[i] =
				key_read__find_row(probe__keys(p), env->opts.by == BY_COMM, row, i);
		for (int cpu = 0; row[i] && row[i] != i && cpu < cpus; cpu++)
			counts__move(&parts[row[i] * cpus + cpu], &parts[i * cpus + cpu]);
	}
}

/*
 * Makes room for the counts of freed parts. Also marks the parts without a key as reused: a key
 * that loses its part may later take one of these, which then lacks the key's earlier runs.
 */
static void prepare_to_free(struct probe *p)
{
	if (!p->freed) {
		p->freed = xcalloc(1, sizeof(*p->freed));
		p->freed->rows = counts__new(p->set->env->cpus.cnt);
	}
	for (int i = 1; i < p->part_cnt; i++)
		p->freed->reused[i] |= !probe__keys(p)->value[i - 1];
}

void probe__close_parts(const struct target *t, const bool *part)
{
	struct probe *p = t->priv;

	prepare_to_free(p);
	for (int i = 1; i < p->part_cnt; i++)
		if (part[p->key_row[i] ?: i])
			__atomic_store_n(&probe__keys(p)->value[i - 1], BPROF_KEY_CLOSED,
					 __ATOMIC_RELAXED);
}

/* Frees a part that is closed. Its counts have been read. */
static void free_part(struct probe *p, int part)
{
	struct bprof_keys *k = probe__keys(p);

	for (int cpu = 0; cpu < p->cpu_limit; cpu++)
		probe__reset_sums(p, probe__part(p, part, cpu));
	memset(k->comm[part], 0, sizeof(k->comm[part]));
	p->key_row[part] = 0;
	p->freed->reused[part] = true;
	__atomic_store_n(&k->value[part - 1], 0, __ATOMIC_RELEASE);
}

int probe__free_parts(struct target *t, const bool *part)
{
	struct probe *p = t->priv;
	const int cpus = p->set->env->cpus.cnt, cnt = counts__rows(cpus, p->part_cnt);
	struct counts *rows = counts__new(cnt);
	int err = probe__read(t, true, rows, rows + cpus);

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
