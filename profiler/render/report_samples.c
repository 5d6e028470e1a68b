// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The part of a report on sampling: the number of samples, the totals that are estimated
 * from samples, and the losses and cost of sampling. Owns the columns; must not know the table of
 * programs.
 */
#include <math.h>
#include <stdlib.h>

#include "base/table.h"
#include "base/text.h"
#include "base/util.h"
#include "render/report_priv.h"

/* Returns true if the event was estimated from samples, and if the program has runs or samples. */
static bool is_estimate_shown(const struct report_row *row, const struct report_event *ev)
{
	return ev->estimate && ev->status == EVENT_OK && (row->runs || ev->estimate->samples);
}

static void add_lines(struct table *t, const struct report_prog *p)
{
	char title[TITLE_SZ], unit[UNIT_SZ], id[ID_SZ], percent[NUMBER_SZ];

	for (int i = 0; i < p->all.event_cnt; i++) {
		const struct report_event *ev = &p->all.event[i];
		double stddev;

		if (!is_estimate_shown(&p->all, ev))
			continue;
		table__add_row(t);
		table__add_cell(t, TABLE_PLAIN, "%s", report_prog__id(p, id));
		table__add_cell(t, TABLE_PLAIN, "%s", report_prog__title(p, title));
		table__add_cell(t, TABLE_PLAIN, "%s%s", text__or_empty(ev->name),
				report_event__unit_suffix(ev, unit));
		table__add_count(t, ev->estimate->samples, TABLE_PLAIN);
		table__add_amount(t, "", ev->total, ev->unit, true);
		stddev = ev->estimate->total_stddev;
		if (isnan(stddev) || !(ev->total > 0))
			table__add_cell(t, TABLE_DIM, "-");
		else
			table__add_cell(t, TABLE_PLAIN, "+- %s%%",
					number__group(percent, 100 * stddev / ev->total, 2));
	}
}

void report__make_estimates(const struct report *r, const struct render_opts *o,
			    struct report_table *out)
{
	static const struct table_col cols[] = {
		RIGHT_COL("ID"),
		LEFT_COL("NAME", .min_width = 15, .row_header = true),
		LEFT_COL("EVENT", .min_width = 12, .row_header = true),
		RIGHT_COL("SAMPLES"),
		RIGHT_COL("TOTAL"),
		RIGHT_COL("", .full_header = "ERROR"),
	};
	struct table *t;

	if (!report__has_estimates(r))
		return;
	t = table__new();
	table__add_cols(t, cols, ARRAY_SIZE(cols));
	for (int i = 0; i < r->prog_cnt; i++)
		add_lines(t, &r->prog[i]);
	snprintf(out->title, sizeof(out->title),
		 "estimated from samples of the programs and of what they call (+-: one standard "
		 "deviation)");
	out->table = t;
	out->header = true;
}

/*
 * Prints the number of samples, the losses and the cost of sampling. With -I, prints nothing if
 * there are no losses, and never prints the cost. The counts are always those since the start of
 * the session.
 */
static void print_sampling(__u64 freq, const struct render_opts *o,
			   const struct report_sampled_event *s, FILE *out)
{
	char taken[NUMBER_SZ], in[NUMBER_SZ], per_s[NUMBER_SZ];
	bool losses = s->sum.lost || s->sum.throttled || s->sum.running_ns < s->sum.enabled_ns;
	char *event;

	if (o->interval && !losses)
		return;
	event = text__printable(s->event);
	fprintf(out,
		"\n%s, %s times a second on each CPU%s: %s samples, %s of them in the targets\n",
		event, number__group_u64(per_s, freq), o->interval ? ", since the start" : "",
		number__group_u64(taken, s->sum.taken), number__group_u64(in, s->sum.in_targets));
	free(event);
	record_samples__print_losses(&s->sum, out);
	if (!o->interval)
		record_samples__print_cost(&s->sum, s->sum.enabled_ns, out);
}

bool report__has_estimates(const struct report *r)
{
	for (int i = 0; i < r->prog_cnt; i++)
		for (int e = 0; e < r->prog[i].all.event_cnt; e++)
			if (is_estimate_shown(&r->prog[i].all, &r->prog[i].all.event[e]))
				return true;
	return false;
}

void report__print_samples(const struct report *r, const struct render_opts *o, FILE *out)
{
	const struct report_sampling *s = r->sampling;

	for (int i = 0; s && i < s->event_cnt; i++)
		print_sampling(s->freq, o, &s->event[i], out);
}
