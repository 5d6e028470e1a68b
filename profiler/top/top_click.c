// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Handles clicks of the mouse in bprof top: a click selects a row, sorts by a column, or shows or
 * hides a column. Must not know how a terminal reports clicks.
 */
#include <string.h>
#include <strings.h>

#include "top/top_priv.h"

static enum top_action click_title(struct top *t, const char *title, bool other)
{
	const int before = t->sort;
	char text[120];

	for (int i = 0; !other && top__column(i); i++) {
		if (strcasecmp(top__column(i), title))
			continue;
		t->sort = i;
		t->reverse = i == before && !t->reverse;
		return top__show_order(t);
	}
	snprintf(text, sizeof(text), "rows cannot be sorted by %s%s", title,
		 other ? " of this event, only by that of the first one" : "");
	top__set_message(t, text);
	return TOP_NOTHING;
}

#define FIRST_LINE 2 /* first line of the page of columns: its title and a message come before */

static enum top_action click_columns(struct top *t, int y)
{
	int col = y - FIRST_LINE + t->scroll;

	if (y < FIRST_LINE || y >= FIRST_LINE + t->shown || col >= TOP_COL_CNT)
		return TOP_NOTHING;
	t->col = col;
	return top__press(t, ' ');
}

enum top_action top__click(struct top *t, int x, int y)
{
	char title[TOP_TITLE_SZ];
	bool other;
	int row;

	if (t->prompt || !t->width)
		return TOP_NOTHING;
	top__set_message(t, NULL);
	t->unread = 0;
	if (t->page == TOP_COLUMNS)
		return click_columns(t, y);
	if (t->page != TOP_LIST)
		return TOP_NOTHING;
	row = top__row_at(t, y);
	if (row >= 0)
		top__select(t, row);
	else if (top__title_at(t, x, y, title, &other))
		return click_title(t, title, other);
	return TOP_NOTHING;
}
