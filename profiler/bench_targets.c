// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The programs that bench runs: loaded for it, or loaded already. Owns how they are selected and which
 * are the base's; must not know how they are run.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_args.h"
#include "bench_object.h"
#include "bench_targets.h"
#include "log.h"
#include "util.h"

/* An object's programs, selected by their ids. */
static int select_object(struct bench_targets *t, enum bench_side side, const char *path)
{
	size_t sz;
	FILE *ids;
	int err = bench_object__load(path, &t->a->setup, test_run__has_type, &t->object[side]);

	if (err)
		return err;
	ids = open_memstream(&t->ids[side], &sz);
	if (!ids)
		return log_err(-ENOMEM, "out of memory");
	for (int i = 0; i < t->object[side]->prog_cnt; i++)
		fprintf(ids, "%s%u", i ? "," : "", t->object[side]->prog[i].id);
	if (fclose(ids))
		return log_err(-ENOMEM, "out of memory");
	return selector_list__add(&t->selectors, SELECT_ID, t->ids[side]);
}

static int add_base(struct bench_targets *t, __u32 id)
{
	__u32 *base = array__add(&t->base, &t->base_cnt, sizeof(*base));

	if (!base)
		return log_err(-ENOMEM, "out of memory");
	*base = id;
	return 0;
}

bool bench_targets__is_base(const struct bench_targets *t, __u32 id)
{
	for (int i = 0; i < t->base_cnt; i++)
		if (t->base[i] == id)
			return true;
	return false;
}

/* Which programs --baseline means is asked first, for all that are measured are selected together. */
static int find_baseline(struct bench_targets *t)
{
	struct target_list base = {};
	int err = target_list__select(&t->a->loaded[BENCH_BASE], NULL, &base);

	if (!err && base.skip_cnt)
		err = -ENOENT; /* which is reported */
	for (int i = 0; !err && i < base.cnt; i++)
		err = add_base(t, base.v[i].id);
	target_list__free(&base);
	return err;
}

static int select_loaded(struct bench_targets *t)
{
	int err = t->a->loaded[BENCH_BASE].cnt ? find_baseline(t) : 0;

	for (int side = 0; side < BENCH_SIDE_CNT; side++) {
		const struct selector_list *l = &t->a->loaded[side];

		for (int i = 0; !err && i < l->cnt; i++)
			err = selector_list__add(&t->selectors, l->v[i].kind, l->v[i].arg);
	}
	return err;
}

static int keep_spare(struct bench_targets *t, struct bench_object *o)
{
	struct bench_object **spare = array__add(&t->spare, &t->spare_cnt, sizeof(*spare));

	if (!spare)
		return log_err(-ENOMEM, "out of memory");
	*spare = o;
	return 0;
}

/* All but what is to be closed at the end. */
static int release(struct bench_targets *t)
{
	int err = 0;

	target_list__free(&t->list);
	selector_list__free(&t->selectors);
	free(t->base);
	t->base = NULL;
	t->base_cnt = 0;
	for (int side = 0; side < BENCH_SIDE_CNT; side++) {
		struct bench_object *o = t->object[side];

		free(t->ids[side]);
		t->ids[side] = NULL;
		t->object[side] = NULL;
		if (o && o->has_prog_array && !err) {
			err = keep_spare(t, o);
			o = err ? o : NULL;
		}
		bench_object__free(o);
	}
	return err;
}

void bench_targets__close(struct bench_targets *t)
{
	release(t);
	for (int i = 0; i < t->spare_cnt; i++)
		bench_object__free(t->spare[i]);
	free(t->spare);
	memset(t, 0, sizeof(*t));
}

int bench_targets__open(const struct bench_args *a, struct bench_targets *t)
{
	int first = BENCH_SIDE_CNT - a->object_cnt, err = release(t);

	t->a = a;
	for (int i = 0; !err && i < t->a->object_cnt; i++)
		err = select_object(t, first + i, t->a->object[i]);
	for (int i = 0; !err && t->object[BENCH_BASE] && i < t->object[BENCH_BASE]->prog_cnt; i++)
		err = add_base(t, t->object[BENCH_BASE]->prog[i].id);
	if (!err && !t->a->object_cnt)
		err = select_loaded(t);
	return err ?: target_list__select(&t->selectors, t->a->func, &t->list);
}

static double known_or_nan(long n)
{
	return n < 0 ? NAN : n;
}

/* The verifier says it as it loads a program, and of a loaded one nobody does. */
void bench_targets__set_sizes(const struct bench_targets *t, struct bench_prog *p)
{
	p->stack_bytes = p->verified_insns = NAN;
	p->usual = true;
	for (int side = 0; side < BENCH_SIDE_CNT; side++)
		for (int i = 0; t->object[side] && i < t->object[side]->prog_cnt; i++) {
			const struct bench_object_prog *from = &t->object[side]->prog[i];

			if (from->id != p->id)
				continue;
			p->usual = t->object[side]->usual;
			p->stack_bytes = known_or_nan(from->stack_depth);
			p->verified_insns = known_or_nan(from->verified_insns);
		}
}
