// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The charts of a report in HTML, as SVG: the histogram of an event, and the means of its blocks.
 * Owns the geometry of the charts; must not know the other parts of the page.
 *
 * The bars of a histogram are those of report_hist.c, with equal widths: a bar in a tail stands for
 * a wider range than one in the core. The tooltip of a bar and the table below the chart have the
 * ranges.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/text.h"
#include "html/html_chart.h"
#include "render/report_priv.h"

struct chart {
	struct html *h;
	const struct report *r;
	const struct report_prog *p;
	const struct report_row *row;
	const struct report_event *ev;
};

static const char *format_cost(const struct chart *c, double v, char *buf)
{
	return number__quantity(buf, v, c->ev->unit, true);
}

static void begin_chart(const struct chart *c, const char *what, const char *description)
{
	char title[TITLE_SZ], id[ID_SZ], cpu[32] = "", *caption, *name;

	if (c->row->cpu >= 0)
		snprintf(cpu, sizeof(cpu), ", CPU %d", c->row->cpu);
	caption = text__format("%s %s%s: %s, %s", report_prog__id(c->p, id),
			       report_prog__part_title(c->p, title), cpu,
			       text__or_empty(c->ev->name), what);
	name = strchr(caption, ' ') + 1; /* skips the id at the beginning of the caption */
	html_chart__begin(c->h, caption, name, description);
	free(caption);
}

/* ---- histograms ---- */

struct bars {
	struct report_bucket bar[HIST_BARS];
	int cnt, slots; /* a slot is the place of a bar, or of a gap between two bars */
	__u64 longest, sum;
};

static void add_bar(const struct chart *c, const struct bars *b, int i, int slot)
{
	double width = (double)(CHART_RIGHT - CHART_LEFT) / b->slots, x = CHART_LEFT + slot * width;
	double height = fmax(1, (double)(CHART_BOTTOM - CHART_TOP) * b->bar[i].count / b->longest);
	char low[QUANTITY_SZ], high[QUANTITY_SZ], runs[NUMBER_SZ], share[NUMBER_SZ];

	html__begin(c->h, "rect");
	html__attr(c->h, "class", "bar");
	html_chart__set(c->h, "x", x + width / 10);
	html_chart__set(c->h, "y", CHART_BOTTOM - height);
	html_chart__set(c->h, "width", width * 8 / 10);
	html_chart__set(c->h, "height", height);
	html__begin(c->h, "title");
	html__text(c->h, "%s to %s: %s runs (%s%%)", format_cost(c, b->bar[i].low, low),
		   format_cost(c, b->bar[i].high, high), number__group_u64(runs, b->bar[i].count),
		   number__percent(share, b->bar[i].count, b->sum, 2));
	html__end(c->h);
	html__end(c->h);
}

static void add_bars(const struct chart *c, const struct bars *b)
{
	double width = (double)(CHART_RIGHT - CHART_LEFT) / b->slots;
	int slot = 0;

	for (int i = 0; i < b->cnt; i++) {
		if (report_hist__is_gap(b->bar, b->cnt, i))
			html_chart__label(c->h, CHART_LEFT + (slot++ + 0.5) * width,
					  CHART_BOTTOM - 4, "middle", "...");
		add_bar(c, b, i, slot++);
	}
}

static void add_histogram(const struct chart *c)
{
	char low[QUANTITY_SZ], high[QUANTITY_SZ], share[NUMBER_SZ + 1], description[400];
	const char *kind = c->r->calibrated ? "net per run" : "raw per run";
	struct table *t = report_event__make_hist(c->ev);
	struct bars b = {};

	b.cnt = report_event__merge_buckets(c->ev, b.bar);
	for (int i = 0; i < b.cnt; i++) {
		b.longest = b.bar[i].count > b.longest ? b.bar[i].count : b.longest;
		b.sum += b.bar[i].count;
		b.slots += 1 + report_hist__is_gap(b.bar, b.cnt, i);
	}
	format_cost(c, b.bar[0].low, low);
	format_cost(c, b.bar[b.cnt - 1].high, high);
	number__percent(share, b.longest, b.sum, 1);
	strcat(share, "%");
	snprintf(description, sizeof(description),
		 "Histogram of the runs from %s to %s. The highest bar has %s of the runs.", low,
		 high, share);
	begin_chart(c, kind, description);
	html_chart__label(c->h, CHART_LEFT - 6, CHART_TOP + 8, "end", share);
	html_chart__label(c->h, CHART_LEFT - 6, CHART_BOTTOM, "end", "0%");
	html_chart__label(c->h, CHART_LEFT, CHART_LABELS, "start", low);
	html_chart__label(c->h, CHART_RIGHT, CHART_LABELS, "end", high);
	add_bars(c, &b);
	html_chart__end(c->h);
	html__begin(c->h, "details");
	html__element(c->h, "summary", NULL, "Numbers");
	html__table(c->h, t, "runs for each range of cost");
	html__end(c->h);
	table__free(t);
	html__end(c->h); /* figure */
}

/* ---- blocks ---- */

/* The blocks of an event and the span of their means. */
struct blocks {
	const struct report_event *ev;
	struct chart_span span;
};

static struct chart_point find_block(const void *arg, int i)
{
	const struct blocks *b = arg;

	return (struct chart_point){
		CHART_LEFT + 6 +
			(double)(CHART_RIGHT - CHART_LEFT - 12) * i / (b->ev->block_cnt - 1),
		chart_span__y(&b->span, b->ev->block[i].stat[STAT_MEAN]),
	};
}

/* Draws the means of the blocks in the order in which they were measured. */
static void add_blocks(const struct chart *c)
{
	char low[QUANTITY_SZ], high[QUANTITY_SZ], last[16], description[400];
	char value[QUANTITY_SZ], title[QUANTITY_SZ + 32];
	struct blocks b = {c->ev, {INFINITY, -INFINITY}};

	for (int i = 0; i < c->ev->block_cnt; i++) {
		b.span.min = fmin(b.span.min, c->ev->block[i].stat[STAT_MEAN]);
		b.span.max = fmax(b.span.max, c->ev->block[i].stat[STAT_MEAN]);
	}
	if (c->ev->block_cnt < 2 || !isfinite(b.span.min) || !isfinite(b.span.max))
		return;
	format_cost(c, b.span.min, low);
	format_cost(c, b.span.max, high);
	snprintf(last, sizeof(last), "%d", c->ev->block_cnt);
	snprintf(description, sizeof(description),
		 "The mean of each of %d blocks in the order of their measurement, from %s to %s.",
		 c->ev->block_cnt, low, high);
	begin_chart(c, "mean of each block", description);
	chart_span__label(&b.span, c->h, low, high);
	html_chart__label(c->h, CHART_LEFT + 6, CHART_LABELS, "middle", "1");
	html_chart__label(c->h, CHART_RIGHT - 6, CHART_LABELS, "middle", last);
	html_chart__path(c->h, c->ev->block_cnt, find_block, &b);
	for (int i = 0; i < c->ev->block_cnt && c->ev->block_cnt <= CHART_MAX_DOTS; i++) {
		struct chart_point p = find_block(&b, i);

		snprintf(title, sizeof(title), "block %d: %s", i + 1,
			 format_cost(c, c->ev->block[i].stat[STAT_MEAN], value));
		html_chart__dot(c->h, "dot", p.x, p.y, title);
	}
	html_chart__end(c->h);
	html__end(c->h); /* figure */
}

/* ---- all charts ---- */

static void add_charts(struct html *h, const struct report *r, const struct report_prog *p,
		       const struct report_row *row)
{
	for (int i = 0; i < row->event_cnt; i++) {
		const struct chart c = {h, r, p, row, &row->event[i]};

		if (c.ev->bucket_cnt)
			add_histogram(&c);
		add_blocks(&c);
	}
}

bool report__has_charts(const struct report *r)
{
	for (int i = 0; i < r->prog_cnt; i++)
		for (int e = 0; e < r->prog[i].all.event_cnt; e++)
			if (r->prog[i].all.event[e].bucket_cnt ||
			    r->prog[i].all.event[e].block_cnt > 1)
				return true;
	return false;
}

void report__write_charts(const struct report *r, const struct render_opts *o, struct html *h)
{
	html__begin(h, "div");
	html__attr(h, "class", "charts");
	for (int i = 0; i < r->prog_cnt; i++) {
		const struct report_prog *p = &r->prog[i];

		add_charts(h, r, p, &p->all);
		for (int k = 0; o->per_cpu && k < p->cpu_cnt; k++)
			add_charts(h, r, p, &p->cpu[k]);
	}
	html__end(h);
}
