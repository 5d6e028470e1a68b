// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The charts of a report in HTML, as SVG: the histogram of an event, and the means of its blocks.
 * Owns their geometry; must not know the rest of the page.
 *
 * The bars of a histogram are those of report_hist.c, with equal widths: a bar in a tail stands for
 * a wider range than one in the core. The tooltip of a bar and the table below the chart have the
 * ranges.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/text.h"
#include "html/html.h"
#include "report/report_priv.h"

/* The chart in units of its viewBox, which are pixels if the chart is 360 pixels wide. */
enum {
	WIDTH = 360,
	HEIGHT = 160,
	LEFT = 62,
	RIGHT = 350,
	TOP = 14,
	BOTTOM = 130,
	LABELS = 147,	/* the base line of the labels below the axis */
	MAX_DOTS = 100, /* more blocks are drawn as a line without dots */
};

struct chart {
	struct html *h;
	const struct report *r;
	const struct report_prog *p;
	const struct report_row *row;
	const struct report_event *ev;
};

static void set_number(struct html *h, const char *name, double v)
{
	char buf[NUMBER_SZ];

	html__attr(h, name, "%s", number__fixed(buf, v, 1));
}

static const char *format_value(const struct chart *c, double v, char *buf)
{
	return number__quantity(buf, v, c->ev->unit, true);
}

/* Begins a figure and its chart. The title and the description are for screen readers, too. */
static void begin_chart(const struct chart *c, const char *what, const char *description)
{
	char title[TITLE_SZ], cpu[32] = "";

	if (c->row->cpu >= 0)
		snprintf(cpu, sizeof(cpu), ", CPU %d", c->row->cpu);
	html__begin(c->h, "figure");
	html__begin(c->h, "figcaption");
	html__text(c->h, "%u %s%s: %s, %s", c->p->id, report_prog__part_title(c->p, title), cpu,
		   c->ev->name ?: "", what);
	html__end(c->h);
	html__begin(c->h, "svg");
	html__attr(c->h, "xmlns", "http://www.w3.org/2000/svg");
	html__attr(c->h, "viewBox", "0 0 %d %d", WIDTH, HEIGHT);
	html__attr(c->h, "role", "img");
	html__begin(c->h, "title");
	html__text(c->h, "%s%s: %s, %s", title, cpu, c->ev->name ?: "", what);
	html__end(c->h);
	html__element(c->h, "desc", NULL, description);
}

static void end_chart(const struct chart *c)
{
	html__begin(c->h, "line");
	html__attr(c->h, "class", "axis");
	html__attr(c->h, "x1", "%d", LEFT);
	html__attr(c->h, "x2", "%d", RIGHT);
	html__attr(c->h, "y1", "%d", BOTTOM);
	html__attr(c->h, "y2", "%d", BOTTOM);
	html__end(c->h);
	html__end(c->h); /* svg */
}

static void add_label(const struct chart *c, double x, double y, const char *anchor,
		      const char *text)
{
	html__begin(c->h, "text");
	set_number(c->h, "x", x);
	set_number(c->h, "y", y);
	html__attr(c->h, "text-anchor", "%s", anchor);
	html__text(c->h, "%s", text);
	html__end(c->h);
}

/* ---- histograms ---- */

struct bars {
	struct report_bucket bar[HIST_BARS];
	int cnt, slots; /* each gap between two bars takes a slot, too */
	__u64 longest, sum;
};

static void find_bars(const struct report_event *ev, struct bars *b)
{
	*b = (struct bars){};
	b->cnt = report_event__merge_buckets(ev, b->bar);
	for (int i = 0; i < b->cnt; i++) {
		b->longest = b->bar[i].count > b->longest ? b->bar[i].count : b->longest;
		b->sum += b->bar[i].count;
		b->slots += 1 + report_hist__is_gap(b->bar, b->cnt, i);
	}
}

static void add_bar(const struct chart *c, const struct bars *b, int i, int slot)
{
	double width = (double)(RIGHT - LEFT) / b->slots, x = LEFT + slot * width;
	double height = fmax(1, (double)(BOTTOM - TOP) * b->bar[i].count / b->longest);
	char low[QUANTITY_SZ], high[QUANTITY_SZ], runs[NUMBER_SZ], share[NUMBER_SZ];

	html__begin(c->h, "rect");
	html__attr(c->h, "class", "bar");
	set_number(c->h, "x", x + width / 10);
	set_number(c->h, "y", BOTTOM - height);
	set_number(c->h, "width", width * 8 / 10);
	set_number(c->h, "height", height);
	html__begin(c->h, "title");
	html__text(c->h, "%s to %s: %s runs (%s%%)", format_value(c, b->bar[i].low, low),
		   format_value(c, b->bar[i].high, high), number__group_u64(runs, b->bar[i].count),
		   number__percent(share, b->bar[i].count, b->sum, 2));
	html__end(c->h);
	html__end(c->h);
}

static void add_bars(const struct chart *c, const struct bars *b)
{
	double width = (double)(RIGHT - LEFT) / b->slots;
	int slot = 0;

	for (int i = 0; i < b->cnt; i++) {
		if (report_hist__is_gap(b->bar, b->cnt, i))
			add_label(c, LEFT + (slot++ + 0.5) * width, BOTTOM - 4, "middle", "...");
		add_bar(c, b, i, slot++);
	}
}

static void add_table(const struct chart *c)
{
	struct table *t = report_event__make_hist(c->ev);

	if (!t) {
		c->h->err = c->h->err ?: -ENOMEM;
		return;
	}
	html__begin(c->h, "details");
	html__element(c->h, "summary", NULL, "Numbers");
	html__table(c->h, t, "runs for each range of cost");
	html__end(c->h);
	table__free(t);
}

static const char *format_share(__u64 part, __u64 whole, char *buf)
{
	number__percent(buf, part, whole, 1);
	return strcat(buf, "%");
}

static void add_histogram(const struct chart *c)
{
	char low[QUANTITY_SZ], high[QUANTITY_SZ], share[NUMBER_SZ + 1], description[400];
	const char *kind = c->r->calibrated ? "net per run" : "raw per run";
	struct bars b;

	find_bars(c->ev, &b);
	format_value(c, b.bar[0].low, low);
	format_value(c, b.bar[b.cnt - 1].high, high);
	format_share(b.longest, b.sum, share);
	snprintf(description, sizeof(description),
		 "Histogram of the runs from %s to %s. The highest bar has %s of the runs.", low,
		 high, share);
	begin_chart(c, kind, description);
	add_label(c, LEFT - 6, TOP + 8, "end", share);
	add_label(c, LEFT - 6, BOTTOM, "end", "0%");
	add_label(c, LEFT, LABELS, "start", low);
	add_label(c, RIGHT, LABELS, "end", high);
	add_bars(c, &b);
	end_chart(c);
	add_table(c);
	html__end(c->h); /* figure */
}

/* ---- blocks ---- */

struct span {
	double min, max;
};

static struct span find_span(const struct report_event *ev)
{
	struct span s = {INFINITY, -INFINITY};

	for (int i = 0; i < ev->block_cnt; i++) {
		s.min = fmin(s.min, ev->block[i].stat[STAT_MEAN]);
		s.max = fmax(s.max, ev->block[i].stat[STAT_MEAN]);
	}
	return s;
}

static double block_x(const struct report_event *ev, int i)
{
	return LEFT + 6 + (double)(RIGHT - LEFT - 12) * i / (ev->block_cnt - 1);
}

static double block_y(const struct report_event *ev, const struct span *s, int i)
{
	double range = s->max - s->min;
	double share = range > 0 ? (ev->block[i].stat[STAT_MEAN] - s->min) / range : 0.5;

	return BOTTOM - 8 - share * (BOTTOM - TOP - 16);
}

static void add_path(const struct chart *c, const struct span *s)
{
	char x[NUMBER_SZ], y[NUMBER_SZ], *points = NULL;
	size_t sz;
	FILE *out = open_memstream(&points, &sz);

	if (!out) {
		c->h->err = c->h->err ?: -ENOMEM;
		return;
	}
	for (int i = 0; i < c->ev->block_cnt; i++)
		fprintf(out, "%s%s,%s", i ? " " : "", number__fixed(x, block_x(c->ev, i), 1),
			number__fixed(y, block_y(c->ev, s, i), 1));
	if (fclose(out) || !points) {
		c->h->err = c->h->err ?: -ENOMEM;
	} else {
		html__begin(c->h, "polyline");
		html__attr(c->h, "class", "path");
		html__attr(c->h, "points", "%s", points);
		html__end(c->h);
	}
	free(points);
}

static void add_dots(const struct chart *c, const struct span *s)
{
	char value[QUANTITY_SZ];

	for (int i = 0; i < c->ev->block_cnt && c->ev->block_cnt <= MAX_DOTS; i++) {
		html__begin(c->h, "circle");
		html__attr(c->h, "class", "dot");
		set_number(c->h, "cx", block_x(c->ev, i));
		set_number(c->h, "cy", block_y(c->ev, s, i));
		html__attr(c->h, "r", "3");
		html__begin(c->h, "title");
		html__text(c->h, "block %d: %s", i + 1,
			   format_value(c, c->ev->block[i].stat[STAT_MEAN], value));
		html__end(c->h);
		html__end(c->h);
	}
}

/* Draws the means of the blocks in the order in which they were measured. */
static void add_blocks(const struct chart *c)
{
	char low[QUANTITY_SZ], high[QUANTITY_SZ], last[16], description[400];
	struct span s = find_span(c->ev);

	if (c->ev->block_cnt < 2 || !isfinite(s.min) || !isfinite(s.max))
		return;
	format_value(c, s.min, low);
	format_value(c, s.max, high);
	snprintf(last, sizeof(last), "%d", c->ev->block_cnt);
	snprintf(description, sizeof(description),
		 "The mean of each of %d blocks in the order of their measurement, from %s to %s.",
		 c->ev->block_cnt, low, high);
	begin_chart(c, "mean of each block", description);
	add_label(c, LEFT - 6, TOP + 8, "end", s.min < s.max ? high : "");
	add_label(c, LEFT - 6, s.min < s.max ? BOTTOM - 4 : (TOP + BOTTOM) / 2 + 4, "end", low);
	add_label(c, LEFT + 6, LABELS, "middle", "1");
	add_label(c, RIGHT - 6, LABELS, "middle", last);
	add_path(c, &s);
	add_dots(c, &s);
	end_chart(c);
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
