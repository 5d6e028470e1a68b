// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The pages of bprof top that are texts: the help, and the pages about one program. Owns their
 * titles and scrolling; must not know where a text comes from.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "top/top_priv.h"

static const char *const titles[TOP_PAGE_CNT] = {
	[TOP_HELP] = "keys of bprof top",
	[TOP_MESSAGES] = "messages of bprof top",
	[TOP_DETAIL] = "program %u",
	[TOP_TREE] = "functions of program %u",
	[TOP_CALLS] = "functions of program %u, and what they call",
	[TOP_ANNOTATE] = "code of program %u, by samples",
};

#define BARS_HEIGHT 16 /* the lowest screen that has room for pictures of percentiles */

/* Prints the picture of the program's CPU share in the line for messages if there is no message. */
static void print_graph(const struct top *t, const struct screen *screen, FILE *out)
{
	char graph[TOP_GRAPH_SZ], number[NUMBER_SZ], line[2 * TOP_GRAPH_SZ + NUMBER_SZ] = "";
	double peak = top_recent__graph(&t->recent, top__selected_id(t), graph);

	if (!isnan(peak))
		snprintf(line, sizeof(line), "CPU%% of the last 2 min, from 0 to %s: %s",
			 number__rate(number, 100 * peak), graph);
	top__print_line(line, TABLE_PLAIN, screen, out);
}

/* Returns the width of the label that the picture of a percentile has. */
static int label_bars(const struct top *t, int quantile, double peak, char *label, size_t sz)
{
	static const char *const names[TOP_QUANTILES] = {"P50", "P99"};
	char number[QUANTITY_SZ];

	return snprintf(label, sz, "%s of %.40s, by interval, from 0 to %8s: ", names[quantile],
			t->recent.event, number__amount(number, peak, t->recent.unit, true));
}

/* Prints the picture of a percentile, with as many intervals as fit. */
static void print_bars(const struct top *t, int quantile, const struct screen *screen, FILE *out)
{
	char bars[TOP_BARS_SZ], label[160], line[sizeof(label) + TOP_BARS_SZ] = "";
	double peak = top_recent__bars(&t->recent, top__selected_id(t), quantile, TOP_BARS, bars);
	int room;

	if (!isnan(peak)) {
		room = screen->width - label_bars(t, quantile, peak, label, sizeof(label));
		peak = top_recent__bars(&t->recent, top__selected_id(t), quantile,
					room < TOP_BARS ? room : TOP_BARS, bars);
	}
	if (!isnan(peak)) { /* peak: the highest of the values that are shown */
		label_bars(t, quantile, peak, label, sizeof(label));
		snprintf(line, sizeof(line), "%s%s", label, bars);
	}
	top__print_line(line, TABLE_PLAIN, screen, out);
}

/* Returns how many pictures of percentiles the page has. */
static int count_bars(const struct top *t)
{
	char buf[TOP_BARS_SZ];

	return t->page != TOP_DETAIL || isnan(top_recent__bars(&t->recent, top__selected_id(t),
							       TOP_QUANTILES - 1, TOP_BARS, buf))
		       ? 0
		       : TOP_QUANTILES;
}

void top__print_page(struct top *t, const struct screen *screen, int height, FILE *out)
{
	int lines = 0, bars = height >= BARS_HEIGHT ? count_bars(t) : 0;
	char title[64], line[160];
	const char *s;

	for (s = t->text; s && *s; s++)
		lines += *s == '\n';
	t->shown = height > 3 + bars ? height - 3 - bars : 0;
	if (t->scroll > lines - t->shown)
		t->scroll = lines > t->shown ? lines - t->shown : 0;
	snprintf(title, sizeof(title), titles[t->page], top__selected_id(t));
	snprintf(line, sizeof(line), "%s%s  (line %d of %d; Esc: back to the list)", title,
		 t->paused ? ", PAUSED" : "", lines ? t->scroll + 1 : 0, lines);
	top__print_line(line, TABLE_PLAIN, screen, out);
	if (t->message || t->page != TOP_DETAIL)
		top__print_line(t->message ?: "", TABLE_YELLOW, screen, out);
	else
		print_graph(t, screen, out);
	for (int i = 0; i < bars; i++)
		print_bars(t, i, screen, out);
	s = t->text;
	for (int skipped = 0; s && *s && skipped < t->scroll; s++)
		skipped += *s == '\n';
	for (int i = 0; i < t->shown; i++) {
		int len = s ? strcspn(s, "\n") : 0;

		fprintf(out, "%.*s\n", len, s ?: "");
		s = s && s[len] ? s + len + 1 : NULL;
	}
	top__print_keys(t, screen, out);
}
