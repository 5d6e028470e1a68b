/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Charts as SVG: a figure with a caption, lines, dots and labels. All charts have the same size, so
 * that they fit into a grid.
 */
#ifndef BPROF_HTML_CHART_H
#define BPROF_HTML_CHART_H

#include "html/html.h"

/* The layout of a chart in units of its viewBox. The units are pixels if the chart is 360 pixels wide. */
enum {
	CHART_WIDTH = 360,
	CHART_HEIGHT = 160,
	CHART_LEFT = 62,
	CHART_RIGHT = 350,
	CHART_TOP = 14,
	CHART_BOTTOM = 130,
	CHART_LABELS = 147,   /* the base line of the labels below the axis */
	CHART_MAX_DOTS = 100, /* more points are drawn as a line without dots */
};

/* Begins a figure and its chart. The title and the description are for screen readers, too. */
void html_chart__begin(struct html *h, const char *caption, const char *title,
		       const char *description);
/* Draws the axis and ends the chart, but not the figure: other content may follow the chart. */
void html_chart__end(struct html *h);

/* Sets an attribute to a number with one digit after the point. */
void html_chart__set(struct html *h, const char *name, double v);
void html_chart__label(struct html *h, double x, double y, const char *anchor, const char *text);
void html_chart__line(struct html *h, const char *class, double x1, double y1, double x2,
		      double y2);
/* Draws a dot. title: its tooltip. */
void html_chart__dot(struct html *h, const char *class, double x, double y, const char *title);

struct chart_point {
	double x, y;
};
/* Draws a line through the points that get() returns for 0 to cnt - 1. */
void html_chart__path(struct html *h, int cnt, struct chart_point (*get)(const void *arg, int i),
		      const void *arg);

/* The values of a vertical axis. */
struct chart_span {
	double min, max;
};
/* Returns the y of a value: min is near the axis and max at the top. */
double chart_span__y(const struct chart_span *s, double v);
/* Draws the labels of the vertical axis. low, high: min and max as text. */
void chart_span__label(const struct chart_span *s, struct html *h, const char *low,
		       const char *high);

#endif
