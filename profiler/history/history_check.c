// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Judges the newest commit. Owns the choice of the commits that are compared, and the test. Must not
 * know how verdicts follow from the test, or what the output looks like.
 *
 * The test is Student's t-test, as in Hunter. Each commit counts as one value: its blocks are not
 * independent, because a disturbance of a measurement affects all blocks of its report.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/stats.h"
#include "base/text.h"
#include "base/util.h"
#include "btf/reason.h"
#include "history/history_check.h"

/* Adding a commit may shift a known change by up to this many commits. */
#define SAME_CHANGE 5

static const struct stats_interval unknown = {NAN, NAN, NAN};

struct check {
	const struct history_all *all;
	struct comparison *c;
	int newest; /* the position of the newest commit */
};

/* ---- values ---- */

static double mean_of_points(const struct history_series *s, int from, int to)
{
	double sum = 0;

	for (int i = from; i < to; i++)
		sum += s->v[i].value;
	return sum / (to - from);
}

/* What the check compares: the points from "from" to "at" - 1 with the points from "at" to "to" - 1. */
struct parts {
	int from, at, to;
};

/*
 * Compares the parts. To know better how much commits vary, also uses the variance within the
 * earlier segments, between "changes".
 */
static void test_parts(const struct history_series *s, const struct changes *changes,
		       const struct parts *p, struct students_t *out)
{
	struct stats_variance before = {};
	double *v = xcalloc(p->to, sizeof(*v));

	for (int i = 0; i < p->to; i++)
		v[i] = s->v[i].value;
	for (int end = p->from, begin; end > 0; end = begin) {
		begin = history_series__segment(s, changes, end - 1);
		stats_variance__add(&before, v + begin, end - begin);
	}
	stats__students_t(v + p->from, p->at - p->from, v + p->at, p->to - p->at, &before, out);
	free(v);
}

/* ---- the commits that are compared ---- */

static bool is_known_change(const struct changes *before, int at)
{
	for (int i = 0; i < before->cnt; i++)
		if (abs(before->v[i].at - at) <= SAME_CHANGE)
			return true;
	return false;
}

/*
 * Returns true if the check after point "at" reported this point as different from the points from
 * "from" to "at" - 1. "rows" is the largest number of rows for which Holm's method corrected.
 */
static bool was_reported(const struct history_series *s, const struct changes *before, int from,
			 int at, int rows)
{
	const struct parts p = {from, at, at + 1};
	struct students_t t;

	if (at <= from)
		return false;
	test_parts(s, before, &p, &t);
	return t.p * rows < basis_specs[BASIS_COMMITS].alpha;
}

/*
 * Searches for an earlier point at which a check reported a change that is not yet one of "before".
 * If the newest point is nearer to the points since this change than to those before it, returns
 * the index of the change. Otherwise returns "from".
 */
static int find_reported(const struct history_series *s, const struct changes *before, int from,
			 int rows)
{
	int newest = s->cnt - 1;

	for (int at = newest > SAME_CHANGE ? newest - SAME_CHANGE : 0; at < newest; at++) {
		double v = s->v[newest].value;

		if (was_reported(s, before, from, at, rows) &&
		    fabs(v - mean_of_points(s, at, newest)) < fabs(v - mean_of_points(s, from, at)))
			return at;
	}
	return from;
}

/* Finds the parts to compare for a series that is not exact. */
static void find_parts(const struct history_series *s, const struct changes *before, int rows,
		       struct parts *p)
{
	int last = s->changes.cnt ? s->changes.v[s->changes.cnt - 1].at : 0;
	int from = history_series__segment(s, before, s->cnt - 2);

	*p = (struct parts){find_reported(s, before, from, rows), s->cnt - 1, s->cnt};
	/* The newest point made this change certain: compare the points before and after it. */
	if (last > from && !is_known_change(before, last) && p->from == from)
		*p = (struct parts){history_series__segment(s, &s->changes, last - 1), last,
				    s->cnt};
}

/* ---- rows ---- */

static bool is_rough(const struct history_series *s, const struct report_event *ev)
{
	return s->stat != COMPARE_SIZE && report_event__is_rough(ev, s->stat);
}

static void fill_row(const struct check *ck, struct compare_row *row,
		     const struct history_series *s)
{
	const struct history_point *new = &s->v[s->cnt - 1], *old;
	const struct compare_pair pair = {s->cnt > 1 ? s->v[s->cnt - 2].prog : NULL, new->prog};
	struct changes before;
	struct students_t t;
	struct parts p;

	row->new_value = new->value;
	if (s->cnt == 1)
		return;
	old = &s->v[s->cnt - 2];
	row->base = old->prog;
	row->base_value = old->value;
	row->rough |= is_rough(s, old->ev);
	row->refused = new->other_retval &&compare_pair__retval_differs(
		&pair, old->entry->report, new->entry->report, &row->returned);
	if (new->other_retval && !row->refused)
		row->doubt = DOUBT_REST;
	if (new->other_retval)
		return;
	if (s->exact) {
		row->base_blocks = row->new_blocks = 1;
		compare_row__set_total(row);
		return;
	}
	history_series__find_changes(s, s->cnt - 1, &before);
	find_parts(s, &before, ck->all->cnt, &p);
	row->commit = s->v[p.at].entry->commit;
	row->base_blocks = p.at - p.from;
	row->new_blocks = p.to - p.at;
	row->base_value = mean_of_points(s, p.from, p.at);
	row->new_value = mean_of_points(s, p.at, p.to);
	test_parts(s, &before, &p, &t);
	free(before.v);
	row->p = row->adjusted_p = t.p;
	row->change = row->shift = t.shift;
	row->share = compare__shares(&t.shift, row->base_value);
}

static struct compare_row *add_row(struct check *ck, const struct history_series *s)
{
	struct compare_row *row = array__add(&ck->c->row, &ck->c->row_cnt, sizeof(*row));

	*row = (struct compare_row){
		.event = s->ev->name,
		.unit = s->ev->unit ?: "",
		.stat = s->stat,
		.exact = s->exact,
		.change = unknown,
		.share = unknown,
		.shift = unknown,
		.base_value = NAN,
		.new_value = NAN,
		.p = NAN,
		.adjusted_p = NAN,
		.list = ck->all->limits,
		.limits = s->limits,
		.order = ck->c->row_cnt - 1,
		.rough = is_rough(s, s->ev),
		.commit = ck->all->h->v[ck->all->h->cnt - 1].commit,
		.environment = s->env->label,
	};
	return row;
}

/* Sets the newest value, which is doubtful. */
static void set_left_out(struct compare_row *row, const struct history_series *s)
{
	row->new = s->left_out.prog;
	row->new_value = s->left_out.value;
	row->doubt = s->left_out.doubt;
}

static void add_checked_row(struct check *ck, const struct history_series *s)
{
	const struct history_point *last = &s->v[s->cnt - 1];
	struct compare_row *row = add_row(ck, s);

	if (last->entry->position == ck->newest) {
		row->new = last->prog;
		fill_row(ck, row, s);
		return;
	}
	row->base = last->prog;
	row->base_value = last->value;
	if (s->left_out.position == ck->newest)
		set_left_out(row, s);
}

/* Returns true if the newest value is the first one, is doubtful, and was not measured again. */
static bool is_doubted_now(const struct check *ck, const struct history_series *s)
{
	for (int i = 0; i < ck->all->cnt; i++)
		if (history_series__is_same(&ck->all->v[i], s))
			return false;
	return s->left_out.position == ck->newest;
}

/*
 * Returns true if the series has a point of the newest commit, or should have one, because it has a
 * point of the commit before it.
 */
static bool is_current(const struct check *ck, const struct history_series *s)
{
	int last = s->v[s->cnt - 1].entry->position;

	if (s->left_out.position > last)
		last = s->left_out.position;
	return s->env->last == ck->newest && (last == ck->newest || last == s->env->before);
}

/* Refuses a limit that applies to nothing in the history. */
static int refuse_limit(const struct check *ck, const struct compare_limit *l,
			struct reason *reason)
{
	struct limit_search search;
	char why[256];

	limit_search__init(&search, l);
	for (int i = 0; i < ck->all->h->cnt; i++)
		limit_search__look_at_report(&search, ck->all->h->v[i].report);
	return reason__fail(reason, EINVAL, "--fail-on %s: %s", l->spec,
			    limit_search__explain(&search, why, sizeof(why)));
}

static int check_limits(const struct check *ck, struct reason *reason)
{
	const struct compare_limits *limits = ck->all->limits;

	for (int i = 0; i < limits->cnt; i++)
		if (!ck->all->used[i] && !limits->v[i].exact && !limits->v[i].typical)
			return refuse_limit(ck, &limits->v[i], reason);
	for (int k = 0; k < ck->all->cnt; k++) {
		const struct history_series *s = &ck->all->v[k];

		for (int i = 0; i < limits->cnt; i++)
			if (s->limits & (1ULL << i) && limits->v[i].unit &&
			    !text__is_same(s->ev->unit, limits->v[i].unit))
				return reason__fail(
					reason, EINVAL, "--fail-on %s: %s is not counted in %s",
					limits->v[i].spec, s->ev->name, limits->v[i].unit);
	}
	return 0;
}

/*
 * Returns true if the series has too few commits for a test, and the user did not name its
 * statistic. Until there are enough commits, only the minimum of the exact event is compared.
 */
static bool has_too_few_commits(const struct check *ck, const struct history_series *s)
{
	bool typical = true;

	for (int i = 0; i < ck->all->limits->cnt; i++)
		if (s->limits & (1ULL << i))
			typical &= ck->all->limits->v[i].typical;
	return typical && s->ev->exact && !s->exact && s->cnt < 3;
}

static int fill_comparison(struct check *ck, struct reason *reason)
{
	int err = check_limits(ck, reason);

	ck->c->basis = BASIS_COMMITS;
	ck->c->ambiguous = ck->all->ambiguous;
	for (int i = 0; !err && i < ck->all->cnt; i++) {
		const struct history_series *s = &ck->all->v[i];

		if (!is_current(ck, s))
			continue;
		if (has_too_few_commits(ck, s))
			ck->c->untested++;
		else
			add_checked_row(ck, s);
	}
	for (int i = 0; !err && i < ck->all->doubted_cnt; i++) {
		const struct history_series *s = &ck->all->doubted[i];

		if (!is_doubted_now(ck, s))
			continue;
		if (has_too_few_commits(ck, s))
			ck->c->untested++;
		else
			set_left_out(add_row(ck, s), s);
	}
	if (!err && !ck->c->row_cnt)
		return reason__fail(reason, ENODATA,
				    "the newest commit has no value of a chosen program and event");
	if (!err)
		comparison__judge(ck->c);
	return err;
}

int history__check(const struct history_all *all, struct comparison **out, struct reason *reason)
{
	struct check ck = {
		.all = all,
		.c = xcalloc(1, sizeof(*ck.c)),
		.newest = all->h->cnt ? all->h->v[all->h->cnt - 1].position : -1,
	};
	int err = fill_comparison(&ck, reason);

	*out = err ? NULL : ck.c;
	if (err)
		comparison__free(ck.c);
	return err;
}
