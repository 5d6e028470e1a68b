// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The last intervals of each program. Owns the numbers by which rows are sorted; must not know how
 * rows look, or which of them are shown.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "top/top_priv.h"

/* The columns whose numbers differ from interval to interval. */
static const struct {
	const char *name;
	double absent; /* the number of a program that has no row, as it did not run */
} columns[TOP_MEANS] = {{"runs/s", 0}, {"cpu%", 0}, {"mean", NAN}, {"p99", NAN}, {"max", NAN}};

void top_recent__free(struct top_recent *h)
{
	free(h->row);
	*h = (struct top_recent){};
}

/* Begins an interval, in which no program has run so far, and forgets programs without a number. */
static void begin_interval(struct top_recent *h, __u64 ns)
{
	int cnt = 0;

	h->intervals++;
	memmove(h->ns + 1, h->ns, sizeof(h->ns) - sizeof(h->ns[0]));
	h->ns[0] = ns;
	for (int i = 0; i < h->cnt; i++) {
		struct top_recent_row *row = &h->row[i];

		if (h->intervals - row->last >= TOP_MEAN_OF)
			continue;
		for (int c = 0; c < TOP_MEANS; c++) {
			memmove(row->v[c] + 1, row->v[c], sizeof(row->v[c]) - sizeof(row->v[c][0]));
			row->v[c][0] = columns[c].absent;
		}
		h->row[cnt++] = *row;
	}
	h->cnt = cnt;
}

/* Finds the row of a program. Programs are mostly asked for in the same order, from *place on. */
static struct top_recent_row *find(const struct top_recent *h, __u32 id, int *place)
{
	for (int i = 0; i < h->cnt; i++) {
		struct top_recent_row *row = &h->row[(*place + i) % h->cnt];

		if (row->id != id)
			continue;
		*place = row - h->row + 1;
		return row;
	}
	return NULL;
}

static struct top_recent_row *add(struct top_recent *h, __u32 id)
{
	struct top_recent_row *row = array__add(&h->row, &h->cnt, sizeof(*row));

	if (!row)
		return NULL;
	row->id = id;
	for (int c = 0; c < TOP_MEANS; c++)
		for (int i = 0; i < TOP_MEAN_OF; i++)
			row->v[c][i] = columns[c].absent;
	return row;
}

int top_recent__add(struct top_recent *h, const struct report *r)
{
	int place = 0;

	begin_interval(h, r->elapsed_ns);
	for (int i = 0; i < r->prog_cnt; i++) {
		const struct report_prog *p = &r->prog[i];
		struct top_recent_row *row;

		if (i && p->id == p[-1].id)
			continue; /* a program is sorted by its first row */
		row = find(h, p->id, &place) ?: add(h, p->id);
		if (!row)
			return -ENOMEM;
		row->last = h->intervals;
		for (int c = 0; c < TOP_MEANS; c++)
			row->v[c][0] = report_order__key(r, columns[c].name, p);
	}
	return 0;
}

static double mean(const struct top_recent *h, const double *v)
{
	double sum = 0, ns = 0;

	for (int i = 0; i < TOP_MEAN_OF; i++) {
		if (isnan(v[i]))
			continue;
		sum += v[i] * h->ns[i];
		ns += h->ns[i];
	}
	return ns > 0 ? sum / ns : NAN;
}

bool top_recent__has(const char *column)
{
	for (int c = 0; c < TOP_MEANS; c++)
		if (!strcmp(columns[c].name, column))
			return true;
	return false;
}

void top_recent__means(const struct top_recent *h, const char *column, const struct report *r,
		       double *means)
{
	int place = 0, c = 0;

	while (strcmp(columns[c].name, column))
		c++;
	for (int i = 0; i < r->prog_cnt; i++) {
		const struct top_recent_row *row = find(h, r->prog[i].id, &place);

		means[i] = row ? mean(h, row->v[c]) : NAN;
	}
}
