// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The chart of a comparison in HTML: for each changed row, the relative change and its confidence
 * interval, on one axis with zero. Owns the geometry; must not know the other parts of the page.
 */
#include <math.h>

#include "base/text.h"
#include "html/html.h"
#include "html/html_chart.h"
#include "render/compare_render.h"

enum {
	MAX_CHART_ROWS = 30, /* only the worst rows have a place; the table has all */
	WIDTH = 360,
	LEFT = 10,
	RIGHT = 350,
	ROW = 30, /* the height of a row: its label, and below it its interval */
	AXIS = 24,
	LABEL = 50, /* room for a label at an end of the axis */
};

struct change_chart {
	struct html *h;
	const struct compare_row *row[MAX_CHART_ROWS];
	int cnt;
	double min, max; /* the ends of the axis, as shares */
};

/* Returns the lower end of a row's interval or, if the row is exact, the change itself. */
static double low_end(const struct compare_row *row)
{
	return isfinite(row->share.low) ? row->share.low : row->share.estimate;
}

static double high_end(const struct compare_row *row)
{
	return isfinite(row->share.high) ? row->share.high : row->share.estimate;
}

static double find_x(const struct change_chart *c, double share)
{
	return LEFT + (RIGHT - LEFT) * (share - c->min) / (c->max - c->min);
}

static void add_chart_row(const struct change_chart *c, int i)
{
	const struct compare_row *row = c->row[i];
	const char *input = compare_row__input(row);
	char label[COMPARE_LABEL_SZ], text[2 * COMPARE_LABEL_SZ], change[COMPARE_LABEL_SZ];
	int y = i * ROW + 22;

	snprintf(text, sizeof(text), "%.60s%s%.40s%s %.40s %s%s%.20s: %s",
		 compare_row__label(row, label), *input ? " [" : "", input, *input ? "]" : "",
		 row->event, compare_stats[row->stat].name, row->point ? " " : "",
		 text__or_empty(row->point), compare_row__change(row, change));
	html_chart__label(c->h, LEFT, y - 8, "start", text);
	html_chart__line(c->h, "mark", find_x(c, 0), y - 6, find_x(c, 0), y + 6);
	html_chart__line(c->h, "path", find_x(c, low_end(row)), y, find_x(c, high_end(row)), y);
	html__begin(c->h, "circle");
	html__attr(c->h, "class", "dot %s",
		   row->verdict == VERDICT_WORSE    ? "worse"
		   : row->verdict == VERDICT_BETTER ? "better"
						    : "");
	html_chart__set(c->h, "cx", find_x(c, row->share.estimate));
	html__attr(c->h, "cy", "%d", y);
	html__attr(c->h, "r", "3.5");
	html__end(c->h);
}

static void draw_axis(const struct change_chart *c)
{
	int bottom = c->cnt * ROW + 4;
	char low[32], high[32];

	number__share(low, sizeof(low), c->min);
	number__share(high, sizeof(high), c->max);
	html_chart__line(c->h, "axis", LEFT, bottom, RIGHT, bottom);
	html_chart__label(c->h, find_x(c, 0), bottom + 14, "middle", "0");
	if (find_x(c, 0) - LEFT > LABEL)
		html_chart__label(c->h, LEFT, bottom + 14, "start", low);
	if (RIGHT - find_x(c, 0) > LABEL)
		html_chart__label(c->h, RIGHT, bottom + 14, "end", high);
}

void comparison__write_chart(const struct comparison *all, struct html *h)
{
	static const char title[] = "relative change, with its 95% confidence interval";
	struct change_chart c = {.h = h};

	for (int i = 0; i < all->row_cnt && c.cnt < MAX_CHART_ROWS; i++) {
		const struct compare_row *row = &all->row[i];

		if (row->verdict == VERDICT_SAME || row->refused || !isfinite(row->share.estimate))
			continue;
		c.row[c.cnt++] = row;
		c.min = fmin(c.min, low_end(row));
		c.max = fmax(c.max, high_end(row));
	}
	if (!(c.max > c.min))
		return;
	html__begin(h, "figure");
	html__element(h, "figcaption", NULL, title);
	html__begin(h, "svg");
	html__attr(h, "xmlns", "http://www.w3.org/2000/svg");
	html__attr(h, "viewBox", "0 0 %d %d", WIDTH, c.cnt * ROW + AXIS);
	html__attr(h, "role", "img");
	html__element(h, "title", NULL, title);
	html__element(
		h, "desc", NULL,
		"One line for each changed statistic: the interval, and a dot for the change. "
		"The short vertical lines are no change. The table above has the numbers.");
	for (int i = 0; i < c.cnt; i++)
		add_chart_row(&c, i);
	draw_axis(&c);
	html__end(h);
	html__end(h);
}
