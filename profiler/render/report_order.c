// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The order of the programs in the text report, and which programs it shows. Owns the columns by
 * which programs can be sorted; must not know what the tables look like.
 *
 * The functions of a program stay together, in the order of the call tree. So programs are sorted
 * by their first rows.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/row_groups.h"
#include "base/text.h"
#include "base/util.h"
#include "render/render.h"
#include "render/report_priv.h"

static double first_event(const struct report_prog *p, enum stat_id id)
{
	const struct report_event *ev = p->all.event;

	return p->all.event_cnt && report_event__has_stat(ev, id) ? ev->stat[id] : NAN;
}

static double key_prog_id(const struct report *r, const struct report_prog *p)
{
	return -(double)p->id; /* ascending, unlike the order of other columns */
}

static double key_runs(const struct report *r, const struct report_prog *p)
{
	return p->all.runs;
}

static double key_run_rate(const struct report *r, const struct report_prog *p)
{
	return report_row__runs_per_s(r, &p->all);
}

static double key_cpu_share(const struct report *r, const struct report_prog *p)
{
	return p->all.cpu_share;
}

static double key_lost(const struct report *r, const struct report_prog *p)
{
	return report_row__lost(&p->all);
}

static double key_mean(const struct report *r, const struct report_prog *p)
{
	return first_event(p, STAT_MEAN);
}

static double key_p99(const struct report *r, const struct report_prog *p)
{
	return first_event(p, STAT_P99);
}

static double key_max(const struct report *r, const struct report_prog *p)
{
	return first_event(p, STAT_MAX);
}

static double key_total(const struct report *r, const struct report_prog *p)
{
	return p->all.event_cnt && report_event__has_value(p->all.event) ? p->all.event->total
									 : NAN;
}

static const char *text_prog_name(const struct report_prog *p)
{
	return text__or_empty(p->name);
}

static const char *text_prog_type(const struct report_prog *p)
{
	return text__or_empty(p->type);
}

static const char *text_method(const struct report_prog *p)
{
	return text__or_empty(p->method);
}

/* Numbers are sorted in descending order, texts in ascending order. */
static const struct {
	const char *name;
	double (*key)(const struct report *r, const struct report_prog *p);
	const char *(*text)(const struct report_prog *p);
	/* with --by, sort a program by the sum of its rows in this column, not by their maximum */
	bool sum;
} sort_columns[] = {
	{"id", key_prog_id, NULL, false},      {"name", NULL, text_prog_name, false},
	{"type", NULL, text_prog_type, false}, {"method", NULL, text_method, false},
	{"runs", key_runs, NULL, true},	       {"runs/s", key_run_rate, NULL, true},
	{"cpu%", key_cpu_share, NULL, true},   {"lost", key_lost, NULL, true},
	{"mean", key_mean, NULL, false},       {"p99", key_p99, NULL, false},
	{"max", key_max, NULL, false},	       {"total", key_total, NULL, true},
};

const char *report_order__column(int i)
{
	return i < (int)ARRAY_SIZE(sort_columns) ? sort_columns[i].name : NULL;
}

double report_order__key(const struct report *r, const char *column, const struct report_prog *p)
{
	double key;
	size_t c = 0;

	while (c < ARRAY_SIZE(sort_columns) && strcasecmp(sort_columns[c].name, column))
		c++;
	if (c == ARRAY_SIZE(sort_columns))
		return NAN;
	key = sort_columns[c].key(r, p);
	for (int i = p - r->prog + 1; i < r->prog_cnt && !report__is_first_row(r, i); i++) {
		double v = sort_columns[c].key(r, &r->prog[i]);

		if (isnan(v) || isnan(key))
			key = isnan(key) ? v : key;
		else
			key = sort_columns[c].sum ? key + v : fmax(key, v);
	}
	return key;
}

/* A group is a program and its functions. */
static bool begins_program(const void *report, int i)
{
	const struct report *r = report;

	return r->prog[i].id != r->prog[i - 1].id;
}

static bool has_runs_or_samples(const void *report, int i)
{
	const struct report_row *row = &((const struct report *)report)->prog[i].all;
	/* A program that was probed only for slices of time may have run at other times. */
	bool active = row->runs || row->at_least;

	for (int k = 0; k < row->event_cnt; k++)
		active |= row->event[k].estimate && row->event[k].estimate->samples;
	return active;
}

static double find_key(const struct report *r, const struct render_opts *o, const char *column,
		       int i)
{
	return o->keys ? o->keys[i] : report_order__key(r, column, &r->prog[i]);
}

bool report_order__is_unknown(const struct report *r, const char *column)
{
	for (size_t i = 0; i < ARRAY_SIZE(sort_columns); i++) {
		if (strcasecmp(sort_columns[i].name, column))
			continue;
		for (int k = 0; k < r->prog_cnt; k++)
			if (sort_columns[i].text || !isnan(sort_columns[i].key(r, &r->prog[k])))
				return false;
	}
	return r->prog_cnt;
}

static void set_sort_key(const struct report *r, const struct render_opts *o, struct row_group *g)
{
	for (size_t i = 0; o->sort && i < ARRAY_SIZE(sort_columns); i++)
		if (sort_columns[i].text && !strcasecmp(sort_columns[i].name, o->sort))
			g->text = sort_columns[i].text(&r->prog[g->first]);
	if (g->text)
		return;
	g->key[0] = find_key(r, o, o->sort ?: "cpu%", g->first);
	g->key[1] = o->sort ? 0 : find_key(r, o, "total", g->first);
}

void report__order(const struct report *r, const struct render_opts *o, struct report *ordered,
		   int *hidden)
{
	struct row_group *group;
	int cnt = row_groups__make(r, r->prog_cnt, begins_program, &group);

	*ordered = *r;
	ordered->prog_cnt = 0;
	ordered->prog = xcalloc(r->prog_cnt, sizeof(*ordered->prog));
	*hidden = cnt;
	if (o->active)
		cnt = row_groups__drop_idle(r, has_runs_or_samples, group, cnt);
	for (int i = 0; i < cnt; i++)
		set_sort_key(r, o, &group[i]);
	/*
	 * The versions of a followed program stand together in the order of their loads, and bprof
	 * bench shows the programs in the order of the command line.
	 */
	if (o->sort || r->sum || !(r->followed || r->driven))
		row_groups__sort(group, cnt, o->reverse);
	if (o->top && (__u64)cnt > o->top)
		cnt = o->top;
	for (int i = 0; i < cnt; i++)
		for (int k = 0; k < group[i].cnt; k++)
			ordered->prog[ordered->prog_cnt++] = r->prog[group[i].first + k];
	*hidden -= cnt;
	free(group);
}
