// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The call trees: for each program with several measured functions and for each
 * event, the cost of a call of each function, and how much of that cost is the function's own. Owns
 * the columns; must not know the table of programs.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/table.h"
#include "base/text.h"
#include "base/util.h"
#include "report/report_priv.h"

/*
 * Returns true if a and b are functions of one program that were measured with the same input case.
 */
static bool is_same_tree(const struct report_prog *a, const struct report_prog *b)
{
	return a->id == b->id && text__is_same(a->input, b->input);
}

/*
 * Returns true if the program has other measured functions. The rows of one program are adjacent,
 * callers first.
 */
static bool is_in_tree(const struct report *r, int index)
{
	const struct report_prog *p = &r->prog[index];

	for (int step = -1; step <= 1; step += 2)
		for (int i = index + step;
		     i >= 0 && i < r->prog_cnt && is_same_tree(p, &r->prog[i]); i += step)
			if (!report_prog__is_same_target(p, &r->prog[i]))
				return true;
	return false;
}

/* Returns how often the function was called per run of the entry function. */
static double calls_per_run(const struct report_prog *p)
{
	return p->subprog || p->by_retval ? p->calls_per_run : 1;
}

/* Returns true if at least one tree needs the name of its input case. */
static bool has_inputs(const struct report *r)
{
	for (int i = 0; i < r->prog_cnt; i++)
		if (is_in_tree(r, i) && *text__or_empty(r->prog[i].input))
			return true;
	return false;
}

static bool has_self(const struct report_event *ev)
{
	return report_event__has_value(ev) && !isnan(ev->stat[STAT_SELF]);
}

/* Returns the function's own cost per run of the entry function; NaN if not known. */
static double self_per_run(const struct report_prog *p, int event)
{
	const struct report_event *ev = &p->all.event[event];

	return has_self(ev) ? calls_per_run(p) * ev->stat[STAT_SELF] : NAN;
}

/* Returns the sum of self_per_run() over the functions "first" to "last" - 1. */
static double sum_self(const struct report *r, int first, int last, int event)
{
	double sum = 0;

	for (int i = first; i < last; i++)
		if (event < r->prog[i].all.event_cnt && !isnan(self_per_run(&r->prog[i], event)))
			sum += self_per_run(&r->prog[i], event);
	return sum;
}

static void add_cost(struct table *t, double v, const struct report_event *ev)
{
	table__add_amount(t, "", v, ev->unit, false);
}

/*
 * Adds a function's line for an event. "all" is the cost of one run of the program, summed over all
 * measured functions.
 */
static void add_line(struct table *t, const struct report_prog *p, bool inputs, int event,
		     double all)
{
	const struct report_event *ev = &p->all.event[event];
	double own = self_per_run(p, event);
	char unit[UNIT_SZ], retval[RETURNS_SZ];

	table__add_row(t);
	table__add_cell(t, TABLE_PLAIN, "%u", p->id);
	if (inputs)
		table__add_cell(t, TABLE_PLAIN, "%s", text__or_empty(p->input));
	table__add_cell(t, TABLE_PLAIN, "%s%s", text__or_empty(ev->name),
			report_event__unit_suffix(ev, unit));
	table__add_cell(t, TABLE_PLAIN, "%*s%s%s%s%s", 2 * p->depth, "", text__or_empty(p->func),
			p->by_retval ? " (" : "",
			p->by_retval ? report_prog__returns(p, retval) : "",
			p->by_retval ? ")" : "");
	table__add_number(t, calls_per_run(p), 2, "");
	add_cost(t, has_self(ev) ? ev->stat[STAT_MEAN] : NAN, ev);
	add_cost(t, has_self(ev) ? ev->stat[STAT_SELF] : NAN, ev);
	add_cost(t, own, ev);
	table__add_number(t, all > 0 ? 100 * own / all : NAN, 1, "%");
}

/* Adds the lines of the program whose first row is r->prog[first], event by event. */
static void add_program(struct table *t, const struct report *r, bool inputs, int first)
{
	int last = first;

	while (last < r->prog_cnt && is_same_tree(&r->prog[first], &r->prog[last]))
		last++;
	for (int e = 0; e < r->prog[first].all.event_cnt; e++) {
		double all = sum_self(r, first, last, e);

		for (int i = first; i < last; i++)
			if (e < r->prog[i].all.event_cnt)
				add_line(t, &r->prog[i], inputs, e, all);
	}
}

bool report__has_tree(const struct report *r)
{
	for (int i = 0; i < r->prog_cnt; i++)
		if (is_in_tree(r, i))
			return true;
	return false;
}

int report__make_tree(const struct report *r, const struct render_opts *o, struct report_table *out)
{
	static const struct table_col id = RIGHT_COL("ID"),
				      input = LEFT_COL("CASE", .min_width = 8);
	static const struct table_col cols[] = {
		LEFT_COL("EVENT", .min_width = 12, .row_header = true),
		LEFT_COL("FUNCTION", .min_width = 15, .row_header = true),
		RIGHT_COL("CALLS/RUN"),
		RIGHT_COL("COST/CALL"),
		RIGHT_COL("SELF/CALL", .drop_order = 1),
		RIGHT_COL("SELF/RUN"),
		RIGHT_COL("SELF%", .drop_order = 2),
	};
	bool inputs = has_inputs(r);
	struct table *t;

	if (!report__has_tree(r))
		return 0;
	t = table__new();
	if (!t)
		return -ENOMEM;
	table__add_cols(t, &id, 1);
	if (inputs)
		table__add_cols(t, &input, 1);
	table__add_cols(t, cols, ARRAY_SIZE(cols));
	for (int i = 0; i < r->prog_cnt; i++)
		if (is_in_tree(r, i) && (!i || !is_same_tree(&r->prog[i - 1], &r->prog[i])))
			add_program(t, r, inputs, i);
	snprintf(out->title, sizeof(out->title),
		 "%s cost of a call, and how much of it is the function's own (self)",
		 r->calibrated ? "net" : "raw");
	out->table = t;
	out->header = true;
	return 0;
}
