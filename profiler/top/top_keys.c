// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The keys of bprof top. Owns the table of keys, which is also the help, and the line that the user
 * types. Must not know what rows or pages look like, or how a terminal encodes keys.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/text.h"
#include "top/top_priv.h"

/* ---- the line that the user types ---- */

/* Applies the filter while the user types it, and the search when it is complete. */
static enum top_action take_input(struct top *t, bool complete)
{
	if (t->prompt == '\\') {
		strcpy(t->filter, t->input);
		top__arrange(t);
	} else if (complete) {
		strcpy(t->search, t->input);
		top__find(t, t->cursor);
	}
	if (complete)
		t->prompt = 0;
	return TOP_NOTHING;
}

static void remove_last(char *s)
{
	size_t len = strlen(s);

	while (len && (s[len - 1] & 0xc0) == 0x80)
		len--;
	s[len ? len - 1 : 0] = '\0';
}

static void append_typed(char *s, int key)
{
	mbstate_t state = {};
	char bytes[MB_LEN_MAX];
	size_t len = wcrtomb(bytes, key, &state);

	if (key < ' ' || key >= TOP_KEY_UP || len == (size_t)-1 || strlen(s) + len >= TOP_INPUT_SZ)
		return;
	strncat(s, bytes, len);
}

static enum top_action type_key(struct top *t, int key)
{
	switch (key) {
	case TOP_KEY_ENTER:
		return take_input(t, true);
	case TOP_KEY_ESCAPE:
		t->input[0] = '\0';
		if (t->prompt == '\\')
			return take_input(t, true);
		t->prompt = 0;
		return TOP_NOTHING;
	case TOP_KEY_BACKSPACE:
		remove_last(t->input);
		break;
	default:
		append_typed(t->input, key);
	}
	return take_input(t, false);
}

static enum top_action begin_input(struct top *t, int key)
{
	t->prompt = key;
	strcpy(t->input, key == '\\' ? t->filter : "");
	return TOP_NOTHING;
}

/* ---- what the keys do ---- */

#define LAST_LINE (1 << 20) /* more lines than any page has */
#define WHEEL 3		    /* number of lines for one step of the mouse wheel */

static void move_by(struct top *t, int rows)
{
	if (t->page == TOP_LIST)
		top__select(t, t->cursor + rows);
	else
		t->scroll = t->scroll + rows < 0 ? 0 : t->scroll + rows;
}

static enum top_action press_move(struct top *t, int key)
{
	int page = t->shown > 1 ? t->shown - 1 : 1;

	switch (key) {
	case TOP_KEY_UP:
	case 'k':
		move_by(t, -1);
		break;
	case TOP_KEY_DOWN:
	case 'j':
		move_by(t, 1);
		break;
	case TOP_KEY_WHEEL_UP:
		move_by(t, -WHEEL);
		break;
	case TOP_KEY_WHEEL_DOWN:
		move_by(t, WHEEL);
		break;
	case TOP_KEY_PAGE_UP:
		move_by(t, -page);
		break;
	case TOP_KEY_PAGE_DOWN:
		move_by(t, page);
		break;
	case TOP_KEY_HOME:
		move_by(t, -(t->page == TOP_LIST ? t->cursor : t->scroll));
		break;
	case TOP_KEY_END:
		move_by(t, LAST_LINE);
		break;
	}
	return TOP_NOTHING;
}

/* After a change of the order, the user wants to see the first rows. */
enum top_action top__show_order(struct top *t)
{
	top__arrange(t);
	top__select(t, 0);
	return TOP_NOTHING;
}

static enum top_action press_sort(struct top *t, int key)
{
	int cnt = 0;

	while (top__column(cnt))
		cnt++;
	t->sort = (t->sort + (key == '>' ? 1 : cnt - 1)) % cnt;
	return top__show_order(t);
}

static enum top_action press_reverse(struct top *t, int key)
{
	t->reverse = !t->reverse;
	return top__show_order(t);
}

static enum top_action press_next(struct top *t, int key)
{
	top__find(t, t->cursor + 1);
	return TOP_NOTHING;
}

/* While paused, refuses keys that end the interval: its numbers would not be shown. */
static bool is_refused(struct top *t)
{
	if (t->paused)
		top__set_message(t, "not while paused: press Space first");
	return t->paused;
}

static enum top_action press_pause(struct top *t, int key)
{
	t->paused = !t->paused;
	return TOP_NOTHING;
}

static enum top_action press_interval(struct top *t, int key)
{
	return key == '-' ? TOP_FASTER : TOP_SLOWER;
}

static enum top_action press_idle(struct top *t, int key)
{
	if (is_refused(t))
		return TOP_NOTHING;
	t->idle = !t->idle;
	return TOP_READ;
}

static enum top_action press_baseline(struct top *t, int key)
{
	if (t->compared) {
		top__end_comparison(t);
		return TOP_NOTHING;
	}
	if (is_refused(t))
		return TOP_NOTHING;
	t->mark_base = true;
	top__set_message(t, "baseline: CHANGE compares the runs from now on with those before");
	return TOP_READ;
}

static enum top_action press_divide(struct top *t, int key)
{
	const struct report *r = t->report;

	if (r && !r->by_retval && t->stats.unprobed) {
		top__set_message(t, "return values are only known with probes, and no program "
				    "has one");
		return TOP_NOTHING;
	}
	top__set_message(t, "attaching all probes again...");
	return TOP_DIVIDE;
}

static enum top_action press_write(struct top *t, int key)
{
	if (t->report)
		return TOP_WRITE;
	top__set_message(t, "nothing is measured yet");
	return TOP_NOTHING;
}

static enum top_action press_quit(struct top *t, int key)
{
	return TOP_QUIT;
}

void top__leave_page(struct top *t)
{
	t->page = TOP_LIST;
	t->scroll = 0;
	top__set_text(t, NULL);
}

static enum top_action press_leave(struct top *t, int key)
{
	if (t->page == TOP_LIST)
		return TOP_NOTHING;
	top__leave_page(t);
	return TOP_PAGE;
}

static enum top_action open_page(struct top *t, enum top_page page)
{
	bool chosen = t->chosen, about = page >= TOP_DETAIL && page != TOP_COLUMNS;

	if (about && !top__selected(t)) {
		top__set_message(t, t->report ? "no program is selected"
					      : "wait for the first numbers");
		return TOP_NOTHING;
	}
	if (about && t->report->sum) {
		top__set_message(t, "a sum of programs has no pages: run top without --sum, with "
				    "--name or --owner");
		return TOP_NOTHING;
	}
	if (t->page == TOP_LIST)
		top__select(t, t->cursor);
	t->chosen = chosen; /* not as top__select() has set it */
	t->page = page;
	t->scroll = page == TOP_MESSAGES ? LAST_LINE : 0;
	top__set_text(t, page == TOP_HELP	? top__help()
			 : page == TOP_MESSAGES ? top__messages(t)
						: NULL);
	return TOP_PAGE;
}

static enum top_action press_page(struct top *t, int key)
{
	switch (key) {
	case '?':
	case 'h':
		return open_page(t, TOP_HELP);
	case 'm':
		return open_page(t, TOP_MESSAGES);
	case 't':
		return open_page(t, TOP_TREE);
	case 'c':
		return open_page(t, TOP_CALLS);
	case 'a':
		return open_page(t, TOP_ANNOTATE);
	case 'f':
		return open_page(t, TOP_COLUMNS);
	default:
		return open_page(t, TOP_DETAIL);
	}
}

#define MAX_KEYS 4

static const struct top_key {
	int key[MAX_KEYS];
	enum top_action (*press)(struct top *t, int key);
	bool on_pages;	   /* the key also works on the other pages, not only on the list */
	const char *shown; /* the keys' names */
	const char *brief; /* for the line of keys; NULL: the line does not have it */
	const char *help;
} keys[] = {
	{{'q'}, press_quit, true, "q", "quit", "end bprof top"},
	{{'?', 'h'}, press_page, true, "?", "help", "show this text"},
	{{TOP_KEY_ENTER},
	 press_page,
	 false,
	 "Enter",
	 "detail",
	 "show the selected program: distributions, CPUs, attachments, holders, maps, notes"},
	{{'t'},
	 press_page,
	 true,
	 "t",
	 "tree",
	 "measure the functions of the selected program, as a tree, while the page is open"},
	{{'c'},
	 press_page,
	 true,
	 "c",
	 "calls",
	 "like t, also with the kernel's functions that the program calls; all runs are "
	 "measured, and the probes also slow down other callers of these functions"},
	{{'a'},
	 press_page,
	 true,
	 "a",
	 "annotate",
	 "sample the code of the selected program, by source line, while the page is open"},
	{{TOP_KEY_ESCAPE, TOP_KEY_BACKSPACE},
	 press_leave,
	 true,
	 "Esc",
	 NULL,
	 "leave a page, and return to the list"},
	{{'<', '>'},
	 press_sort,
	 false,
	 "< >",
	 "sort",
	 "sort by the column to the left or right, and show the first rows"},
	{{'R'}, press_reverse, false, "R", NULL, "reverse the order; unknown numbers stay last"},
	{{'\\'},
	 begin_input,
	 false,
	 "\\",
	 "filter",
	 "show only programs with this text in their name, function, type, method, or as id"},
	{{'/'}, begin_input, false, "/", "search", "select the next program with this text"},
	{{'n'}, press_next, false, "n", NULL, "select the next program that the search finds"},
	{{' '}, press_pause, true, "Space", "pause", "keep what is shown, until the next Space"},
	{{'+', '-', '='},
	 press_interval,
	 true,
	 "+ -",
	 "interval",
	 "make the interval longer or shorter"},
	{{'b'},
	 press_baseline,
	 false,
	 "b",
	 "baseline",
	 "start a comparison: CHANGE is the mean from now on, compared with the mean before; * "
	 "marks a certain change, ? an uncertain one; press b again to end it"},
	{{'r'},
	 press_divide,
	 false,
	 "r",
	 "by retval",
	 "show a row for each value that a program returns, such as XDP_DROP; press r again to "
	 "end it; both attach all probes anew; meanwhile, runs are not counted"},
	{{'i'}, press_idle, false, "i", "idle", "also show programs that do not run"},
	{{'o'},
	 press_write,
	 false,
	 "o",
	 "output",
	 "write the rows of the list to new files in the current directory, as JSON and HTML"},
	{{'f'},
	 press_page,
	 false,
	 "f",
	 "columns",
	 "choose the columns of the list, which bprof top remembers"},
	{{'m'}, press_page, true, "m", "messages", "show all messages since the start"},
	{{TOP_KEY_UP, TOP_KEY_DOWN, 'k', 'j'},
	 press_move,
	 true,
	 "Up Down",
	 NULL,
	 "select a program, which stays selected when rows move; scroll a page"},
	{{TOP_KEY_PAGE_UP, TOP_KEY_PAGE_DOWN, TOP_KEY_HOME, TOP_KEY_END},
	 press_move,
	 true,
	 "PgUp PgDn Home End",
	 NULL,
	 "move by a screen, or to the first or last line"},
	{{TOP_KEY_WHEEL_UP, TOP_KEY_WHEEL_DOWN},
	 press_move,
	 true,
	 "Mouse",
	 NULL,
	 "click a row to select it; click a title to sort by its column, again to reverse the "
	 "order; the wheel moves by lines"},
};

static const struct top_key *find_entry_of_key(int key)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		for (int k = 0; k < MAX_KEYS; k++)
			if (key && keys[i].key[k] == key)
				return &keys[i];
	return NULL;
}

static enum top_action refuse_key(struct top *t, int key, bool on_list)
{
	char name[MB_LEN_MAX + 8], text[80];

	if (key <= ' ' || key >= TOP_KEY_UP ||
	    snprintf(name, sizeof(name), "key %lc", (wint_t)key) < 0)
		strcpy(name, "this key");
	snprintf(text, sizeof(text), "%s %s", name,
		 on_list ? "works on the list only: Esc goes back to it"
			 : "does nothing: ? shows all keys");
	top__set_message(t, text);
	return TOP_NOTHING;
}

enum top_action top__press(struct top *t, int key)
{
	const struct top_key *k = find_entry_of_key(key);
	enum top_action action;

	top__set_message(t, NULL);
	t->unread = 0;
	if (t->prompt)
		return type_key(t, key);
	if (t->page == TOP_COLUMNS && top__press_column(t, key, &action))
		return action;
	if (!k || (t->page != TOP_LIST && !k->on_pages))
		return refuse_key(t, key, k);
	return k->press(t, key);
}

bool top__key(int i, const char **shown, const char **help)
{
	if (i >= (int)ARRAY_SIZE(keys))
		return false;
	*shown = keys[i].shown;
	*help = keys[i].help;
	return true;
}

char *top__help(void)
{
	const char *shown, *help;
	char *text = NULL;
	size_t sz;
	FILE *out = text__open(&text, &sz);

	for (int i = 0; top__key(i, &shown, &help); i++) {
		fprintf(out, "%-18s  ", shown);
		text__wrap(out, help, 20, 79);
	}
	fclose(out);
	return text;
}

void top__print_keys(const struct top *t, const struct screen *screen, FILE *out)
{
	char line[512];
	size_t len = 0;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		char item[64];
		int n = snprintf(item, sizeof(item), "%s%s %s", len ? "  " : "", keys[i].shown,
				 keys[i].brief ?: "");

		if (!keys[i].brief || (t->page != TOP_LIST && !keys[i].on_pages))
			continue;
		if (screen->width && len + n > (size_t)screen->width)
			break;
		len += snprintf(line + len, sizeof(line) - len, "%s", item);
	}
	top__print_line(line, TABLE_DIM, screen, out);
}
