// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The pages of bprof top that are texts: the help and those about one program. Owns their titles and
 * scrolling; must not know where a text comes from.
 */
#include <errno.h>
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

static int count_lines(const char *s)
{
	int cnt = 0;

	for (; s && *s; s++)
		cnt += *s == '\n';
	return cnt;
}

static const char *skip_lines(const char *s, int cnt)
{
	while (s && *s && cnt) {
		cnt -= *s == '\n';
		s++;
	}
	return s;
}

/* The picture stands where messages are shown, if there is none. */
static void print_graph(const struct top *t, const struct screen *screen, FILE *out)
{
	char graph[TOP_GRAPH_SZ], number[NUMBER_SZ], line[2 * TOP_GRAPH_SZ + NUMBER_SZ] = "";
	double peak = top_recent__graph(&t->recent, t->cursor_id, graph);

	if (!isnan(peak))
		snprintf(line, sizeof(line), "CPU%% of the last 2 min, from 0 to %s: %s",
			 number__rate(number, 100 * peak), graph);
	top__print_line(line, TABLE_PLAIN, screen, out);
}

static void print_title(const struct top *t, int lines, const struct screen *screen, FILE *out)
{
	char title[64], line[160];

	snprintf(title, sizeof(title), titles[t->page], t->cursor_id);
	snprintf(line, sizeof(line), "%s%s  (line %d of %d; Esc: back to the list)", title,
		 t->paused ? ", PAUSED" : "", lines ? t->scroll + 1 : 0, lines);
	top__print_line(line, TABLE_PLAIN, screen, out);
	if (t->message || t->page != TOP_DETAIL)
		top__print_line(t->message ?: "", TABLE_YELLOW, screen, out);
	else
		print_graph(t, screen, out);
}

void top__print_page(struct top *t, const struct screen *screen, int height, FILE *out)
{
	int lines = count_lines(t->text);
	const char *s;

	t->shown = height > 3 ? height - 3 : 0;
	if (t->scroll > lines - t->shown)
		t->scroll = lines > t->shown ? lines - t->shown : 0;
	print_title(t, lines, screen, out);
	s = skip_lines(t->text, t->scroll);
	for (int i = 0; i < t->shown; i++) {
		int len = s ? strcspn(s, "\n") : 0;

		fprintf(out, "%.*s\n", len, s ?: "");
		s = s && s[len] ? s + len + 1 : NULL;
	}
	top__print_keys(t, screen, out);
}
