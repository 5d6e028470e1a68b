// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The call trees: for each program with several measured functions and for each event, the cost of
 * a call of each function, and the part of it that is the function's own. Owns the columns, and the
 * rule that the own costs per run add up to the cost of a run; must not know the table of programs.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/table.h"
#include "base/text.h"
#include "base/util.h"
#include "render/report_priv.h"

/*
 * Returns true if a and b are functions of one program that were measured with the same input case.
 */
static bool has_same_prog_and_input(const struct report_prog *a, const struct report_prog *b)
{
	return a->id == b->id && text__is_same(a->input, b->input);
}

/*
 * Returns true if two rows of the same program are of the same function. They may differ in the
 * value of --by. With --sum, one of them may also have no value, because the runs of some programs
 * in the sum are not divided.
 */
static bool is_same_function(const struct report_prog *a, const struct report_prog *b)
{
	return report_prog__is_same_target(a, b) ||
	       (!a->called && !b->called && a->subprog == b->subprog &&
		text__is_same(a->func, b->func));
}

/*
 * Returns true if the row's program has other measured functions. The rows of one program are
 * adjacent, callers first.
 */
static bool has_others(const struct report *r, int index)
{
	const struct report_prog *p = &r->prog[index];

	for (int step = -1; step <= 1; step += 2)
		for (int i = index + step;
		     i >= 0 && i < r->prog_cnt && has_same_prog_and_input(p, &r->prog[i]);
		     i += step)
			if (!is_same_function(p, &r->prog[i]))
				return true;
	return false;
}

static bool has_self(const struct report_event *ev)
{
	return report_event__has_value(ev) && !isnan(ev->stat[STAT_SELF]);
}

/*
 * If the functions of a tree lack at least this share of the root's cost, the missing cost has a
 * line of its own.
 */
#define REST_MIN 0.001

/*
 * Returns true if the row belongs to a tree: its program has other measured functions, or a part of
 * its cost is that of measured functions of other programs.
 */
static bool is_in_tree(const struct report *r, int index)
{
	const struct report_row *row = &r->prog[index].all;

	for (int i = 0; i < row->event_cnt; i++) {
		const double *stat = row->event[i].stat;

		if (has_self(&row->event[i]) &&
		    stat[STAT_MEAN] - stat[STAT_SELF] > REST_MIN * stat[STAT_MEAN])
			return true;
	}
	return has_others(r, index);
}

/* Returns true if the row belongs to the root of a call tree. The other rows of the tree follow. */
static bool is_root(const struct report_prog *p)
{
	return !p->subprog || !p->depth;
}

/* Returns how often the function was called per run of its root. */
static double calls_per_run(const struct report_prog *p)
{
	if (p->subprog || p->by_retval)
		return p->calls_per_run;
	return p->all.runs ? 1 : NAN;
}

/* Returns true if at least one tree has an input case (bench). */
static bool has_inputs(const struct report *r)
{
	for (int i = 0; i < r->prog_cnt; i++)
		if (is_in_tree(r, i) && *text__or_empty(r->prog[i].input))
			return true;
	return false;
}

/* The root of a call tree and, for one event, the cost of its measured runs. */
struct root {
	__u64 measured;
	double total;
};

/* Finds the root whose rows begin at index first. */
static struct root find_root(const struct report *r, int first, int event)
{
	struct root root = {};

	for (int i = first; i < r->prog_cnt && (i == first || !report__is_first_row(r, i)); i++) {
		const struct report_event *ev;

		if (event >= r->prog[i].all.event_cnt)
			continue;
		ev = &r->prog[i].all.event[event];
		if (!has_self(ev))
			continue;
		root.measured += ev->measured;
		root.total += ev->stat[STAT_MEAN] * ev->measured;
	}
	return root;
}

/*
 * Returns the function's own cost per run of the root; NaN if not known. In a measured run of the
 * root, the probes measure all calls. So divides the cost of all measured calls by the number of
 * measured runs of the root. If no probe measures the root, uses the calls per run.
 */
static double self_per_run(const struct report_prog *p, int event, const struct root *root)
{
	const struct report_event *ev = &p->all.event[event];

	if (!has_self(ev) || (!is_root(p) && isnan(calls_per_run(p))))
		return NAN;
	if (!root->measured)
		return calls_per_run(p) * ev->stat[STAT_SELF];
	return ev->stat[STAT_SELF] * ev->measured / root->measured;
}

static void add_cost_cell(struct table *t, double v, const struct report_event *ev)
{
	table__add_amount(t, "", v, ev->unit, false);
}

static void begin_tree_line(struct table *t, const struct report_prog *p, bool inputs,
			    const struct report_event *ev)
{
	char unit[UNIT_SZ], id[ID_SZ];

	table__add_row(t);
	table__add_cell(t, TABLE_PLAIN, "%s", report_prog__id(p, id));
	if (inputs)
		table__add_cell(t, TABLE_PLAIN, "%s", text__or_empty(p->input));
	table__add_cell(t, TABLE_PLAIN, "%s%s", text__or_empty(ev->name),
			report_event__unit_suffix(ev, unit));
}

/* Adds the last two cells of a line: a cost per run of the root, and its share of the root's cost. */
static void add_own(struct table *t, double own, const struct report_event *ev,
		    const struct root *root)
{
	add_cost_cell(t, own, ev);
	table__add_number(t, root->total > 0 ? 100 * own * root->measured / root->total : NAN, 1,
			  "%");
}

/* Adds a function's line for an event to the table, and the function's own cost to *sum. */
static void add_tree_line(struct table *t, const struct report_prog *p, bool inputs, int event,
			  const struct root *root, double *sum)
{
	const struct report_event *ev = &p->all.event[event];
	double own = self_per_run(p, event, root);
	/*
	 * The entry functions in a sum may have different names: then the row has no name of a
	 * function.
	 */
	const char *func = p->programs && !p->subprog ? p->name : p->func;
	char retval[RETURNS_SZ];

	begin_tree_line(t, p, inputs, ev);
	table__add_cell(t, TABLE_PLAIN, "%*s%s%s%s%s", 2 * p->depth, "",
			p->called ? report_prog__called_name(p) : text__or_empty(func),
			p->by_retval ? " (" : "",
			p->by_retval ? report_prog__returns(p, retval) : "",
			p->by_retval ? ")" : "");
	table__add_number(t, calls_per_run(p), 2, "");
	add_cost_cell(t, has_self(ev) ? ev->stat[STAT_MEAN] : NAN, ev);
	add_cost_cell(t, has_self(ev) ? ev->stat[STAT_SELF] : NAN, ev);
	add_own(t, own, ev, root);
	*sum += isnan(own) ? 0 : own;
}

/*
 * Adds a line "(other functions)" for the rest of the root's cost: measured functions whose calls per run are
 * not known, or that have another root, such as functions of tail-called programs and extensions.
 */
static void add_rest(struct table *t, const struct report_prog *p, bool inputs, int event,
		     const struct root *root, double sum)
{
	const struct report_event *ev = &p->all.event[event];
	double rest = root->measured ? root->total / root->measured - sum : 0;

	if (!(root->total > 0) || rest * root->measured < REST_MIN * root->total)
		return;
	begin_tree_line(t, p, inputs, ev);
	table__add_cell(t, TABLE_PLAIN, "  (other functions)");
	table__add_number(t, NAN, 2, "");
	add_cost_cell(t, NAN, ev);
	add_cost_cell(t, NAN, ev);
	add_own(t, rest, ev, root);
}

/*
 * Adds the lines of a tree for an event. The rows of the tree begin at index first. Returns the
 * index at which they end.
 */
static int add_tree(struct table *t, const struct report *r, bool inputs, int first, int last,
		    int event)
{
	struct root root = find_root(r, first, event);
	double sum = 0;
	int i = first;

	for (; i < last && (i == first || !is_root(&r->prog[i]) || !report__is_first_row(r, i));
	     i++)
		if (event < r->prog[i].all.event_cnt && !r->prog[i].unmeasured)
			add_tree_line(t, &r->prog[i], inputs, event, &root, &sum);
	if (event < r->prog[first].all.event_cnt)
		add_rest(t, &r->prog[first], inputs, event, &root, sum);
	return i;
}

/* Adds the lines of the program whose first row is r->prog[first], event by event. */
static void add_program(struct table *t, const struct report *r, bool inputs, int first)
{
	int last = first;

	while (last < r->prog_cnt && has_same_prog_and_input(&r->prog[first], &r->prog[last]))
		last++;
	for (int e = 0; e < r->prog[first].all.event_cnt; e++)
		for (int i = first; i < last;)
			i = add_tree(t, r, inputs, i, last, e);
}

bool report__has_tree(const struct report *r)
{
	for (int i = 0; i < r->prog_cnt; i++)
		if (has_others(r, i))
			return true;
	return false;
}

void report__make_tree(const struct report *r, const struct render_opts *o,
		       struct report_table *out)
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
		return;
	t = table__new();
	table__add_cols(t, &id, 1);
	if (inputs)
		table__add_cols(t, &input, 1);
	table__add_cols(t, cols, ARRAY_SIZE(cols));
	for (int i = 0; i < r->prog_cnt; i++)
		if (is_in_tree(r, i) &&
		    (!i || !has_same_prog_and_input(&r->prog[i - 1], &r->prog[i])))
			add_program(t, r, inputs, i);
	snprintf(out->title, sizeof(out->title),
		 "%s cost of a call, and how much of it is the function's own (self)",
		 r->calibrated ? "net" : "raw");
	out->table = t;
	out->header = true;
}
