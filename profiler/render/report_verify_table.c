// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The table of stat --verify: a line for each event, with the mean at each rate. Owns the columns;
 * the sentences on these means are notes of the report.
 */
#include <math.h>
#include <stdio.h>

#include "base/table.h"
#include "base/text.h"
#include "base/util.h"
#include "render/report_priv.h"

static void add_error(struct table *t, double error, const char *unit)
{
	char buf[QUANTITY_SZ];

	if (isnan(error))
		table__add_cell(t, TABLE_DIM, "-");
	else
		table__add_cell(t, TABLE_PLAIN, "+-%s",
				number__amount(buf, error, unit, error == 0));
}

static void add_verify_line(struct table *t, const struct report_prog *p,
			    const struct report_event *ev, int rate_cnt, bool by_samples)
{
	const struct report_verify *v = ev->verify;
	char title[TITLE_SZ], unit[UNIT_SZ], id[ID_SZ];

	table__add_row(t);
	table__add_cell(t, TABLE_PLAIN, "%s", report_prog__id(p, id));
	table__add_cell(t, TABLE_PLAIN, "%s", report_prog__title(p, title));
	table__add_cell(t, TABLE_PLAIN, "%s%s", text__or_empty(ev->name),
			report_event__unit_suffix(ev, unit));
	for (int i = 0; i < rate_cnt; i++) {
		bool known = i < v->rate_cnt;

		table__add_amount(t, "", known ? v->rate[i].mean : NAN, ev->unit, false);
		add_error(t, known ? v->rate[i].stddev : NAN, ev->unit);
	}
	table__add_amount(t, "", v->added, ev->unit, false);
	add_error(t, v->added_error, ev->unit);
	if (!by_samples)
		return;
	table__add_amount(t, "", v->samples ? v->samples->mean : NAN, ev->unit, false);
	add_error(t, v->samples ? v->samples->stddev : NAN, ev->unit);
}

static void add_verify_cols(struct table *t, const struct report_verify *v, bool by_samples)
{
	static const struct table_col first[] =
		{
			RIGHT_COL("ID"),
			LEFT_COL("NAME", .min_width = 12, .row_header = true),
			LEFT_COL("EVENT", .min_width = 12, .row_header = true),
		},
				      last[] = {
					      RIGHT_COL("ADDED"),
					      RIGHT_COL("", .full_header = "ERROR (95 %)"),
				      };
	static const struct table_col samples = RIGHT_COL("SAMPLES");
	static const struct table_col error =
		RIGHT_COL("", .full_header = "STANDARD ERROR", .drop_order = 1);

	table__add_cols(t, first, ARRAY_SIZE(first));
	for (int i = 0; i < v->rate_cnt; i++) {
		char header[32];
		struct table_col mean = RIGHT_COL(header);

		snprintf(header, sizeof(header), "1/%llu", (unsigned long long)v->rate[i].sample);
		table__add_cols(t, &mean, 1);
		table__add_cols(t, &error, 1);
	}
	table__add_cols(t, last, ARRAY_SIZE(last));
	if (by_samples) {
		table__add_cols(t, &samples, 1);
		table__add_cols(t, &error, 1);
	}
}

void report__make_verify(const struct report *r, const struct render_opts *o,
			 struct report_table *out)
{
	const struct report_verify *v = NULL; /* all events have the same rates */
	bool by_samples = false;

	for (int i = 0; i < r->prog_cnt; i++)
		for (int j = 0; j < r->prog[i].all.event_cnt; j++) {
			v = v ?: r->prog[i].all.event[j].verify;
			by_samples |= r->prog[i].all.event[j].verify &&
				      r->prog[i].all.event[j].verify->samples;
		}
	if (!v)
		return;
	out->table = table__new();
	out->header = true;
	add_verify_cols(out->table, v, by_samples);
	for (int i = 0; i < r->prog_cnt; i++)
		for (int j = 0; j < r->prog[i].all.event_cnt; j++)
			if (r->prog[i].all.event[j].verify)
				add_verify_line(out->table, &r->prog[i], &r->prog[i].all.event[j],
						v->rate_cnt, by_samples);
	snprintf(out->title, sizeof(out->title),
		 "mean of the measured runs, if one in N is measured; ADDED: what a measured run "
		 "adds to the next one%s",
		 by_samples ? "; SAMPLES: the mean by samples, without a probe" : "");
}
