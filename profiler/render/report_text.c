// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The report as text for people: a summary line, the table of programs, then the parts in
 * report_scope.c, report_path_table.c, report_verify_table.c, report_tree.c, report_dist.c,
 * report_hist.c, report_samples.c, report_size.c and report_notes.c. Owns the columns of the table
 * of programs; must not know where the numbers come from.
 *
 * Each program has a line for each of its events; only the first of these lines names the program.
 * With -A, the lines of the program's CPUs follow.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "base/table.h"
#include "base/text.h"
#include "base/util.h"
#include "render/render.h"
#include "render/report_priv.h"

/* The table of programs, and which columns it needs. */
struct view {
	const struct report *r;
	const struct render_opts *o;
	struct table *table;
	struct event_columns events;
	bool returned;	/* at least one program has a known return value */
	bool by_retval; /* at least one program has a row for each return value */
	bool lost;	/* at least one row has lost runs */
	bool thinned;	/* at least one row has runs that --sample left out */
};

typedef void (*row_fn)(struct view *v, const struct report_prog *p, const struct report_row *row);

static void for_each_row(struct view *v, row_fn fn)
{
	for (int i = 0; i < v->r->prog_cnt; i++) {
		const struct report_prog *p = &v->r->prog[i];

		fn(v, p, &p->all);
		for (int j = 0; v->o->per_cpu && j < p->cpu_cnt; j++)
			fn(v, p, &p->cpu[j]);
	}
}

static void note_row(struct view *v, const struct report_prog *p, const struct report_row *row)
{
	v->returned |= report_prog__has_retval(p);
	v->by_retval |= p->by_retval;
	v->lost |= report_row__lost(row);
	v->thinned |= row->thinned_out || row->unprobed || row->at_least;
	event_columns__note(&v->events, row);
}

/* ---- cells ---- */

static void add_id_cell(struct view *v, const struct report_prog *p, const struct report_row *row)
{
	char id[ID_SZ];

	if (row->cpu < 0)
		table__add_cell(v->table, TABLE_PLAIN, "%s", report_prog__id(p, id));
	else
		table__add_cell(v->table, TABLE_PLAIN, "%s", "");
}

/* For a sum, adds the number of its programs. */
static void add_program_count(struct view *v, const struct report_prog *p,
			      const struct report_row *row)
{
	if (row->cpu < 0)
		table__add_count(v->table, p->programs, TABLE_PLAIN);
	else
		table__add_cell(v->table, TABLE_PLAIN, "%s", "");
}

static void add_name_cells(struct view *v, const struct report_prog *p,
			   const struct report_row *row)
{
	char title[TITLE_SZ];

	if (row->cpu < 0)
		table__add_cell(v->table, TABLE_PLAIN, "%s", report_prog__title(p, title));
	else
		table__add_cell(v->table, TABLE_PLAIN, "  cpu %d", row->cpu);
}

static void add_type_cell(struct view *v, const struct report_prog *p, const struct report_row *row)
{
	table__add_cell(v->table, TABLE_PLAIN, "%s", row->cpu < 0 ? p->type ?: "-" : "");
}

static void add_method_cell(struct view *v, const struct report_prog *p,
			    const struct report_row *row)
{
	table__add_cell(v->table, TABLE_PLAIN, "%s", row->cpu < 0 ? p->method ?: "-" : "");
}

static void add_retval_cell(struct view *v, const struct report_prog *p,
			    const struct report_row *row)
{
	char buf[RETURNS_SZ];
	const char *retval = report_prog__returns(p, buf);

	if (row->cpu >= 0)
		table__add_cell(v->table, TABLE_PLAIN, "%s", "");
	else if (retval)
		table__add_cell(v->table, TABLE_PLAIN, "%s", retval);
	else
		table__add_cell(v->table, TABLE_DIM, "-");
}

static void add_runs_cell(struct view *v, const struct report_prog *p, const struct report_row *row)
{
	if (row->at_least)
		table__add_cell(v->table, TABLE_PLAIN, "-");
	else
		table__add_count(v->table, row->runs, TABLE_PLAIN);
}

static void add_rate_cell(struct view *v, const struct report_prog *p, const struct report_row *row)
{
	table__add_rate(v->table, "", report_row__runs_per_s(v->r, row));
}

static void add_cpu_share_cell(struct view *v, const struct report_prog *p,
			       const struct report_row *row)
{
	table__add_rate(v->table, row->share_estimated ? "~" : "", 100 * row->cpu_share);
}

static void add_measured_cell(struct view *v, const struct report_prog *p,
			      const struct report_row *row)
{
	table__add_count(v->table, row->measured, TABLE_PLAIN);
}

static void add_lost_cell(struct view *v, const struct report_prog *p, const struct report_row *row)
{
	table__add_count(v->table, report_row__lost(row), TABLE_RED);
}

static bool is_sum(const struct view *v)
{
	return v->r->sum;
}

static bool is_no_sum(const struct view *v)
{
	return !v->r->sum;
}

static bool has_retval(const struct view *v)
{
	return v->returned && !v->by_retval;
}

/*
 * Shows the column RETURNS even in narrow tables: without it, the rows of a program would look
 * alike.
 */
static bool is_by_retval(const struct view *v)
{
	return v->by_retval;
}

/*
 * Returns true if the table has the columns of rates. In reports of bprof bench, a rate would mean
 * nothing, because bench runs programs as fast as possible.
 */
static bool has_rate(const struct view *v)
{
	return !v->r->driven;
}

static bool has_thinned(const struct view *v)
{
	return v->thinned;
}

static bool has_lost(const struct view *v)
{
	return v->lost;
}

static const struct text_column {
	struct table_col col;
	row_fn add;
	/* Returns true if the column is shown; NULL: always shown */
	bool (*shown)(const struct view *v);
} text_columns[] = {
	{RIGHT_COL("ID"), add_id_cell, is_no_sum},
	{RIGHT_COL("PROGRAMS"), add_program_count, is_sum},
	{LEFT_COL("NAME", .min_width = 12, .row_header = true), add_name_cells, NULL},
	{LEFT_COL("TYPE", .drop_order = 1), add_type_cell, NULL},
	{LEFT_COL("METHOD", .drop_order = 2), add_method_cell, NULL},
	{LEFT_COL("RETURNS", .drop_order = 5), add_retval_cell, has_retval},
	{LEFT_COL("RETURNS", .row_header = true), add_retval_cell, is_by_retval},
	{RIGHT_COL("RUNS"), add_runs_cell, NULL},
	{RIGHT_COL("RUNS/S", .drop_order = 6), add_rate_cell, has_rate},
	{RIGHT_COL("CPU%", .drop_order = 8), add_cpu_share_cell, has_rate},
	{RIGHT_COL("MEASURED", .drop_order = 3), add_measured_cell, has_thinned},
	{RIGHT_COL("LOST"), add_lost_cell, has_lost},
};

/* ---- table ---- */

/* Adds a line. ev: the event of the line, or NULL. first: the line names the program. */
static void add_text_line(struct view *v, const struct report_prog *p, const struct report_row *row,
			  const struct report_event *ev, bool first)
{
	table__add_row(v->table);
	for (size_t i = 0; i < ARRAY_SIZE(text_columns); i++) {
		if (text_columns[i].shown && !text_columns[i].shown(v))
			continue;
		if (first)
			text_columns[i].add(v, p, row);
		else
			table__add_same(v->table);
	}
	if (ev)
		event_columns__add_cells(&v->events, v->table, row, ev);
}

static void add_lines_of_row(struct view *v, const struct report_prog *p,
			     const struct report_row *row)
{
	add_text_line(v, p, row, row->event, true);
	for (int i = 1; i < row->event_cnt; i++)
		add_text_line(v, p, row, &row->event[i], false);
}

void report__make_progs(const struct report *r, const struct render_opts *o,
			struct report_table *out)
{
	struct view v = {.r = r, .o = o};

	if (!r->prog_cnt)
		return;
	v.table = table__new();
	for_each_row(&v, note_row);
	for (size_t i = 0; i < ARRAY_SIZE(text_columns); i++) {
		struct table_col col = text_columns[i].col;

		if (text_columns[i].shown && !text_columns[i].shown(&v))
			continue;
		if (text_columns[i].shown == is_by_retval)
			report_key__set_col(r, &col);
		table__add_cols(v.table, &col, 1);
	}
	event_columns__add_cols(&v.events, v.table);
	for_each_row(&v, add_lines_of_row);
	out->table = v.table;
	/*
	 * With -I, repeat the header if the columns may have changed (followed programs, lost
	 * runs), or if another table was printed since the last header.
	 */
	out->header = render_opts__is_first(o) || r->followed || v.lost || v.thinned ||
		      report__has_tree(r) || r->scope_cnt || report__has_dist(r, o) ||
		      report__has_estimates(r) || r->per || report__has_ops(r) ||
		      event_columns__may_change(&v.events);
}

/* ---- the whole report ---- */

static void print_thinned(const struct report *r, FILE *out)
{
	char share[NUMBER_SZ], added[NUMBER_SZ], stats[NUMBER_SZ], run[NUMBER_SZ];
	const struct report_budget *b = r->budget;
	double error = report__share_error(r);

	if (b) {
		fprintf(out, ", sampled: %s%% of a CPU added (%s %s%%)",
			number__group(added, 100 * b->added, 2),
			b->added > b->share ? "over the limit of" : "limit:",
			number__plain(share, 100 * b->share));
		if (b->turns)
			fprintf(out, ", %s%% of it by run statistics (%s ns per run)",
				number__group(stats, 100 * b->stats, 2),
				number__group(run, b->stats_run_ns, 0));
	} else if (r->thin_period > 1) {
		fprintf(out, ", one run in %s measured", number__group_u64(share, r->thin_period));
	}
	if (!isnan(error))
		fprintf(out, ", ~ to within %s%%", number__rate(share, 100 * error));
}

void report__print_summary(const struct report *r, const struct render_opts *o, FILE *out)
{
	char *kernel = text__printable(r->host.kernel), *arch = text__printable(r->host.arch);
	char buf[NUMBER_SZ];

	if (o->interval && !r->total) {
		fprintf(out, "# %s s", number__group(buf, r->interval_ns / 1e9, 3));
	} else {
		fprintf(out, "%s%s s", r->total ? "\ntotal: " : "",
			number__group(buf, r->elapsed_ns / 1e9, 3));
		if (r->host.cpus > 0) /* 0: not known */
			fprintf(out, " on %d CPU%s", r->host.cpus, r->host.cpus == 1 ? "" : "s");
		if (*kernel)
			fprintf(out, ", kernel %s%s%s", kernel, *arch ? " " : "", arch);
		if (r->repeats > 1)
			fprintf(out, ", %s%d %s", r->scope_cnt ? "mean of " : "", r->repeats,
				r->driven ? "blocks" : "repeats");
		if (r->calibrated && report__probed(r))
			fputs(", net of the probe's cost", out);
	}
	print_thinned(r, out);
	fputc('\n', out);
	free(kernel);
	free(arch);
}

static void print_made(struct report_table *t, const struct render_opts *o, bool first, FILE *out)
{
	if (!first)
		fputc('\n', out);
	if (*t->title)
		fprintf(out, "%s\n", t->title);
	table__print(t->table, out, t->header, &o->screen);
	table__free(t->table);
}

/* Prints a table. first: the table follows the summary, so it needs no title. */
static void print_table(report_table_fn *make, const struct report *r, const struct render_opts *o,
			bool first, FILE *out)
{
	struct report_table t = {};

	make(r, o, &t);
	if (t.table)
		print_made(&t, o, first, out);
}

static void render_parts(const struct report *r, const struct render_opts *o, int hidden, FILE *out)
{
	struct report_table ops;

	report__print_summary(r, o, out);
	print_table(report__make_progs, r, o, true, out);
	if (hidden)
		fprintf(out, "%d more program%s not shown (%s)\n", hidden, hidden == 1 ? "" : "s",
			!o->top	    ? "--active"
			: o->active ? "--active, --top"
				    : "--top");
	print_table(report__make_scopes, r, o, !r->prog_cnt, out);
	print_table(report__make_path, r, o, false, out);
	print_table(report__make_verify, r, o, false, out);
	for (int at = -1; report__make_ops(r, &at, &ops);)
		print_made(&ops, o, false, out);
	print_table(report__make_tree, r, o, false, out);
	print_table(report__make_dist, r, o, false, out);
	report__print_hist(r, o, out);
	print_table(report__make_estimates, r, o, false, out);
	report__print_samples(r, o, out);
	print_table(report__make_sizes, r, o, false, out);
	report__print_notes(r, o, out);
}

void report__render_text(const struct report *r, const struct render_opts *o, FILE *out)
{
	struct report ordered;
	struct draft d;
	int hidden;

	report__order(r, o, &ordered, &hidden);
	ordered.whole = r;
	draft__begin(&d);
	render_parts(&ordered, o, hidden, d.mem);
	free(ordered.prog);
	draft__fold(&d, o->screen.width, out);
}
