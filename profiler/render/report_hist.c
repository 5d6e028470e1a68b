// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Histograms: their bars, and how the text report shows them. Owns the rule for how many buckets
 * become one bar; must not know where the buckets come from.
 *
 * A bar stands for one or more entire buckets and is labelled with their range of values: no bucket
 * is split or interpolated. Up to HIST_BARS buckets get one bar each. More buckets are merged: in
 * the core of the distribution into bars of equal width, to show the shape, and in the tails into
 * ever wider bars, to include the farthest run.
 */
#include <math.h>
#include <stdlib.h>

#include "base/table.h"
#include "base/text.h"
#include "base/util.h"
#include "render/report_priv.h"

enum {
	CORE_BARS = 12, /* bars of equal width */
	LOW_BARS = 3,
	HIGH_BARS = 5,
	BAR_WIDTH = 40, /* the length of the longest bar, in characters */
};

/*
 * The core lies between these two quantiles. They are not symmetric, because the upper tail of
 * costs is usually longer than the lower tail.
 */
static const double core_low = 0.01, core_high = 0.95;

/*
 * Maps values to the numbers of bars. Bars below 0 are in the lower tail, and bars from CORE_BARS
 * on are in the upper tail.
 */
struct scale {
	/* The lowest value of the core, and the width of a bar in the core */
	double low, width;
	/* The logarithm of the ratio between the widths of adjacent bars in each tail */
	double low_tail, high_tail;
};

static __u64 sum_runs(const struct report_bucket *b, int cnt)
{
	__u64 sum = 0;

	for (int i = 0; i < cnt; i++)
		sum += b[i].count;
	return sum;
}

/* Returns the index of the bucket that contains the given quantile of the runs. */
static int find_percentile(const struct report_bucket *b, int cnt, double share)
{
	double below = 0, want = share * sum_runs(b, cnt);

	for (int i = 0; i < cnt; i++) {
		below += b[i].count;
		if (below >= want)
			return i;
	}
	return cnt - 1;
}

/*
 * Returns the logarithm of the ratio between the widths of adjacent bars in a tail. The ratio is at
 * least 2, and large enough for cnt bars to cover the tail, whose length is dist.
 */
static double tail_ratio(double dist, double width, int cnt)
{
	double ratio = log1p((dist > 0 ? dist : 0) / width) / cnt;

	return ratio > M_LN2 ? ratio : M_LN2;
}

static void init_scale(struct scale *s, const struct report_bucket *b, int cnt)
{
	int first = find_percentile(b, cnt, core_low), last = find_percentile(b, cnt, core_high);
	double step = INFINITY, bucket = 0, span;

	/*
	 * step is the distance between two possible values of the event: 1, or the scale of a perf
	 * event that has one, such as 2.3e-10 Joules.
	 */
	for (int i = 0; i + 1 < cnt; i++)
		step = fmin(step, b[i + 1].low - b[i].high);
	for (int i = first; i <= last; i++)
		bucket = fmax(bucket, b[i].high - b[i].low + step);
	/* Avoid a division by zero: a malformed report may have buckets without a width. */
	if (!(bucket > 0))
		bucket = 1;
	span = b[last].high - b[first].low + step;
	s->low = b[first].low;
	/*
	 * A bar is as wide as a whole number of the widest buckets. Otherwise some bars would
	 * contain more buckets than others.
	 */
	s->width = bucket * ceil(span / bucket / CORE_BARS);
	s->low_tail = tail_ratio(s->low - b[0].low, s->width, LOW_BARS);
	s->high_tail =
		tail_ratio(b[cnt - 1].low - s->low - CORE_BARS * s->width, s->width, HIGH_BARS);
}

/* Returns the number of the bar for a value. A larger value never has a smaller bar number. */
static int find_bar(const struct scale *s, double value)
{
	double dist = (value - s->low) / s->width;

	if (dist < 0)
		return -1 - (int)fmin(LOW_BARS - 1, floor(log1p(-dist) / s->low_tail));
	if (dist < CORE_BARS)
		return (int)dist;
	return CORE_BARS + (int)fmin(HIGH_BARS - 1, floor(log1p(dist - CORE_BARS) / s->high_tail));
}

int report_event__merge_buckets(const struct report_event *ev, struct report_bucket *bar)
{
	const struct report_bucket *b = ev->bucket;
	int cnt = ev->bucket_cnt, bar_cnt = 0, prev = 0;
	struct scale s = {};

	_Static_assert(HIST_BARS == CORE_BARS + LOW_BARS + HIGH_BARS, "the sum of all parts");

	if (cnt > HIST_BARS)
		init_scale(&s, b, cnt);
	for (int i = 0; i < cnt; i++) {
		int cur = cnt > HIST_BARS ? find_bar(&s, b[i].low) : i;

		if (!i || cur > prev) {
			bar[bar_cnt++] = b[i];
		} else {
			bar[bar_cnt - 1].high = b[i].high;
			bar[bar_cnt - 1].count += b[i].count;
		}
		prev = cur;
	}
	return bar_cnt;
}

bool report_hist__is_gap(const struct report_bucket *bar, int cnt, int i)
{
	return i && bar[i].low - bar[i - 1].high > (bar[cnt - 1].high - bar[0].low) / 8 + 1;
}

struct table *report_event__make_hist(const struct report_event *ev)
{
	static const struct table_col cols[] = {
		RIGHT_COL("FROM", .row_header = true),
		RIGHT_COL("TO"),
		RIGHT_COL("RUNS"),
		RIGHT_COL("SHARE"),
		LEFT_COL("", .text_only = true),
	};
	static const char full[] = "########################################";
	struct report_bucket bar[HIST_BARS];
	int cnt = report_event__merge_buckets(ev, bar);
	struct table *t = table__new();
	__u64 longest = 0, sum = sum_runs(bar, cnt);
	char percent[NUMBER_SZ];

	_Static_assert(sizeof(full) - 1 == BAR_WIDTH, "full is the longest bar");
	table__add_cols(t, cols, ARRAY_SIZE(cols));
	for (int i = 0; i < cnt; i++)
		longest = bar[i].count > longest ? bar[i].count : longest;
	for (int i = 0; i < cnt; i++) {
		/* Mark a wide gap between two bars, so that they do not look adjacent. */
		if (report_hist__is_gap(bar, cnt, i)) {
			table__add_row(t);
			table__add_cell(t, TABLE_DIM, "...");
		}
		table__add_row(t);
		table__add_amount(t, "", bar[i].low, ev->unit, true);
		table__add_amount(t, "", bar[i].high, ev->unit, true);
		table__add_count(t, bar[i].count, TABLE_PLAIN);
		table__add_cell(t, TABLE_PLAIN, "%s%%",
				number__percent(percent, bar[i].count, sum, 2));
		table__add_cell(t, TABLE_PLAIN, "%.*s",
				longest ? (int)lround((double)BAR_WIDTH * bar[i].count / longest)
					: 0,
				full);
	}
	return t;
}

static void print_hist_event(const struct report_prog *p, const struct report_row *row,
			     const struct report_event *ev, const struct report *r,
			     const struct screen *screen, FILE *out)
{
	char title[TITLE_SZ], unit[UNIT_SZ], id[ID_SZ], cpu[32] = "", *heading, *printable;
	struct table *t = report_event__make_hist(ev);

	if (row->cpu >= 0)
		snprintf(cpu, sizeof(cpu), " cpu %d", row->cpu);
	heading = text__format("%s %s%s: %s%s per run, %s", report_prog__id(p, id),
			       report_prog__part_title(p, title), cpu, text__or_empty(ev->name),
			       report_event__unit_suffix(ev, unit), r->calibrated ? "net" : "raw");
	printable = text__printable(heading);
	fprintf(out, "\n%s\n", printable);
	table__print(t, out, true, screen);
	table__free(t);
	free(heading);
	free(printable);
}

static void print_hist_row(const struct report_prog *p, const struct report_row *row,
			   const struct report *r, const struct screen *screen, FILE *out)
{
	for (int i = 0; i < row->event_cnt; i++)
		if (row->event[i].bucket_cnt)
			print_hist_event(p, row, &row->event[i], r, screen, out);
}

void report__print_hist(const struct report *r, const struct render_opts *o, FILE *out)
{
	for (int i = 0; i < r->prog_cnt; i++) {
		const struct report_prog *p = &r->prog[i];

		print_hist_row(p, &p->all, r, &o->screen, out);
		for (int j = 0; o->per_cpu && j < p->cpu_cnt; j++)
			print_hist_row(p, &p->cpu[j], r, &o->screen, out);
	}
}
