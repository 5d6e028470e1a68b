// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Charts as SVG. Owns their elements and their geometry; must not know what they show.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/text.h"
#include "html/html_chart.h"

void html_chart__set(struct html *h, const char *name, double v)
{
	char buf[NUMBER_SZ];

	html__attr(h, name, "%s", number__fixed(buf, v, 1));
}

void html_chart__begin(struct html *h, const char *caption, const char *title,
		       const char *description)
{
	html__begin(h, "figure");
	html__element(h, "figcaption", NULL, caption);
	html__begin(h, "svg");
	html__attr(h, "xmlns", "http://www.w3.org/2000/svg");
	html__attr(h, "viewBox", "0 0 %d %d", CHART_WIDTH, CHART_HEIGHT);
	html__attr(h, "role", "img");
	html__element(h, "title", NULL, title);
	html__element(h, "desc", NULL, description);
}

void html_chart__end(struct html *h)
{
	html__begin(h, "line");
	html__attr(h, "class", "axis");
	html__attr(h, "x1", "%d", CHART_LEFT);
	html__attr(h, "x2", "%d", CHART_RIGHT);
	html__attr(h, "y1", "%d", CHART_BOTTOM);
	html__attr(h, "y2", "%d", CHART_BOTTOM);
	html__end(h);
	html__end(h); /* svg */
}

void html_chart__label(struct html *h, double x, double y, const char *anchor, const char *text)
{
	html__begin(h, "text");
	html_chart__set(h, "x", x);
	html_chart__set(h, "y", y);
	html__attr(h, "text-anchor", "%s", anchor);
	html__text(h, "%s", text);
	html__end(h);
}

void html_chart__line(struct html *h, const char *class, double x1, double y1, double x2, double y2)
{
	html__begin(h, "line");
	html__attr(h, "class", "%s", class);
	html_chart__set(h, "x1", x1);
	html_chart__set(h, "x2", x2);
	html_chart__set(h, "y1", y1);
	html_chart__set(h, "y2", y2);
	html__end(h);
}

void html_chart__dot(struct html *h, const char *class, double x, double y, const char *title)
{
	html__begin(h, "circle");
	html__attr(h, "class", "%s", class);
	html_chart__set(h, "cx", x);
	html_chart__set(h, "cy", y);
	html__attr(h, "r", "3");
	html__element(h, "title", NULL, title);
	html__end(h);
}

void html_chart__path(struct html *h, int cnt, struct chart_point (*get)(const void *arg, int i),
		      const void *arg)
{
	char x[NUMBER_SZ], y[NUMBER_SZ], *points = NULL;
	size_t sz;
	FILE *out = text__open(&points, &sz);

	for (int i = 0; i < cnt; i++) {
		struct chart_point p = get(arg, i);

		fprintf(out, "%s%s,%s", i ? " " : "", number__fixed(x, p.x, 1),
			number__fixed(y, p.y, 1));
	}
	fclose(out);
	html__begin(h, "polyline");
	html__attr(h, "class", "path");
	html__attr(h, "points", "%s", points);
	html__end(h);
	free(points);
}

double chart_span__y(const struct chart_span *s, double v)
{
	double range = s->max - s->min, share = range > 0 ? (v - s->min) / range : 0.5;

	return CHART_BOTTOM - 8 - share * (CHART_BOTTOM - CHART_TOP - 16);
}

void chart_span__label(const struct chart_span *s, struct html *h, const char *low,
		       const char *high)
{
	double middle = (CHART_TOP + CHART_BOTTOM) / 2 + 4;

	html_chart__label(h, CHART_LEFT - 6, CHART_TOP + 8, "end", s->min < s->max ? high : "");
	html_chart__label(h, CHART_LEFT - 6, s->min < s->max ? CHART_BOTTOM - 4 : middle, "end",
			  low);
}
