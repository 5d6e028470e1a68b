// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The programs that bench runs: loaded from objects, or already loaded. Owns the selection of the
 * programs, and decides which programs belong to the base version. Must not know how programs are
 * run.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/util.h"
#include "bench/bench_plan.h"
#include "bench/bench_targets.h"
#include "btf/prog.h"
#include "btf/reason.h"
#include "kernel/kernel_bugs.h"
#include "object/code_length.h"
#include "object/object.h"
#include "report/report.h"
#include "target/kernel_calls.h"

static void add_id(__u32 **ids, int *cnt, __u32 id)
{
	*(__u32 *)array__add(ids, cnt, sizeof(id)) = id;
}

static bool has_id(const __u32 *ids, int cnt, __u32 id)
{
	for (int i = 0; i < cnt; i++)
		if (ids[i] == id)
			return true;
	return false;
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
	struct selector_list selectors =
		t->plan->loaded[BENCH_BASE]; /* a copy, which owns nothing */
	struct target_list base = {};
	int err;

	selectors.any_kind = true;
	err = target_list__select(&selectors, NULL, &base);

	if (!err && base.skip_cnt)
		err = -ENOENT; /* target_list__select() has reported the skipped program */
	for (int i = 0; !err && i < base.cnt; i++)
		add_id(&t->base, &t->base_cnt, base.v[i].id);
	target_list__free(&base);
	return err;
}

/*
 * Finds the loaded programs whose code is not of full length. Unlike programs of objects, they
 * cannot be loaded again.
 */
static int find_short_programs(struct bench_targets *t)
{
	for (int i = 0; i < t->list.cnt; i++) {
		const struct prog *p = t->list.v[i].prog;
		struct code_length length;
		int err;

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
		add_id(&t->shorter, &t->shorter_cnt, p->info.id);
	}
	return 0;
}

static int select_functions(struct bench_targets *t, const struct selector_list *programs)
{
	int err = target_list__select(programs, t->plan->func, &t->list);

	if (!err && t->plan->calls)
		target_list__add_calls(&t->list, t->plan->calls, t->by_site);
	return err;
}

/* Selects the programs of both versions together. The programs of the base version come first. */
static int select_loaded(struct bench_targets *t)
{
	/* copies of the plan's selectors, which still own their members */
	struct selector_list both = {.any_kind = true};
	int err = t->plan->loaded[BENCH_BASE].cnt ? find_baseline(t) : 0;

	for (int side = 0; side < BENCH_SIDE_CNT; side++) {
		const struct selector_list *l = &t->plan->loaded[side];

		for (int i = 0; !err && i < l->cnt; i++)
			*(struct selector *)array__add(&both.v, &both.cnt, sizeof(*l->v)) = l->v[i];
	}
	err = err ?: select_functions(t, &both);
	free(both.v);
	return err ?: (t->plan->setup.exact ? find_short_programs(t) : 0);
}

/*
 * Loads the objects. The first time, also moves the verifier's figures and the skipped programs to
 * t->figures.
 */
static int load_objects(struct bench_targets *t)
{
	int first = BENCH_SIDE_CNT - t->plan->object_cnt, err = 0;

	for (int i = 0; !err && i < t->plan->object_cnt; i++) {
		struct bench_figures *figures = &t->figures[first + i];
		struct bench_setup setup = t->plan->setup;
		struct bench_object *o;

		setup.no_figures = t->loaded;
		setup.skip = figures->skip;
		setup.skip_cnt = figures->skip_cnt;
		err = bench_object__load(t->plan->object[i], &setup, test_run__has_type,
					 &t->object[first + i]);
		if (err || t->loaded)
			continue;
		o = t->object[first + i];
		*figures = (struct bench_figures){o->figure, o->figure_cnt, o->skip, o->skip_cnt};
		o->figure = NULL;
		o->skip = NULL;
		o->figure_cnt = o->skip_cnt = 0;
	}
	t->loaded |= !err;
	return err;
}

/* Loads the objects and selects their programs by id. */
static int select_objects(struct bench_targets *t)
{
	struct selector_list programs = {.any_kind = true};
	int err = load_objects(t);

	for (int side = 0; side < BENCH_SIDE_CNT; side++) {
		const struct bench_object *o = t->object[side];

		for (int i = 0; !err && o && i < o->prog_cnt; i++) {
			selector_list__add_id(&programs, o->prog[i].id);
			if (side == BENCH_BASE)
				add_id(&t->base, &t->base_cnt, o->prog[i].id);
		}
	}
	if (!err && programs.cnt)
		err = select_functions(t, &programs);
	selector_list__free(&programs);
	return err;
}

/* Frees the current load. Objects with prog arrays are freed only by bench_targets__close(). */
static void release(struct bench_targets *t)
{
	target_list__free(&t->list);
	free(t->base);
	t->base = NULL;
	t->base_cnt = 0;
	free(t->shorter);
	t->shorter = NULL;
	t->shorter_cnt = 0;
	for (int side = 0; side < BENCH_SIDE_CNT; side++) {
		struct bench_object *o = t->object[side], **deferred;

		t->object[side] = NULL;
		if (o && o->has_prog_array) {
			deferred = array__add(&t->deferred, &t->deferred_cnt, sizeof(*deferred));
			*deferred = o;
		} else {
			bench_object__free(o);
		}
	}
}

void bench_targets__close(struct bench_targets *t)
{
	release(t);
	for (int i = 0; i < t->deferred_cnt; i++)
		bench_object__free(t->deferred[i]);
	free(t->deferred);
	for (int side = 0; side < BENCH_SIDE_CNT; side++) {
		bench_object_progs__free(t->figures[side].v, t->figures[side].cnt);
		bench_skips__free(t->figures[side].skip, t->figures[side].skip_cnt);
	}
	memset(t, 0, sizeof(*t));
}

/* Skips interpreted programs if running them may crash the kernel. */
static int skip_interpreted(struct bench_targets *t)
{
	struct reason reason;
	char why[512];
	int i = 0, skipped = 0;

	while (i < t->list.cnt)
		if (!prog__is_jited(t->list.v[i].prog) && kernel_bugs__check_interpreted(&reason)) {
			target_list__skip(&t->list, i, &reason);
			skipped++;
		} else {
			i++;
		}
	if (skipped && !t->list.cnt)
		return log_err(-ENODATA, "bench: no program could be run: %s",
			       reason__advise(&reason, why, sizeof(why)));
	target_list__report_skipped(&t->list);
	return 0;
}

int bench_targets__open(const struct bench_plan *plan, bool by_site, struct bench_targets *t)
{
	release(t);
	t->plan = plan;
	t->by_site = by_site;
	return (plan->object_cnt ? select_objects(t) : select_loaded(t)) ?: skip_interpreted(t);
}

/* ---- programs that are not run ---- */

bool bench_targets__has_figures(const struct bench_targets *t)
{
	for (int side = 0; side < BENCH_SIDE_CNT; side++)
		if (t->figures[side].cnt || t->figures[side].skip_cnt)
			return true;
	return false;
}

static bool has_skip(const struct bench_figures *figures, const char *prog)
{
	for (int i = 0; i < figures->skip_cnt; i++)
		if (!strcmp(figures->skip[i].prog, prog))
			return true;
	return false;
}

static bool is_lost(const struct bench_targets *t, int side)
{
	return bench_plan__compares(t->plan) && t->object[side] && !t->object[side]->prog_cnt &&
	       !t->figures[side].cnt && t->figures[side].skip_cnt;
}

bool bench_targets__is_lost(const struct bench_targets *t)
{
	return is_lost(t, BENCH_BASE) || is_lost(t, BENCH_NEW);
}

/* Returns true if the user named the skipped program, and other programs are measured. */
static bool is_missing(const struct bench_targets *t, const struct bench_skip *skip)
{
	return skip->named && t->list.cnt;
}

void bench_targets__report_skipped(const struct bench_targets *t)
{
	for (int side = 0; side < BENCH_SIDE_CNT; side++)
		for (int i = 0; i < t->figures[side].skip_cnt; i++) {
			const struct bench_skip *skip = &t->figures[side].skip[i];

			bool chosen = skip->named || !t->plan->setup.prog_cnt;

			if (!skip->failed && (is_missing(t, skip) || (is_lost(t, side) && chosen)))
				log_err(-EINVAL, "%s: program %s: %s",
					t->plan->object[side - BENCH_SIDE_CNT +
							t->plan->object_cnt],
					skip->prog, skip->why);
		}
}

bool bench_targets__has_failed(const struct bench_targets *t)
{
	const struct bench_figures *base = &t->figures[BENCH_BASE];
	bool compares = bench_plan__compares(t->plan);

	for (int side = 0; side < BENCH_SIDE_CNT; side++)
		for (int i = 0; i < t->figures[side].skip_cnt; i++) {
			const struct bench_skip *skip = &t->figures[side].skip[i];

			if (skip->failed || is_missing(t, skip) ||
			    (compares && side == BENCH_NEW && !has_skip(base, skip->prog)))
				return true;
		}
	return false;
}

static double known_or_nan(long n)
{
	return n < 0 ? NAN : n;
}

static void add_object_figure(struct report *r, const struct bench_object_prog *from)
{
	struct report_prog *p = report__add_prog(r);

	p->id = from->id;
	p->name = xstrdup(from->name);
	p->func = xstrdup(from->name);
	p->type = text__dup(prog_type__name(from->type));
	p->method = "verifier";
	memcpy(p->tag, from->tag, sizeof(p->tag));
	p->size[SIZE_VERIFIED_INSNS] = known_or_nan(from->verified_insns);
	p->size[SIZE_PEAK_STATES] = known_or_nan(from->peak_states);
	p->size[SIZE_STACK] = known_or_nan(from->stack_depth);
	p->size[SIZE_XLATED] = from->xlated_bytes ?: NAN;
	p->size[SIZE_JITED] = from->jited_bytes ?: NAN;
	report_prog__set_verification(p, from->verification, from->verification_cnt);
	report_notes__add(&p->notes, "%s", from->why);
}

void bench_targets__add_figures(const struct bench_targets *t, enum bench_side side,
				struct report *r)
{
	const struct bench_figures *figures = &t->figures[side];

	for (int i = 0; i < figures->cnt; i++)
		add_object_figure(r, &figures->v[i]);
	for (int i = 0; i < figures->skip_cnt; i++)
		report__skip(r, 0, figures->skip[i].prog, "not_loaded", figures->skip[i].why);
}

/* The sizes come from the verifier's log, which exists only if bench loaded the program. */
void bench_targets__set_sizes(const struct bench_targets *t, struct bench_prog *p)
{
	p->stack_bytes = p->verified_insns = p->peak_states = NAN;
	p->reads_known = false;
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
			p->peak_states = known_or_nan(from->peak_states);
			p->verification = from->verification;
			p->verification_cnt = from->verification_cnt;
			p->reads_known = true;
			p->ctx_reads = from->ctx_reads;
		}
}
