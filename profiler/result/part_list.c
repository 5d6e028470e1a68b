// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Decides which rows a target has with --by: which keys have rows of their own, and the order of
 * these rows. Must not know what rows show.
 */
#include <stdlib.h>
#include <string.h>

#include "backend/snapshot.h"
#include "base/memory.h"
#include "result/result_counts.h"
#include "session/session.h"

bool result__is_divided(const struct session *s, const struct target *t)
{
	switch (s->env.opts.by) {
	case BY_NOTHING:
		return false;
	case BY_CPU:
		return backend__has(t->backend, BACKEND_PER_CPU);
	case BY_RETVAL:
		return backend__has(t->backend, BACKEND_PROBES) && target__ret_sz(t);
	default:
		return backend__has(t->backend, BACKEND_PROBES);
	}
}

/*
 * Returns true if a part got its key from --by only after "from", and had another key before. The
 * earlier runs with the new key were counted in part 0, so the row of part 0 gets the part's runs,
 * too. If the part got the key while "to" was read, the key in "to" is 0.
 */
static bool is_late(int target, const struct snapshot *from, const struct snapshot *to, int part)
{
	int row = snapshot__part_row(to, part, 0);
	const struct counts *end = snapshot__at(to, target, row);

	return end->reused &&
	       (!end->retval || snapshot__before(from, target, row)->retval != end->retval);
}

/* A part (the runs with one key) or a CPU that may have a row. */
struct candidate {
	int nr;
	struct row_use use;
	__s32 retval;
	bool late; /* struct part_row */
};

static struct part_row *add_part_row(struct part_list *list, int part, int first, int last)
{
	struct part_row *row = array__add(&list->row, &list->cnt, sizeof(*row));

	*row = (struct part_row){.part = part, .first = first, .last = last};
	return row;
}

static bool has_runs(const struct snapshot *to, int target, int part)
{
	for (int i = 0; i < to->cpu_cnt; i++)
		if (snapshot__at(to, target, snapshot__part_row(to, part, i))->measured)
			return true;
	return false;
}

/* Returns true if there are runs whose key is not known, because these runs were not measured. */
static bool has_unknown(const struct snapshot *to, int target)
{
	for (int row = 0; row <= to->cpu_cnt; row++) {
		const struct counts *c = snapshot__at(to, target, row);

		if (counts__runs(c) != c->measured || c->blind_ns)
			return true;
	}
	return false;
}

/* Adds the counts of a row to a candidate. */
static void add_to_candidate(const struct session *s, int target, const struct snapshot *from,
			     const struct snapshot *to, int row, struct candidate *c)
{
	session__add_use(s, target, from, to, row, &c->use);
	c->retval = snapshot__at(to, target, row)->retval;
}

static int compare_costs(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->use.cost != y->use.cost)
		return x->use.cost > y->use.cost ? -1 : 1;
	if (x->use.runs != y->use.runs)
		return x->use.runs > y->use.runs ? -1 : 1;
	return x->nr - y->nr;
}

static int compare_retvals(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return x->retval < y->retval ? -1 : x->retval > y->retval;
}

static int compare_candidate_nrs(const void *a, const void *b)
{
	return ((const struct candidate *)a)->nr - ((const struct candidate *)b)->nr;
}

/* Returns how many of cnt candidates have rows of their own. */
static int count_shown(enum run_key by, bool all, int cnt)
{
	return all || by == BY_RETVAL || cnt < MAX_KEY_ROWS ? cnt : MAX_KEY_ROWS;
}

/*
 * Adds the rows of all candidates, or only of the most expensive ones. Marks the others in
 * list->other.
 */
static void add_chosen_rows(struct part_list *list, enum run_key by, bool all, struct candidate *v,
			    int cnt, int rest)
{
	int shown = count_shown(by, all, cnt);

	qsort(v, cnt, sizeof(*v), compare_costs);
	for (int i = shown; i < cnt; i++)
		list->other[v[i].nr] = true;
	if (by == BY_RETVAL)
		qsort(v, cnt, sizeof(*v), compare_retvals);
	if (by == BY_CPU)
		qsort(v, shown, sizeof(*v), compare_candidate_nrs);
	for (int i = 0; i < shown; i++) {
		if (list->by_cpu)
			add_part_row(list, ALL_PARTS, v[i].nr, v[i].nr);
		else
			add_part_row(list, v[i].nr, 0, rest)->late = v[i].late;
	}
	if (shown < cnt || list->other[0])
		add_part_row(list, OTHER_PARTS, 0, rest);
}

static void list_parts(const struct session *s, int target, const struct snapshot *from,
		       const struct snapshot *to, bool all, bool late, struct part_list *list)
{
	struct candidate *v = xcalloc(to->part_cnt, sizeof(*v)), other = {};
	int cnt = 0;

	list->other = xcalloc(to->part_cnt, sizeof(*list->other));
	for (int part = 0; part < to->part_cnt; part++) {
		int row = snapshot__part_row(to, part, 0);
		bool came_late = part && is_late(target, from, to, part);
		bool own = part && (!came_late || (late && snapshot__at(to, target, row)->retval));
		struct candidate *c = own ? &v[cnt] : &other;

		if (!has_runs(to, target, part))
			continue;
		c->nr = part;
		c->late = came_late;
		for (int cpu = 0; cpu < to->cpu_cnt; cpu++)
			add_to_candidate(s, target, from, to, snapshot__part_row(to, part, cpu), c);
		if (own)
			cnt++;
		else
			list->other[part] = true;
	}
	add_chosen_rows(list, s->env.opts.by, all, v, cnt, to->cpu_cnt);
	/*
	 * Part 0 has the runs of all keys without a part of their own. One of these keys may have
	 * caused the entire cost of part 0.
	 */
	list->cut = s->env.opts.by != BY_RETVAL && list->other[0] && cnt &&
		    other.use.cost > v[count_shown(s->env.opts.by, all, cnt) - 1].use.cost;
	if (list->cnt && has_unknown(to, target))
		add_part_row(list, UNMEASURED_PART, 0, to->cpu_cnt);
	free(v);
}

/* Adds a row for each CPU. The row includes the runs that were lost or not measured on that CPU. */
static void list_cpus(const struct session *s, int target, const struct snapshot *from,
		      const struct snapshot *to, bool all, struct part_list *list)
{
	struct candidate *v = xcalloc(to->cpu_cnt + 1, sizeof(*v));
	const struct counts *no_cpu = snapshot__at(to, target, to->cpu_cnt);
	int cnt = 0;

	list->other = xcalloc(to->cpu_cnt + 1, sizeof(*list->other));
	list->by_cpu = true;
	for (int i = 0; i < to->cpu_cnt; i++) {
		if (!counts__runs(snapshot__at(to, target, i)))
			continue;
		v[cnt] = (struct candidate){.nr = i};
		add_to_candidate(s, target, from, to, i, &v[cnt++]);
	}
	add_chosen_rows(list, BY_CPU, all, v, cnt, to->cpu_cnt - 1);
	if (list->cnt && (counts__runs(no_cpu) || no_cpu->blind_ns))
		add_part_row(list, UNMEASURED_PART, to->cpu_cnt, to->cpu_cnt);
	free(v);
}

void part_list__make(const struct session *s, int target, const struct snapshot *from,
		     const struct snapshot *to, bool all, bool late, struct part_list *list)
{
	const struct target *t = &s->targets.v[target];

	*list = (struct part_list){};
	if (result__is_divided(s, t) && s->env.opts.by == BY_CPU)
		list_cpus(s, target, from, to, all, list);
	else if (result__is_divided(s, t) && to->part_cnt)
		list_parts(s, target, from, to, all, late, list);
	list->divided = list->cnt;
	list->by_cpu &= list->divided;
	if (!list->cnt)
		add_part_row(list, ALL_PARTS, 0, to->cpu_cnt);
}

void part_list__free(struct part_list *list)
{
	free(list->row);
	free(list->other);
	*list = (struct part_list){};
}
