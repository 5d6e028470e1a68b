// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Parts that the tables of the text report share: the columns of events and metrics, and the suffix
 * of an event's name. Owns the choice of these columns; must not know whose numbers the rows show.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/text.h"
#include "base/util.h"
#include "report/metric.h"
#include "report/report_priv.h"

/* Returns how many of the first cnt columns are called name. */
static int count_columns(const struct event_columns *c, int cnt, const char *name)
{
	int n = 0;

	for (int i = 0; i < cnt; i++)
		n += !strcmp(c->name[i], name);
	return n;
}

const char *report_event__unit_suffix(const struct report_event *ev, char *buf)
{
	bool has_unit = ev->unit && *ev->unit;

	snprintf(buf, UNIT_SZ, "%s%s%s", has_unit ? " (" : "", has_unit ? ev->unit : "",
		 has_unit ? ")" : "");
	return buf;
}

void event_columns__note(struct event_columns *c, const struct report_row *row)
{
	for (int i = 0; i < row->event_cnt; i++) {
		const char *name = row->event[i].name ?: "", **column;
		int n = 0;

		c->changed |= !isnan(row->event[i].change);
		c->repeated |= !isnan(report_row__variation(row, &row->event[i]));
		for (int j = 0; j <= i; j++)
			n += !strcmp(row->event[j].name ?: "", name);
		if (count_columns(c, c->cnt, name) >= n)
			continue;
		column = array__add(&c->name, &c->cnt, sizeof(*c->name));
		if (column)
			*column = name;
		else
			c->err = -ENOMEM;
	}
	for (int i = 0; i < metric_cnt; i++)
		if (metric__applies(&metrics[i], row))
			c->metrics |= 1ULL << i;
}

void event_columns__add_headers(const struct event_columns *c, struct table *t, const char *suffix)
{
	char header[256];

	for (int i = 0; i < c->cnt; i++) {
		snprintf(header, sizeof(header), "%s%s", c->name[i], suffix);
		table__add_col(t, TABLE_RIGHT, header);
		if (c->repeated)
			table__add_col(t, TABLE_RIGHT, "");
		if (c->changed)
			table__add_col(t, TABLE_LEFT, "CHANGE");
	}
	for (int i = 0; i < metric_cnt; i++)
		if (c->metrics & (1ULL << i))
			table__add_col(t, TABLE_RIGHT, metrics[i].header);
}

static void add_variation(struct table *t, const struct report_row *row,
			  const struct report_event *ev)
{
	double variation = ev ? report_row__variation(row, ev) : NAN;
	char buf[NUMBER_SZ];

	if (isnan(variation))
		table__add_cell(t, TABLE_PLAIN, "%s", "");
	else
		table__add_cell(t, TABLE_PLAIN, "+- %5s%%", number__group(buf, variation, 2));
}

static void add_change(struct table *t, const struct report_event *ev)
{
	char buf[CHANGE_SZ];

	if (!ev || isnan(ev->change))
		table__add_cell(t, TABLE_PLAIN, "%s", "");
	else
		table__add_cell(t, TABLE_PLAIN, "%s",
				number__change(buf, ev->change,
					       number__digits(ev->change, ev->unit), ev->unit,
					       ev->change_share));
}

static void add_status(struct table *t, enum event_status status)
{
	table__add_cell(t, TABLE_RED, "%s", event_status_specs[status].cell);
}

static void add_value(struct table *t, const struct report_row *row, const struct report_event *ev)
{
	if (!ev)
		table__add_value(t, NAN, "");
	else if (ev->status != EVENT_OK)
		add_status(t, ev->status);
	else if (report_row__never_on(row, ev))
		add_status(t, EVENT_NOT_COUNTED);
	else if (row->of_scope)
		table__add_exact_value(t, report_row__value(row, ev), ev->unit);
	else
		table__add_value(t, report_row__value(row, ev), ev->unit);
}

void event_columns__add_cells(const struct event_columns *c, struct table *t,
			      const struct report_row *row)
{
	for (int i = 0; i < c->cnt; i++) {
		int n = count_columns(c, i, c->name[i]);
		const struct report_event *ev = report_row__find_event(row, c->name[i], n);

		add_value(t, row, ev);
		if (c->repeated)
			add_variation(t, row, ev);
		if (c->changed)
			add_change(t, ev);
	}
	for (int i = 0; i < metric_cnt; i++)
		if (c->metrics & (1ULL << i))
			table__add_number(t, metric__value(&metrics[i], row), metrics[i].digits,
					  metrics[i].scale == 100 ? "%" : "");
}

void event_columns__free(struct event_columns *c)
{
	free(c->name);
}
