// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The table of --per: the cost of each program per run of one program, in the order of a packet's
 * path, and the total. Owns the columns, and the names of rows that are not in the total; must not
 * know which rows these are.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/name_list.h"
#include "base/table.h"
#include "base/text.h"
#include "base/util.h"
#include "render/report_priv.h"
#include "report/report_per.h"

#define RUNS_DIGITS 3

/* Which columns are shown. */
struct path_view {
	struct per_table per;
	bool per_second; /* the costs are per second; else they are per run of the program */
	const struct report *r;
	struct table *table;
	bool hooks, parts, errors;
};

static void add_path_cols(struct path_view *v)
{
	struct table_col key = LEFT_COL("", .row_header = true), cost = RIGHT_COL("");

	cost.header = v->per_second ? "PER SECOND" : "PER RUN";
	if (v->parts)
		report_key__set_col(v->r, &key);

	const struct {
		struct table_col col;
		bool shown;
	} cols[] = {
		{RIGHT_COL("ID"), true},
		{LEFT_COL("NAME", .min_width = 12, .row_header = true), true},
		{LEFT_COL("TYPE", .drop_order = 1), true},
		{LEFT_COL("HOOK", .drop_order = 2), v->hooks},
		{key, v->parts},
		{RIGHT_COL("RUNS"), true},
		{LEFT_COL("EVENT", .min_width = 12, .row_header = true), true},
		{cost, true},
		{RIGHT_COL("", .drop_order = 4, .full_header = "SPREAD"), v->errors},
		{RIGHT_COL("SHARE", .drop_order = 3), true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cols); i++)
		if (cols[i].shown)
			table__add_cols(v->table, &cols[i].col, 1);
}

static void add_word(struct path_view *v, const char *text)
{
	table__add_cell(v->table, TABLE_PLAIN, "%s", text__or_empty(text));
}

/* Adds the cells that name the program. first: this is the program's first line. */
static void add_whose(struct path_view *v, const struct per_row *row, bool first)
{
	char id[ID_SZ], title[TITLE_SZ], returns[RETURNS_SZ];
	int cells = 4 + v->hooks + v->parts;

	for (int i = 0; !first && i < cells; i++)
		table__add_same(v->table);
	if (!first)
		return;
	add_word(v, row ? report_prog__id(row->p, id) : "");
	add_word(v, row ? report_prog__title(row->p, title) : "TOTAL");
	add_word(v, row ? row->p->type : "");
	if (v->hooks)
		add_word(v, row ? row->p->hook ?: "-" : "");
	if (v->parts)
		add_word(v, row && row->p->by_retval ? report_prog__returns(row->p, returns) : "");
	if (row && v->per_second)
		table__add_rate(v->table, "", row->runs);
	else if (row)
		table__add_number(v->table, row->runs, RUNS_DIGITS, "");
	else
		add_word(v, "");
}

static void add_path_cost(struct path_view *v, int event, const struct per_cost *c)
{
	const struct per_total *total = &v->per.event[event];
	char unit[UNIT_SZ], percent[NUMBER_SZ];

	table__add_cell(v->table, TABLE_PLAIN, "%s%s", text__or_empty(total->ev->name),
			report_event__unit_suffix(total->ev, unit));
	table__add_amount(v->table, c->estimated ? "~" : "", c->value, total->ev->unit, false);
	if (v->errors && c->stddev > 0 && c->value > 0)
		table__add_cell(v->table, TABLE_PLAIN, "+- %5s%%",
				number__group(percent, 100 * c->stddev / c->value, 2));
	else if (v->errors)
		add_word(v, "");
}

static void add_path_row(struct path_view *v, const struct per_row *row)
{
	for (int i = 0; i < v->per.event_cnt; i++) {
		const struct per_value *value = &row->value[i];
		double total = v->per.event[i].cost.value;
		bool in = value->left_out == PER_IN_TOTAL && total > 0;

		table__add_row(v->table);
		add_whose(v, row, !i);
		add_path_cost(v, i, &value->cost);
		table__add_number(v->table, in ? 100 * value->cost.value / total : NAN, 1, "%");
	}
}

static void add_path_lines(struct path_view *v)
{
	v->table = table__new();
	for (int i = 0; i < v->per.row_cnt; i++) {
		v->hooks |= v->per.row[i].p->hook != NULL;
		v->parts |= v->per.row[i].p->by_retval;
	}
	for (int i = 0; i < v->per.event_cnt; i++)
		v->errors |= v->per.event[i].cost.stddev > 0;
	add_path_cols(v);
	for (int i = 0; i < v->per.row_cnt; i++)
		add_path_row(v, &v->per.row[i]);
	for (int i = 0; i < v->per.event_cnt; i++) {
		table__add_row(v->table);
		add_whose(v, NULL, !i);
		add_path_cost(v, i, &v->per.event[i].cost);
		add_word(v, "");
	}
}

void report__make_path(const struct report *r, const struct render_opts *o,
		       struct report_table *out)
{
	struct path_view v = {.r = r};
	char runs[NUMBER_SZ];

	if (!r->per)
		return;
	per_table__make(r, &v.per);
	if (v.per.program && v.per.event_cnt) {
		add_path_lines(&v);
		snprintf(out->title, sizeof(out->title), "per run of %.80s (%s%s)", r->per,
			 isnan(v.per.runs) ? "" : number__group(runs, v.per.runs, 0),
			 !isnan(v.per.runs)	       ? " runs"
			 : v.per.program->all.at_least ? "its runs were not all counted"
						       : "it did not run");
		out->table = v.table;
		out->header = true;
	}
	per_table__free(&v.per);
}

bool report__has_ops(const struct report *r)
{
	char map[OPS_MAP_SZ];

	for (int i = 0; i < r->prog_cnt; i++)
		if (report_prog__ops_map(&r->prog[i], map))
			return true;
	return false;
}

bool report__make_ops(const struct report *r, int *at, struct report_table *out)
{
	struct path_view v = {.r = r, .per_second = true};
	char map[OPS_MAP_SZ] = "";

	*out = (struct report_table){};
	if (!per_table__next_ops(r, at, &v.per))
		return false;
	add_path_lines(&v);
	report_prog__ops_map(v.per.program, map);
	snprintf(out->title, sizeof(out->title), "operations of the struct_ops map %s, per second",
		 map);
	out->table = v.table;
	out->header = true;
	per_table__free(&v.per);
	return true;
}

/* ---- costs that are not in the total ---- */

/* Returns true if the row has an event whose cost is left out for this reason. */
static bool is_left_out(const struct per_table *t, int row, enum per_left_out why)
{
	for (int i = 0; i < t->event_cnt; i++)
		if (t->row[row].value[i].left_out == why)
			return true;
	return false;
}

char *report__name_left_out(const struct report *r, const struct per_table *t,
			    enum per_left_out why)
{
	struct name_list names = {};
	char title[TITLE_SZ], id[ID_SZ];

	for (int i = 0; i < t->row_cnt; i++)
		if (is_left_out(t, i, why))
			name_list__add(&names, "%s %s", report_prog__id(t->row[i].p, id),
				       report_prog__part_title(t->row[i].p, title));
	for (int i = 0; why == PER_NOT_MEASURED && t->program && i < r->skip_cnt; i++) {
		if (!r->skip[i].id)
			continue;
		name_list__add(&names, "%u %s", r->skip[i].id, text__or_empty(r->skip[i].name));
		names.more += r->skip[i].more;
	}
	return name_list__finish(&names);
}
