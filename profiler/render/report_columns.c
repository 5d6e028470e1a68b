// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The columns of an event, which the tables of programs and scopes share. Owns the choice and the
 * cells of these columns; must not know whose numbers the rows show.
 */
#include <math.h>
#include <string.h>

#include "base/table.h"
#include "base/text.h"
#include "base/util.h"
#include "render/render.h"
#include "render/report_priv.h"
#include "report/metric.h"

#define KEY_MIN_WIDTH 12

const char *report_event__unit_suffix(const struct report_event *ev, char *buf)
{
	bool shown = ev->unit && *ev->unit && strcmp(ev->unit, "ns");

	snprintf(buf, UNIT_SZ, "%s%s%s", shown ? " (" : "", shown ? ev->unit : "",
		 shown ? ")" : "");
	return buf;
}

/* ---- cells ---- */

static void add_nothing(struct table *t)
{
	table__add_cell(t, TABLE_PLAIN, "%s", "");
}

static void add_event_name(struct table *t, const struct report_row *row,
			   const struct report_event *ev)
{
	char unit[UNIT_SZ];

	table__add_cell(t, TABLE_PLAIN, "%s%s", text__or_empty(ev->name),
			report_event__unit_suffix(ev, unit));
}

static void add_value(struct table *t, const struct report_row *row, const struct report_event *ev)
{
	enum event_status status = ev->status;

	if (status == EVENT_OK && report_row__never_on(row, ev))
		status = EVENT_NOT_COUNTED;
	if (status != EVENT_OK)
		table__add_cell(t, TABLE_RED, "%s", event_status_specs[status].cell);
	else
		table__add_amount(t, "", report_row__value(row, ev), ev->unit, row->of_scope);
}

static void add_variation(struct table *t, const struct report_row *row,
			  const struct report_event *ev)
{
	double variation = report_row__variation(row, ev);
	char buf[NUMBER_SZ];

	if (isnan(variation))
		add_nothing(t);
	else
		table__add_cell(t, TABLE_PLAIN, "+- %5s%%", number__group(buf, variation, 2));
}

static void add_version_change(struct table *t, const struct report_row *row,
			       const struct report_event *ev)
{
	char buf[CHANGE_SZ];

	if (!report_event__has_change(ev))
		add_nothing(t);
	else
		table__add_cell(t, TABLE_PLAIN, "%s",
				number__change(buf, ev->change->absolute, ev->unit, false,
					       ev->change->share));
}

bool report_event__has_stat(const struct report_event *ev, enum stat_id id)
{
	return report_event__has_value(ev) && !isnan(ev->stat[id]);
}

/*
 * Statistics such as the median are the value of one run, which is usually a whole number: print it
 * without ".0". Only the mean and the standard deviation have digits after the point.
 */
void report_event__add_stat(const struct report_event *ev, enum stat_id id, struct table *t)
{
	double v = report_event__has_stat(ev, id) ? ev->stat[id] : NAN;

	if (ev->status == EVENT_OK)
		table__add_amount(t, report_event__is_rough(ev, id) ? "~" : "", v, ev->unit,
				  !stat_specs[id].average);
	else
		add_nothing(t);
}

static void add_coverage(struct table *t, const struct report_row *row,
			 const struct report_event *ev)
{
	char percent[NUMBER_SZ];

	if (report_event__is_partial(row, ev))
		table__add_cell(t, TABLE_YELLOW, "%s%%",
				number__percent(percent, ev->measured, row->measured, 1));
	else if (report_event__has_value(ev))
		table__add_cell(t, TABLE_PLAIN, "100%%");
	else
		add_nothing(t);
}

/* Adds the metric whose numerator is the event, such as "0.65 IPC". */
static void add_metric(struct table *t, const struct report_row *row, const struct report_event *ev)
{
	char buf[NUMBER_SZ];

	for (int i = 0; i < metric_cnt; i++) {
		const struct metric *m = &metrics[i];
		double v = metric__value_of(m, row, ev);

		if (isnan(v))
			continue;
		table__add_cell(t, TABLE_PLAIN, "%s%s %s", number__group(buf, v, m->digits),
				m->scale == 100 ? "%" : "", m->header);
		return;
	}
	add_nothing(t);
}

/* ---- which columns are shown ---- */

static bool is_program_row(const struct report_row *row, const struct report_event *ev)
{
	return !row->of_scope;
}

static bool is_scope_row(const struct report_row *row, const struct report_event *ev)
{
	return row->of_scope;
}

static bool has_variation(const struct report_row *row, const struct report_event *ev)
{
	return !isnan(report_row__variation(row, ev));
}

static bool has_change(const struct report_row *row, const struct report_event *ev)
{
	return report_event__has_change(ev);
}

/* Only for events of programs: for events of a scope, a note says how long they were counted. */
static bool is_partial(const struct report_row *row, const struct report_event *ev)
{
	return !row->of_scope && report_event__is_partial(row, ev);
}

static bool has_metric(const struct report_row *row, const struct report_event *ev)
{
	for (int i = 0; i < metric_cnt; i++)
		if (!isnan(metric__value_of(&metrics[i], row, ev)))
			return true;
	return false;
}

static const struct {
	struct table_col col;
	/* adds the cell; NULL: add the statistic "stat" */
	void (*add)(struct table *t, const struct report_row *row, const struct report_event *ev);
	/* Returns true if the event needs the column; NULL: each event does */
	bool (*needed)(const struct report_row *row, const struct report_event *ev);
	bool may_change; /* with -I: some intervals may need the column, and others not */
	enum stat_id stat;
} columns[] = {
	{LEFT_COL("EVENT", .min_width = 12, .row_header = true), add_event_name, NULL, false},
	{RIGHT_COL("MEAN"), add_value, is_program_row, false},
	{RIGHT_COL("COUNT"), add_value, is_scope_row, false},
	{RIGHT_COL("", .drop_order = 7, .full_header = "SPREAD"), add_variation, has_variation,
	 true},
	{LEFT_COL("CHANGE"), add_version_change, has_change, true},
	{RIGHT_COL("P99"), NULL, NULL, true, STAT_P99},
	{RIGHT_COL("MAX"), NULL, NULL, true, STAT_MAX},
	{RIGHT_COL("COVERAGE"), add_coverage, is_partial, true},
	{LEFT_COL("", .drop_order = 4, .full_header = "METRIC"), add_metric, has_metric, false},
};

static bool shows_col(size_t col, const struct report_row *row, const struct report_event *ev)
{
	if (!columns[col].add)
		return report_event__has_stat(ev, columns[col].stat);
	return !columns[col].needed || columns[col].needed(row, ev);
}

void event_columns__note(struct event_columns *c, const struct report_row *row)
{
	for (int i = 0; i < row->event_cnt; i++)
		for (size_t k = 0; k < ARRAY_SIZE(columns); k++)
			if (shows_col(k, row, &row->event[i]))
				c->shown |= 1U << k;
}

void event_columns__add_cols(const struct event_columns *c, struct table *t)
{
	for (size_t k = 0; k < ARRAY_SIZE(columns); k++)
		if (c->shown & (1U << k))
			table__add_cols(t, &columns[k].col, 1);
}

void event_columns__add_cells(const struct event_columns *c, struct table *t,
			      const struct report_row *row, const struct report_event *ev)
{
	for (size_t k = 0; k < ARRAY_SIZE(columns); k++) {
		if (!(c->shown & (1U << k)))
			continue;
		if (columns[k].add)
			columns[k].add(t, row, ev);
		else
			report_event__add_stat(ev, columns[k].stat, t);
	}
}

bool event_columns__may_change(const struct event_columns *c)
{
	for (size_t k = 0; k < ARRAY_SIZE(columns); k++)
		if (columns[k].may_change && c->shown & (1U << k))
			return true;
	return false;
}

void report_key__set_col(const struct report *r, struct table_col *col)
{
	col->header = report__key(r)->header;
	/* The paths of cgroups are long: let the column be shortened. */
	if (r->by)
		col->min_width = KEY_MIN_WIDTH;
}
