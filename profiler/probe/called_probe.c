// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Decides which calls of a kernel function belong to which piece of its counts, and makes the
 * targets that are this function share one probe. There is one such target for each caller and map.
 * Each has its own descriptors of the probe's programs, links and map of counts, and reads its own
 * piece (struct bprof_pieces). Must not know how a probe is attached.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "backend/backend_env.h"
#include "base/util.h"
#include "probe/called_probe.h"
#include "probe/probes.h"
#include "target/target.h"

_Static_assert(CALLERS_MAX < BPROF_CALLERS, "struct bprof_pieces has an element for each caller");
_Static_assert(CALL_MAPS_MAX <= BPROF_CALL_KEYS, "a multiplier is found for so many maps");
_Static_assert(sizeof(struct bprof_pieces) <= BPROF_HIST_BUCKETS * sizeof(__u64),
	       "with distributions, struct bprof_pieces takes the place of one");
/*
 * The maximum number of multipliers to try. With BPROF_CALL_KEYS keys, about one multiplier in
 * 25,000 gives each key a slot of its own.
 */
#define MULTIPLIERS 2000000

static bool are_same_func(const struct target *a, const struct target *b)
{
	return called__is_same(&a->called, &b->called);
}

int called_probe__pieces(const struct probes *ps, const struct target *t)
{
	const struct target_list *targets = ps->env->targets;
	int max = t->called.piece;

	for (int i = 0; target__is_called(t) && i < targets->cnt; i++)
		if (are_same_func(&targets->v[i], t) && targets->v[i].called.piece > max)
			max = targets->v[i].called.piece;
	return max ? max + 1 : 0;
}

static int dup_into(int *to, int from)
{
	*to = dup(from);
	return *to < 0 ? -errno : 0;
}

/* Returns an open target that is the same function as t, or NULL. */
static const struct target *find_open(const struct probes *ps, const struct target *t)
{
	const struct target_list *targets = ps->env->targets;

	for (int i = 0; target__is_called(t) && i < targets->cnt; i++) {
		const struct target *other = &targets->v[i];

		if (other != t && are_same_func(other, t) && other->priv)
			return other;
	}
	return NULL;
}

int called_probe__share(const struct probes *ps, const struct target *t, struct probe *p)
{
	const struct target *other = find_open(ps, t);
	struct probe *of = other ? other->priv : NULL;
	int err = 0;

	if (!other)
		return 0;
	for (int i = 0; !err && i < PROBE_SIDE_CNT; i++)
		err = dup_into(&p->prog_fd[i], of->prog_fd[i])
			      ?: dup_into(&p->link_fd[i], of->link_fd[i]);
	mapped_array__share(&p->stats, &of->stats);
	p->shared = true;
	return err ?: 1;
}

void called_probe__copy_doubt(const struct probes *ps, struct target *t)
{
	const struct target *other = find_open(ps, t);

	t->caller_cost_varies = other && other->caller_cost_varies;
}

/* Fills the slots of the calls with known maps. Returns false if two keys have the same slot. */
static bool fill_slots(struct bprof_pieces *pieces, const struct target_list *targets,
		       const struct target *t)
{
	memset(pieces->slot, 0, sizeof(pieces->slot));
	for (int i = 0; i < targets->cnt; i++) {
		const struct called *called = &targets->v[i].called;
		__u64 key = BPROF_CALL_KEY(called->address, called->caller);
		struct bprof_call_slot *slot =
			&pieces->slot[BPROF_CALL_SLOT(key, pieces->multiplier)];

		if (!are_same_func(&targets->v[i], t) || !called->address)
			continue;
		if (slot->key)
			return false;
		*slot = (struct bprof_call_slot){key, called->piece};
	}
	return true;
}

/*
 * Finds a multiplier with which no two keys have the same slot, and fills the slots. Returns 0 or
 * -E2BIG.
 */
static int find_multiplier(struct bprof_pieces *pieces, const struct target_list *targets,
			   const struct target *t)
{
	__u64 v = 1;

	for (int i = 0; i < MULTIPLIERS; i++) {
		/* the next random number */
		v = v * 6364136223846793005ULL + 1442695040888963407ULL;
		pieces->multiplier = v | 1;
		if (fill_slots(pieces, targets, t))
			return 0;
	}
	return -E2BIG;
}

int called_probe__init(const struct probes *ps, const struct target *t)
{
	const struct target_list *targets = ps->env->targets;
	const struct probe *p = t->priv;
	struct bprof_pieces all = {.cpus = p->cpu_limit};
	int err = find_multiplier(&all, targets, t);

	for (int i = 0; i < BPROF_CALLERS; i++)
		all.of[i] = p->pieces;
	/*
	 * The caller_number of a target that calls no function of the kernel is 0. So a call
	 * without a map in its runs has the key 0, like a free slot. Such a call belongs to the
	 * last piece.
	 */
	if (!all.slot[0].key)
		all.slot[0].piece = p->pieces;
	for (int i = 0; i < targets->cnt; i++)
		if (are_same_func(&targets->v[i], t) && !targets->v[i].called.address)
			all.of[targets->v[i].called.caller] = targets->v[i].called.piece;
	/* During calibration, t is not in the list. */
	if (!t->called.address)
		all.of[t->called.caller] = t->called.piece;
	for (int cpu = 0; cpu < p->cpu_limit; cpu++) {
		struct bprof_cpu_stat *base = probe__base(p, cpu);

		base->off = !cpus__has(&ps->env->cpus, cpu);
		*probe__pieces(p, cpu) = all;
	}
	return err;
}
