// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The order of the programs in the text report, and which of them it shows. Owns the columns by
 * which programs can be sorted; must not know what the tables look like.
 *
 * The functions of a program stay together, in the order of the call tree: what counts is the
 * program's first row.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "report/report_priv.h"

static double first_event(const struct report_prog *p, enum stat_id id)
{
	const struct report_event *ev = p->all.event;

	return p->all.event_cnt && report_event__has_stat(ev, id) ? ev->stat[id] : NAN;
}

static double key_id(const struct report *r, const struct report_prog *p)
{
	return -(double)p->id; /* ascending, unlike the others */
}

static double key_runs(const struct report *r, const struct report_prog *p)
{
	return p->all.runs;
}

static double key_rate(const struct report *r, const struct report_prog *p)
{
	return report_row__runs_per_s(r, &p->all);
}

static double key_share(const struct report *r, const struct report_prog *p)
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

static const char *text_name(const struct report_prog *p)
{
	return text__or_empty(p->name);
}

static const char *text_type(const struct report_prog *p)
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
	/* if a function has a row for each return value: their sum counts, not their maximum */
	bool sum;
} columns[] = {
	{"id", key_id, NULL, false},	  {"name", NULL, text_name, false},
	{"type", NULL, text_type, false}, {"method", NULL, text_method, false},
	{"runs", key_runs, NULL, true},	  {"runs/s", key_rate, NULL, true},
	{"cpu%", key_share, NULL, true},  {"lost", key_lost, NULL, true},
	{"mean", key_mean, NULL, false},  {"p99", key_p99, NULL, false},
	{"max", key_max, NULL, false},	  {"total", key_total, NULL, true},
};

const char *report_order__column(int i)
{
	return i < (int)ARRAY_SIZE(columns) ? columns[i].name : NULL;
}

/* The rows r->prog[first..first + cnt): one program, and its functions. */
struct group {
	int first, cnt;
};

struct order {
	const struct report *r;
	const char *column; /* NULL: by cost */
	bool reverse;
	const double *keys;
	struct group *group;
	int cnt;
};

/* Returns a negative number if a comes first: the greater one. NaN comes last in each order. */
static int compare_numbers(const struct order *o, double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	return o->reverse ? (a > b) - (a < b) : (a < b) - (a > b);
}

/* Returns the number by which a function is sorted. p: its first row. */
static double key_of(const struct report *r, size_t column, const struct report_prog *p)
{
	double key = columns[column].key(r, p);

	for (int i = p - r->prog + 1; i < r->prog_cnt && !report__is_first_row(r, i); i++) {
		double v = columns[column].key(r, &r->prog[i]);

		if (isnan(v) || isnan(key))
			key = isnan(key) ? v : key;
		else
			key = columns[column].sum ? key + v : fmax(key, v);
	}
	return key;
}

double report_order__key(const struct report *r, const char *column, const struct report_prog *p)
{
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		if (!strcasecmp(columns[i].name, column))
			return key_of(r, i, p);
	return NAN;
}

static double find_key(const struct order *o, size_t column, const struct report_prog *p)
{
	return o->keys ? o->keys[p - o->r->prog] : key_of(o->r, column, p);
}

static int compare_texts(const struct order *o, const char *a, const char *b)
{
	return o->reverse ? strcmp(b, a) : strcmp(a, b);
}

static int compare_column(const struct order *o, const char *column, const struct report_prog *a,
			  const struct report_prog *b)
{
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		if (!strcasecmp(columns[i].name, column))
			return columns[i].text
				       ? compare_texts(o, columns[i].text(a), columns[i].text(b))
				       : compare_numbers(o, find_key(o, i, a), find_key(o, i, b));
	return 0;
}

static int compare_groups(const void *a_ptr, const void *b_ptr, void *arg)
{
	const struct group *a = a_ptr, *b = b_ptr;
	const struct order *o = arg;
	const struct report_prog *p = &o->r->prog[a->first], *q = &o->r->prog[b->first];
	int diff;

	if (o->column)
		diff = compare_column(o, o->column, p, q);
	else
		diff = compare_column(o, "cpu%", p, q) ?: compare_column(o, "total", p, q);
	return diff ?: a->first - b->first;
}

static bool is_active(const struct report *r, const struct group *g)
{
	for (int i = g->first; i < g->first + g->cnt; i++) {
		const struct report_row *row = &r->prog[i].all;

		if (row->runs)
			return true;
		for (int k = 0; k < row->event_cnt; k++)
			if (row->event[k].samples)
				return true;
	}
	return false;
}

static int make_groups(struct order *o)
{
	const struct report *r = o->r;
	struct group *last = NULL;

	for (int i = 0; i < r->prog_cnt; i++) {
		if (!last || r->prog[i].id != r->prog[last->first].id) {
			last = array__add(&o->group, &o->cnt, sizeof(*o->group));
			if (!last)
				return -ENOMEM;
			last->first = i;
		}
		last->cnt++;
	}
	return 0;
}

static void drop_idle(struct order *o)
{
	int cnt = 0;

	for (int i = 0; i < o->cnt; i++)
		if (is_active(o->r, &o->group[i]))
			o->group[cnt++] = o->group[i];
	o->cnt = cnt;
}

/*
 * The versions of a followed program stand together in the order of their loads, and bprof bench
 * shows the programs in the order of the command line.
 */
static bool is_sorted(const struct report *r, const struct render_opts *o)
{
	return o->sort || !(r->followed || r->driven);
}

int report__order(const struct report *r, const struct render_opts *o, struct report *ordered,
		  int *hidden)
{
	struct order order = {.r = r, .column = o->sort, .reverse = o->reverse, .keys = o->keys};
	int err = make_groups(&order);

	*hidden = order.cnt;
	*ordered = *r;
	ordered->prog_cnt = 0;
	ordered->prog = calloc(r->prog_cnt + 1, sizeof(*ordered->prog));
	if (err || !ordered->prog) {
		free(order.group);
		return -ENOMEM;
	}
	if (o->active)
		drop_idle(&order);
	if (is_sorted(r, o) && order.cnt)
		qsort_r(order.group, order.cnt, sizeof(*order.group), compare_groups, &order);
	if (o->top && (__u64)order.cnt > o->top)
		order.cnt = o->top;
	for (int i = 0; i < order.cnt; i++)
		for (int k = 0; k < order.group[i].cnt; k++)
			ordered->prog[ordered->prog_cnt++] = r->prog[order.group[i].first + k];
	*hidden -= order.cnt;
	free(order.group);
	return 0;
}
