// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Chooses the keys of --by that lose their part of a target's runs, so that others can have it. Must
 * not know how a probe finds the part of a run.
 */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/util.h"
#include "budget/budget.h"
#include "budget/probe_turns.h"
#include "kernel/rcu.h"
#include "session/session_priv.h"
#include "target/target.h"

/* A key that has not run for this long loses its part. */
#define IDLE_NS (10000 * NSEC_PER_MSEC)
/* A key loses its part if all keys without a part cost more than this many times as much. */
#define MUCH_DEARER 16
/* At most this many of the keys that are not shown lose their parts at once. */
#define MAX_REPLACED 8

struct part_use {
	int part;
	struct row_use use;
};

static struct part_use find_use(const struct session *s, int target, int part,
				const struct snapshot *from, const struct snapshot *to)
{
	struct part_use p = {.part = part};

	for (int cpu = 0; cpu < to->cpu_cnt; cpu++)
		session__add_use(s, target, from, to, snapshot__part_row(to, part, cpu), &p.use);
	return p;
}

static int compare_uses(const void *a, const void *b)
{
	const struct part_use *x = a, *y = b;

	if (x->use.cost != y->use.cost)
		return x->use.cost > y->use.cost ? -1 : 1;
	return x->part - y->part;
}

/*
 * Marks the parts that are better given to other keys. shown: this many keys have rows; 0: all keys
 * have. Returns true if there are any.
 */
static bool choose_parts(const struct session *s, int target, const struct snapshot *from,
			 const struct snapshot *to, int shown, bool *chosen)
{
	struct target *t = &s->targets.v[target];
	struct row_use other = find_use(s, target, 0, from, to).use;
	struct part_use v[BPROF_KEY_PARTS];
	int cnt = 0, found = 0;

	memset(chosen, 0, to->part_cnt * sizeof(*chosen));
	if (!t->part_ran_ns) {
		t->part_ran_ns = xcalloc(to->part_cnt, sizeof(*t->part_ran_ns));
		/*
		 * when the key last ran before "from" is not known: take the latest possible time
		 */
		for (int part = 1; part < to->part_cnt; part++)
			t->part_ran_ns[part] = from->ns;
	}
	for (int part = 1; part < to->part_cnt; part++) {
		struct part_use p = find_use(s, target, part, from, to);

		if (p.use.runs)
			t->part_ran_ns[part] = to->ns;
		if (!snapshot__at(to, target, snapshot__part_row(to, part, 0))->retval)
			continue;
		if (other.runs && to->ns - t->part_ran_ns[part] >= IDLE_NS)
			found += chosen[part] = true;
		else
			v[cnt++] = p;
	}
	qsort(v, cnt, sizeof(*v), compare_uses);
	for (int i = cnt - 1; other.runs && i >= shown && i >= cnt - MAX_REPLACED; i--)
		if (v[i].use.cost < other.cost / MUCH_DEARER ||
		    (shown && other.cost > v[shown - 1].use.cost))
			found += chosen[v[i].part] = true;
	return found;
}

/*
 * Closes the parts that were chosen, and waits until no running probe adds to them. If waiting is not
 * possible, closes none: a part that stays closed has no key.
 */
static int close_chosen(struct session *s, const bool *replaces, const bool *chosen, int parts)
{
	struct rcu rcu;
	int err = rcu__open(&rcu);

	for (int i = 0; !err && i < s->targets.cnt; i++) {
		const struct target *t = &s->targets.v[i];

		if (replaces[i])
			t->backend->ops->close_parts(t, &chosen[i * parts]);
	}
	if (!err) {
		err = rcu__synchronize(&rcu);
		rcu__close(&rcu);
	}
	return err ? log_err(err, "cannot wait for running probes: %s", strerror(-err)) : 0;
}

int session__replace_keys(struct session *s, struct snapshot *const *snaps, int cnt, int shown)
{
	const int parts = backend_env__part_cnt(&s->env);
	struct snapshot **all;
	bool *chosen, *replaces, any = false;
	int err = 0;

	if (!parts || s->env.opts.by == BY_RETVAL || !s->targets.cnt)
		return 0;
	all = xcalloc(cnt + 2, sizeof(*all));
	memcpy(all, snaps, cnt * sizeof(*snaps));
	all[cnt] = s->closed;
	all[cnt + 1] = s->stopped;
	chosen = xcalloc(s->targets.cnt, parts * sizeof(*chosen));
	replaces = xcalloc(s->targets.cnt, sizeof(*replaces));
	for (int i = 0; i < s->targets.cnt; i++) {
		struct target *t = &s->targets.v[i];

		replaces[i] = !t->frozen && t->backend->ops->close_parts &&
			      snapshot__has(snaps[1], i) &&
			      !snapshot__shares(snaps[0], snaps[1], i) &&
			      choose_parts(s, i, snaps[0], snaps[1], shown, &chosen[i * parts]);
		any |= replaces[i];
	}
	if (any)
		err = close_chosen(s, replaces, chosen, parts);
	for (int i = 0; !err && i < s->targets.cnt; i++) {
		struct target *t = &s->targets.v[i];

		if (!replaces[i])
			continue;
		session__forget_reading(s, t);
		snapshots__free_parts(all, cnt + 2, i, &chosen[i * parts]);
		probe_turns__free_parts(budget__turns(s->budget), &s->env, i, &chosen[i * parts]);
		err = t->backend->ops->free_parts(t, &chosen[i * parts]);
		if (err)
			log_err(err, "program %u: cannot read its counts: %s", t->id,
				strerror(-err));
	}
	free(all);
	free(chosen);
	free(replaces);
	return err;
}
