// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The last minutes of each program. Owns the numbers by which rows are sorted, and the picture of a
 * program's CPU share. Must not know what rows look like, or which rows are shown.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "render/render.h"
#include "top/top_priv.h"

/* The columns that are sorted by a mean of the last intervals, because their numbers vary. */
static const struct {
	const char *name;
	double absent; /* the number to use for a program that has no row: it did not run */
} mean_columns[TOP_MEANS] = {{"runs/s", 0}, {"cpu%", 0}, {"mean", NAN}, {"p99", NAN}, {"max", NAN}};

void top_recent__free(struct top_recent *h)
{
	free(h->row);
	free(h->event);
	free(h->unit);
	*h = (struct top_recent){};
}

/* Moves the i-th cell to the (i + cnt)-th, and begins cnt new cells. */
static void shift_cells(double *cell, int cnt)
{
	memmove(cell + cnt, cell, (TOP_CELLS - cnt) * sizeof(*cell));
	memset(cell, 0, cnt * sizeof(*cell));
}

/* Returns how many cells begin in an interval. measured: whether the interval was measured. */
static int begin_cells(struct top_recent *h, __u64 ns, bool measured)
{
	__u64 begin = h->now_ns, end = begin + ns, newest = end / TOP_CELL_NS;
	__u64 cnt = newest - begin / TOP_CELL_NS;

	if (cnt > TOP_CELLS)
		cnt = TOP_CELLS;
	h->now_ns = end;
	shift_cells(h->cell_ns, cnt);
	for (int i = 0; i < TOP_CELLS; i++) {
		/* the i-th cell before the newest cell */
		double low = ((double)newest - i) * TOP_CELL_NS;
		double high = low + TOP_CELL_NS;

		h->last_ns[i] = measured ? fmax(0, fmin(high, end) - fmax(low, begin)) : 0;
		h->cell_ns[i] += h->last_ns[i];
	}
	return cnt;
}

static void clear_bar(const struct top_recent *h, struct top_recent_row *row)
{
	for (int q = 0; q < TOP_QUANTILES; q++)
		row->bar[q][h->bar] = NAN;
}

void top_recent__skip(struct top_recent *h, __u64 ns)
{
	int cells = begin_cells(h, ns, false);

	h->bar = (h->bar + 1) % TOP_BARS;
	for (int i = 0; i < h->cnt; i++) {
		shift_cells(h->row[i].cpu_ns, cells);
		clear_bar(h, &h->row[i]);
	}
}

static bool has_graph(const struct top_recent_row *row)
{
	for (int i = 0; i < TOP_CELLS; i++)
		if (row->cpu_ns[i])
			return true;
	return false;
}

/*
 * Begins an interval in which no program has run so far, and forgets programs that have no number
 * any more.
 */
static void begin_recent(struct top_recent *h, __u64 ns)
{
	int cnt = 0, cells = begin_cells(h, ns, true);

	h->intervals++;
	h->bar = (h->bar + 1) % TOP_BARS;
	memmove(h->ns + 1, h->ns, sizeof(h->ns) - sizeof(h->ns[0]));
	h->ns[0] = ns;
	for (int i = 0; i < h->cnt; i++) {
		struct top_recent_row *row = &h->row[i];

		shift_cells(row->cpu_ns, cells);
		if (h->intervals - row->last >= TOP_MEAN_OF && !has_graph(row))
			continue;
		for (int c = 0; c < TOP_MEANS; c++) {
			memmove(row->v[c] + 1, row->v[c], sizeof(row->v[c]) - sizeof(row->v[c][0]));
			row->v[c][0] = mean_columns[c].absent;
		}
		clear_bar(h, row);
		h->row[cnt++] = *row;
	}
	h->cnt = cnt;
}

/* Finds the row of a program. Begins at *place, because programs mostly keep their order. */
static struct top_recent_row *find_recent_row(const struct top_recent *h, __u32 id, int *place)
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

static struct top_recent_row *add_recent_row(struct top_recent *h, __u32 id)
{
	struct top_recent_row *row = array__add(&h->row, &h->cnt, sizeof(*row));

	row->id = id;
	for (int c = 0; c < TOP_MEANS; c++)
		for (int i = 0; i < TOP_MEAN_OF; i++)
			row->v[c][i] = mean_columns[c].absent;
	for (int q = 0; q < TOP_QUANTILES; q++)
		for (int i = 0; i < TOP_BARS; i++)
			row->bar[q][i] = NAN;
	return row;
}

static const enum stat_id quantiles[TOP_QUANTILES] = {STAT_P50, STAT_P99};

/*
 * Sets the program's bars of the newest interval. All programs have bars of the same event: the
 * first event for which any program has percentiles.
 */
static void set_bars(struct top_recent *h, const struct report_prog *p, struct top_recent_row *row)
{
	const struct report_event *ev;

	for (int e = 0; !h->event && e < p->all.event_cnt; e++) {
		if (!report_event__has_stat(&p->all.event[e], STAT_P99))
			continue;
		h->event = text__dup(p->all.event[e].name);
		h->unit = text__dup(p->all.event[e].unit);
	}
	ev = h->event ? report_row__find_event(&p->all, h->event, 0) : NULL;
	for (int q = 0; ev && q < TOP_QUANTILES; q++)
		row->bar[q][h->bar] = ev->stat[quantiles[q]];
}

void top_recent__add(struct top_recent *h, const struct report *r)
{
	int place = 0;

	begin_recent(h, r->elapsed_ns);
	for (int i = 0; i < r->prog_cnt; i++) {
		const struct report_prog *p = &r->prog[i];
		struct top_recent_row *row;

		if (i && p->id == p[-1].id)
			continue; /* only the first row of a program is used for sorting */
		row = find_recent_row(h, p->id, &place) ?: add_recent_row(h, p->id);
		row->last = h->intervals;
		for (int c = 0; c < TOP_MEANS; c++)
			row->v[c][0] = report_order__key(r, mean_columns[c].name, p);
		for (int c = 0; c < TOP_CELLS; c++)
			if (h->last_ns[c])
				row->cpu_ns[c] += p->all.cpu_share * h->last_ns[c];
		set_bars(h, p, row);
	}
}

static double mean_of_recent(const struct top_recent *h, const double *v)
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
		if (!strcmp(mean_columns[c].name, column))
			return true;
	return false;
}

void top_recent__means(const struct top_recent *h, const char *column, const struct report *r,
		       double *means)
{
	int place = 0, c = 0;

	while (strcmp(mean_columns[c].name, column))
		c++;
	for (int i = 0; i < r->prog_cnt; i++) {
		const struct top_recent_row *row = find_recent_row(h, r->prog[i].id, &place);

		means[i] = row ? mean_of_recent(h, row->v[c]) : NAN;
	}
}

/*
 * The levels of a picture, from the lowest to the highest value. The value 0 is shown as the lowest
 * level, and a cell that was not measured as a blank.
 */
static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}, *const ascii[] = {
										      "_", ".", "-",
										      "=", "+", "*",
										      "%", "#"};

/* Adds a level to a picture whose highest value is peak. NaN: not measured. */
static void draw_level(char *buf, double v, double peak)
{
	const char *const *level = MB_CUR_MAX > 1 ? blocks : ascii;

	strcat(buf, isnan(v) ? " " : v > 0 ? level[(int)ceil(7 * (v / peak))] : level[0]);
}

double top_recent__graph(const struct top_recent *h, __u32 id, char buf[TOP_GRAPH_SZ])
{
	double share[TOP_CELLS], peak = NAN;
	const struct top_recent_row *row;
	int place = 0;

	row = find_recent_row(h, id, &place);
	for (int i = 0; i < TOP_CELLS; i++) {
		share[i] = row && h->cell_ns[i] > 0 ? row->cpu_ns[i] / h->cell_ns[i] : NAN;
		/* if one of them is NaN, fmax() returns the other one */
		peak = fmax(peak, share[i]);
	}
	*buf = '\0';
	for (int i = TOP_CELLS - 1; i >= 0; i--) {
		if (row && isnan(row->cpu_ns[i]))
			strcat(buf, "?");
		else
			draw_level(buf, share[i], peak);
	}
	return peak > 0 ? peak : NAN;
}

double top_recent__bars(const struct top_recent *h, __u32 id, int quantile, int cnt,
			char buf[TOP_BARS_SZ])
{
	const struct top_recent_row *row;
	double peak = NAN;
	int place = 0;

	*buf = '\0';
	row = find_recent_row(h, id, &place);
	if (!row)
		return NAN;
	for (int i = 0; i < cnt; i++)
		peak = fmax(peak, row->bar[quantile][(h->bar + TOP_BARS - i) % TOP_BARS]);
	for (int i = cnt - 1; i >= 0; i--)
		draw_level(buf, row->bar[quantile][(h->bar + TOP_BARS - i) % TOP_BARS], peak);
	return peak;
}
