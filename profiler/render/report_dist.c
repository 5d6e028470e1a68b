// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The table of distributions: a line per program and event with the distribution of the runs'
 * costs. Owns the columns, and the choice of the events that have a line; must not know the table
 * of programs.
 *
 * --dist and -v show this table. With -v, it also has how each event was read, the raw mean and the
 * bias.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hist.h"
#include "base/table.h"
#include "base/text.h"
#include "base/util.h"
#include "render/render.h"
#include "render/report_priv.h"

struct dist {
	const struct report *r;
	const struct render_opts *o;
	struct table *table;
	unsigned int known; /* bit i: at least one line has statistic i */
	bool by_retval;	    /* at least one program has a row for each return value */
	bool rough;	    /* at least one statistic is known only to within a bucket */
	/* The following members are set only with -v. */
	bool read; /* report_event.read is set for at least one event */
	bool bias; /* a bias was subtracted from at least one mean */
};

typedef void (*line_fn)(struct dist *d, const struct report_prog *p, const struct report_row *row,
			const struct report_event *ev);

/* Returns true if the event has values that the table of programs does not show. */
static bool has_line(const struct dist *d, const struct report_row *row,
		     const struct report_event *ev)
{
	for (int i = 0; i < STAT_CNT; i++)
		if (i != STAT_MEAN && report_event__has_stat(ev, i))
			return true;
	return d->o->verbose && ev->status == EVENT_OK && (ev->read || !isnan(ev->bias));
}

static void for_each_event(struct dist *d, const struct report_prog *p,
			   const struct report_row *row, line_fn fn)
{
	for (int i = 0; i < row->event_cnt; i++)
		if (has_line(d, row, &row->event[i]))
			fn(d, p, row, &row->event[i]);
}

static void for_each_line(struct dist *d, line_fn fn)
{
	for (int i = 0; i < d->r->prog_cnt; i++) {
		const struct report_prog *p = &d->r->prog[i];

		for_each_event(d, p, &p->all, fn);
		for (int j = 0; d->o->per_cpu && j < p->cpu_cnt; j++)
			for_each_event(d, p, &p->cpu[j], fn);
	}
}

static void note_line(struct dist *d, const struct report_prog *p, const struct report_row *row,
		      const struct report_event *ev)
{
	for (int i = 0; i < STAT_CNT; i++)
		if (report_event__has_stat(ev, i)) {
			d->known |= 1U << i;
			d->rough |= report_event__is_rough(ev, i);
		}
	d->by_retval |= p->by_retval;
	d->read |= d->o->verbose && ev->read;
	d->bias |= d->o->verbose && !isnan(ev->bias);
}

static void add_headers(struct dist *d)
{
	static const struct table_col cols[] = {
		RIGHT_COL("ID"),
		LEFT_COL("NAME", .min_width = 15, .row_header = true),
	};
	static const struct table_col event =
		LEFT_COL("EVENT", .min_width = 12, .row_header = true);
	struct table_col returns = LEFT_COL("", .row_header = true);
	enum stat_id id;

	table__add_cols(d->table, cols, ARRAY_SIZE(cols));
	report_key__set_col(d->r, &returns);
	if (d->by_retval)
		table__add_cols(d->table, &returns, 1);
	table__add_cols(d->table, &event, 1);
	if (d->read)
		table__add_col(d->table, TABLE_LEFT, "READ");
	if (d->bias) {
		table__add_col(d->table, TABLE_RIGHT, "RAW MEAN");
		table__add_col(d->table, TABLE_RIGHT, "BIAS");
	}
	for (int place = 0; (id = stats__next(STATS_TABLE, &place)) < STAT_CNT;) {
		const struct table_col col = RIGHT_COL(
			stat_specs[id].header, .drop_order = stat_specs[id].place[STATS_DROPPED]);

		if (d->known & (1U << id))
			table__add_cols(d->table, &col, 1);
	}
}

static void add_bias(struct dist *d, const struct report_event *ev)
{
	char bias[QUANTITY_SZ], spread[QUANTITY_SZ];
	double raw = report_event__has_value(ev) ? ev->raw_per_run : NAN;

	table__add_amount(d->table, "", raw, ev->unit, false);
	if (isnan(ev->bias) || isnan(ev->bias_stddev))
		table__add_amount(d->table, "", ev->bias, ev->unit, false);
	else
		table__add_cell(d->table, TABLE_PLAIN, "%s +- %s",
				number__amount(bias, ev->bias, ev->unit, false),
				number__amount(spread, ev->bias_stddev, ev->unit, false));
}

static void add_dist_line(struct dist *d, const struct report_prog *p, const struct report_row *row,
			  const struct report_event *ev)
{
	char title[TITLE_SZ], unit[UNIT_SZ], retval[RETURNS_SZ], prog_id[ID_SZ];
	enum stat_id id;

	table__add_row(d->table);
	if (row->cpu < 0) {
		table__add_cell(d->table, TABLE_PLAIN, "%s", report_prog__id(p, prog_id));
		table__add_cell(d->table, TABLE_PLAIN, "%s", report_prog__title(p, title));
	} else {
		table__add_cell(d->table, TABLE_PLAIN, "%s", "");
		table__add_cell(d->table, TABLE_PLAIN, "  cpu %d", row->cpu);
	}
	if (d->by_retval)
		table__add_cell(d->table, TABLE_PLAIN, "%s",
				row->cpu < 0 ? report_prog__returns(p, retval) ?: "-" : "");
	table__add_cell(d->table, TABLE_PLAIN, "%s%s", text__or_empty(ev->name),
			report_event__unit_suffix(ev, unit));
	if (d->read)
		table__add_cell(d->table, TABLE_PLAIN, "%s", ev->read ?: "-");
	if (d->bias)
		add_bias(d, ev);
	for (int place = 0; (id = stats__next(STATS_TABLE, &place)) < STAT_CNT;)
		if (d->known & (1U << id))
			report_event__add_stat(ev, id, d->table);
}

/* Determines the columns. Returns false if there is no table. */
static bool init_dist(struct dist *d, const struct report *r, const struct render_opts *o)
{
	*d = (struct dist){.r = r, .o = o};
	if (!o->dist && !o->verbose)
		return false;
	for_each_line(d, note_line);
	/* Minimum and maximum without percentiles are not enough for a table. */
	return d->known & (1U << STAT_P50) || d->read || d->bias;
}

bool report__has_dist(const struct report *r, const struct render_opts *o)
{
	struct dist d;

	return init_dist(&d, r, o);
}

void report__make_dist(const struct report *r, const struct render_opts *o,
		       struct report_table *out)
{
	struct dist d;

	if (!init_dist(&d, r, o))
		return;
	d.table = table__new();
	add_headers(&d);
	for_each_line(&d, add_dist_line);
	snprintf(out->title, sizeof(out->title), "distribution of %s cost per run",
		 r->calibrated ? "net" : "raw");
	if (d.rough)
		snprintf(out->title + strlen(out->title), sizeof(out->title) - strlen(out->title),
			 " (~: to within %.3g%%)",
			 r->memory.bucket_width > hist__bucket_width(0)
				 ? 100 * r->memory.bucket_width
				 : 1.6);
	out->table = d.table;
	out->header = true;
}
