// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The programs that bench runs: loaded from objects, or already loaded. Owns their selection, and
 * decides which of them belong to the base version. Must not know how they are run.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "bench/bench_object.h"
#include "bench/bench_plan.h"
#include "bench/bench_targets.h"
#include "bench/code_length.h"

static int add_id(__u32 **ids, int *cnt, __u32 id)
{
	__u32 *added = array__add(ids, cnt, sizeof(*added));

	if (!added)
		return log_err(-ENOMEM, "out of memory");
	*added = id;
	return 0;
}

static bool has_id(const __u32 *ids, int cnt, __u32 id)
{
	for (int i = 0; i < cnt; i++)
		if (ids[i] == id)
			return true;
	return false;
}

static int add_base(struct bench_targets *t, __u32 id)
{
	return add_id(&t->base, &t->base_cnt, id);
}

bool bench_targets__is_base(const struct bench_targets *t, __u32 id)
{
	return has_id(t->base, t->base_cnt, id);
}

/*
 * Finds the ids of the programs that --baseline names. This needs a selection of its own, because
 * the list of targets to measure contains the programs of both versions.
 */
static int find_baseline(struct bench_targets *t)
{
	struct target_list base = {};
	int err = target_list__select(&t->plan->loaded[BENCH_BASE], NULL, &base);

	if (!err && base.skip_cnt)
		err = -ENOENT; /* target_list__select() has reported the skipped program */
	for (int i = 0; !err && i < base.cnt; i++)
		err = add_base(t, base.v[i].id);
	target_list__free(&base);
	return err;
}

/*
 * Finds the programs whose code is not of full length. Unlike those of objects, they cannot be
 * loaded again.
 */
static int check_lengths(struct bench_targets *t)
{
	int err = 0;

	for (int i = 0; !err && i < t->list.cnt; i++) {
		const struct prog *p = t->list.v[i].prog;
		struct code_length length;

		if (i && p->info.id == t->list.v[i - 1].id)
			continue; /* another function of the same program */
		err = code_length__read(p->fd, &length);
		if (err)
			return log_err(err, "program %u %s: its code cannot be read: %s",
				       p->info.id, prog__name(p), strerror(-err));
		if (!length.shorter && !length.hidden)
			continue;
		log_info("program %u %s: %s: its counts are not exact", p->info.id, prog__name(p),
			 code_length__explain(&length));
		err = add_id(&t->shorter, &t->shorter_cnt, p->info.id);
	}
	return err;
}

/* Selects the programs of both versions together, those of the base version first. */
static int select_loaded(struct bench_targets *t)
{
	/* copies of the plan's selectors, which still own their members */
	struct selector_list both = {};
	int err = t->plan->loaded[BENCH_BASE].cnt ? find_baseline(t) : 0;

	for (int side = 0; side < BENCH_SIDE_CNT; side++) {
		const struct selector_list *l = &t->plan->loaded[side];

		for (int i = 0; !err && i < l->cnt; i++) {
			struct selector *s = array__add(&both.v, &both.cnt, sizeof(*s));

			if (s)
				*s = l->v[i];
			else
				err = log_err(-ENOMEM, "out of memory");
		}
	}
	err = err ?: target_list__select(&both, t->plan->func, &t->list);
	free(both.v);
	return err ?: (t->plan->setup.exact ? check_lengths(t) : 0);
}

static int load_objects(struct bench_targets *t)
{
	int first = BENCH_SIDE_CNT - t->plan->object_cnt, err = 0;

	for (int i = 0; !err && i < t->plan->object_cnt; i++)
		err = bench_object__load(t->plan->object[i], &t->plan->setup, test_run__has_type,
					 &t->object[first + i]);
	return err;
}

/* Loads the objects and selects their programs by id. */
static int select_objects(struct bench_targets *t)
{
	struct selector_list programs = {};
	int err = load_objects(t);

	for (int side = 0; side < BENCH_SIDE_CNT; side++) {
		const struct bench_object *o = t->object[side];

		for (int i = 0; !err && o && i < o->prog_cnt; i++)
			err = selector_list__add_id(&programs, o->prog[i].id)
				      ?: (side == BENCH_BASE ? add_base(t, o->prog[i].id) : 0);
	}
	err = err ?: target_list__select(&programs, t->plan->func, &t->list);
	selector_list__free(&programs);
	return err;
}

static int defer_free(struct bench_targets *t, struct bench_object *o)
{
	struct bench_object **deferred =
		array__add(&t->deferred, &t->deferred_cnt, sizeof(*deferred));

	if (!deferred)
		return log_err(-ENOMEM, "out of memory");
	*deferred = o;
	return 0;
}

/* Frees the current load. Objects with prog arrays are freed only by bench_targets__close(). */
static int release(struct bench_targets *t)
{
	int err = 0;

	target_list__free(&t->list);
	free(t->base);
	t->base = NULL;
	t->base_cnt = 0;
	free(t->shorter);
	t->shorter = NULL;
	t->shorter_cnt = 0;
	for (int side = 0; side < BENCH_SIDE_CNT; side++) {
		struct bench_object *o = t->object[side];

		t->object[side] = NULL;
		if (o && o->has_prog_array && !err) {
			err = defer_free(t, o);
			o = err ? o : NULL;
		}
		bench_object__free(o);
	}
	return err;
}

void bench_targets__close(struct bench_targets *t)
{
	release(t);
	for (int i = 0; i < t->deferred_cnt; i++)
		bench_object__free(t->deferred[i]);
	free(t->deferred);
	memset(t, 0, sizeof(*t));
}

int bench_targets__open(const struct bench_plan *plan, struct bench_targets *t)
{
	int err = release(t);

	t->plan = plan;
	return err ?: (plan->object_cnt ? select_objects(t) : select_loaded(t));
}

static double known_or_nan(long n)
{
	return n < 0 ? NAN : n;
}

/* The sizes come from the verifier's log, which exists only if bench loaded the program. */
void bench_targets__set_sizes(const struct bench_targets *t, struct bench_prog *p)
{
	p->stack_bytes = p->verified_insns = NAN;
	p->fixed_short = has_id(t->shorter, t->shorter_cnt, p->id);
	p->full_length = !p->fixed_short;
	for (int side = 0; side < BENCH_SIDE_CNT; side++)
		for (int i = 0; t->object[side] && i < t->object[side]->prog_cnt; i++) {
			const struct bench_object_prog *from = &t->object[side]->prog[i];

			if (from->id != p->id)
				continue;
			p->full_length = t->object[side]->full_length;
			p->stack_bytes = known_or_nan(from->stack_depth);
			p->verified_insns = known_or_nan(from->verified_insns);
		}
}
