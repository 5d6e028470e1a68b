// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Compares properties of whole programs: return values and sizes. Owns the rule that decides
 * whether two return values differ. Must not know how verdicts are found. Prints nothing.
 */
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "compare/compare.h"
#include "compare/compare_priv.h"

/*
 * Returns the row that has the return value of p's program, which is the row of the program's entry
 * function. NULL if the report has no such row.
 */
static const struct report_prog *find_entry(const struct report *r, const struct report_prog *p)
{
	if (!p || !p->subprog)
		return p;
	for (int i = 0; i < r->prog_cnt; i++)
		if (!r->prog[i].subprog && r->prog[i].id == p->id &&
		    text__is_same(r->prog[i].input, p->input))
			return &r->prog[i];
	return NULL;
}

bool compare_pair__retval_differs(const struct compare_pair *pair, const struct report *base,
				  const struct report *new, struct compare_pair *out)
{
	const struct report_prog *b = find_entry(base, pair->base), *n = find_entry(new, pair->new);

	if (!b || !n || !report_prog__has_retval(b) || !report_prog__has_retval(n))
		return false;
	if (b->by_retval || n->by_retval)
		/* rows of --by retval are paired by return value, so the values are equal */
		return false;
	if (report_prog__returns_alike(b, n))
		return false;
	*out = (struct compare_pair){.base = b, .new = n};
	return true;
}

/*
 * Returns true if the function of the row p of r has a row for a value for which the function of
 * other_p has none in the other report.
 */
static bool has_more_parts(const struct report *r, const struct report_prog *p,
			   const struct report *other, const struct report_prog *other_p)
{
	for (int i = 0, k; i < r->prog_cnt; i++) {
		if (!report_prog__is_same_target(&r->prog[i], p) || r->prog[i].unmeasured)
			continue;
		for (k = 0; k < other->prog_cnt; k++)
			if (report_prog__is_same_target(&other->prog[k], other_p) &&
			    report_prog__is_same_part(&r->prog[i], &other->prog[k]))
				break;
		if (k == other->prog_cnt)
			return true;
	}
	return false;
}

bool compare_pair__rest_differs(const struct compare_pair *pair, const struct report *base,
				const struct report *new)
{
	return pair->base && pair->new &&report_prog__is_rest(pair->base) &&
	       (has_more_parts(base, pair->base, new, pair->new) ||
		has_more_parts(new, pair->new, base, pair->base));
}

static bool is_same_prog(const struct report_prog *a, const struct report_prog *b)
{
	return a && b ? a->id == b->id && text__is_same(a->name, b->name) : a == b;
}

/*
 * Returns true if c->size already has the program. A program that was measured with several input
 * cases has several pairs.
 */
static bool has_size(const struct comparison *c, const struct compare_pair *pair, const char *point)
{
	for (int i = 0; i < c->size_cnt; i++)
		if (text__is_same(c->size[i].point, point) &&
		    is_same_prog(c->size[i].base, pair->base) &&
		    is_same_prog(c->size[i].new, pair->new))
			return true;
	return false;
}

void comparison__find_sizes(struct comparison *c, const struct compare_pairs *pairs,
			    const char *point)
{
	for (int i = 0; i < pairs->cnt; i++) {
		const struct compare_pair *pair = &pairs->v[i];
		struct compare_pair *size;

		if (!(pair->base && pair->new) && (pair->base ?: pair->new)->by_retval)
			/* with --by, not the program but only this value may be new or gone */
			continue;
		if (!(pair->base && report_prog__has_size(pair->base)) &&
		    !(pair->new &&report_prog__has_size(pair->new)))
			continue;
		if (has_size(c, pair, point))
			continue;
		size = array__add(&c->size, &c->size_cnt, sizeof(*size));
		*size = *pair;
		size->point = point;
	}
}
