// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The columns that the list of bprof top has. Owns their names, the user's choice, and the page on
 * which the user chooses. Must not know what is in a column, or which columns a narrow screen
 * leaves out.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "base/util.h"
#include "top/top_priv.h"

static const struct {
	const char *name, *help;
} names[TOP_COL_CNT] = {
	[TOP_COL_ID] = {"id", "the program's id"},
	[TOP_COL_NAME] = {"name", "its name, and those of functions and return values"},
	[TOP_COL_TYPE] = {"type", "its type"},
	[TOP_COL_METHOD] = {"method", "how it is measured"},
	[TOP_COL_ATTACHED] = {"attached", "where it is attached"},
	[TOP_COL_RUNS] = {"runs/s", "runs in a second"},
	[TOP_COL_CPU] = {"cpu%", "its share of a CPU"},
	[TOP_COL_HISTORY] = {"history", "a picture of CPU% in the last two minutes"},
	[TOP_COL_MEAN] = {"mean", "for each event: the mean of the runs"},
	[TOP_COL_CHANGE] = {"change", "for each event: the change since the key b"},
	[TOP_COL_P99] = {"p99", "for each event: what 99 % of the runs do not exceed"},
	[TOP_COL_MAX] = {"max", "for each event: the most expensive run"},
};

/* The columns by which the list can be sorted: those of report__order() that it shows. */
static const char *const sort_columns[] = {"id",   "name", "type", "method", "runs/s",
					   "cpu%", "mean", "p99",  "max"};

const char *top__column(int i)
{
	return i < (int)ARRAY_SIZE(sort_columns) ? sort_columns[i] : NULL;
}

void top__sort_by(struct top *t, const char *column)
{
	for (int i = 0; top__column(i); i++)
		if (!strcasecmp(top__column(i), column))
			t->sort = i;
}

bool top__wants(const struct top *t, enum top_col col)
{
	return !(t->hidden & (1U << col));
}

/* ---- by name ---- */

#define ALL_COLUMNS ((1U << TOP_COL_CNT) - 1)

/* Returns the names of the columns that are not in the set. */
static char *list_columns(unsigned int hidden)
{
	char *list = NULL;
	size_t sz;
	FILE *out = text__open(&list, &sz);
	const char *sep = "";

	for (int i = 0; i < TOP_COL_CNT; i++) {
		if (hidden & (1U << i))
			continue;
		fprintf(out, "%s%s", sep, names[i].name);
		sep = ",";
	}
	fclose(out);
	return list;
}

char *top__columns(const struct top *t)
{
	return list_columns(t->hidden);
}

static char *refuse_column(const char *name, int len)
{
	char *all = list_columns(0), *bad = text__format("%.*s", len < 40 ? len : 40, name),
	     *safe = text__printable(bad);
	char *text = text__format("there is no column '%s'; there are %s", safe, all);

	free(safe);
	free(bad);
	free(all);
	return text;
}

char *top__choose_columns(struct top *t, const char *list)
{
	unsigned int hidden = ALL_COLUMNS;
	const char *s = list;

	for (;;) {
		int len = strcspn(s, ",");
		enum top_col col = 0;

		while (col < TOP_COL_CNT &&
		       (strncasecmp(names[col].name, s, len) || names[col].name[len]))
			col++;
		if (col == TOP_COL_CNT)
			return refuse_column(s, len);
		hidden &= ~(1U << col);
		if (!s[len])
			break;
		s += len + 1;
	}
	t->hidden = hidden;
	return NULL;
}

/* ---- on the page ---- */

void top__print_columns(struct top *t, const struct screen *screen, int height, FILE *out,
			int *cursor)
{
	int room = height - 3,
	    first = t->col >= room ? t->col - room + 1 : 0; /* 3 lines: title, message, keys */

	t->scroll = first;
	t->shown = room;
	top__print_line("columns of bprof top  (Space: show or hide; Esc: back to the list)",
			TABLE_PLAIN, screen, out);
	top__print_line(t->message ?: "", TABLE_YELLOW, screen, out);
	for (int i = first; i < first + room; i++) {
		char line[100] = "";

		if (i < TOP_COL_CNT)
			snprintf(line, sizeof(line), "[%c] %-9s %s", top__wants(t, i) ? 'x' : ' ',
				 names[i].name, names[i].help);
		top__print_line(line, TABLE_PLAIN, screen, out);
	}
	top__print_keys(t, screen, out);
	*cursor = 2 + t->col - first;
}

static enum top_action toggle(struct top *t)
{
	unsigned int hidden = t->hidden ^ (1U << t->col);

	if (hidden == ALL_COLUMNS) {
		top__set_message(t, "one column has to stay");
		return TOP_NOTHING;
	}
	t->hidden = hidden;
	return TOP_REMEMBER;
}

static void select_column(struct top *t, int col)
{
	t->col = col < 0 ? 0 : col < TOP_COL_CNT ? col : TOP_COL_CNT - 1;
}

bool top__press_column(struct top *t, int key, enum top_action *action)
{
	*action = TOP_NOTHING;
	switch (key) {
	case ' ':
	case TOP_KEY_ENTER:
		*action = toggle(t);
		return true;
	case TOP_KEY_UP:
	case TOP_KEY_WHEEL_UP:
	case 'k':
		select_column(t, t->col - 1);
		return true;
	case TOP_KEY_DOWN:
	case TOP_KEY_WHEEL_DOWN:
	case 'j':
		select_column(t, t->col + 1);
		return true;
	case TOP_KEY_HOME:
	case TOP_KEY_PAGE_UP:
		select_column(t, 0);
		return true;
	case TOP_KEY_END:
	case TOP_KEY_PAGE_DOWN:
		select_column(t, TOP_COL_CNT);
		return true;
	default:
		return false;
	}
}
