// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The rows of bprof top. Owns which programs of a report are shown, their order, the selection, and
 * the moment of the baseline; must not know keys, columns or a terminal.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "render/render.h"
#include "top/top_priv.h"

struct top *top__new(void)
{
	struct top *t = xcalloc(1, sizeof(*t));

	top__sort_by(t, "cpu%");
	return t;
}

void top__free(struct top *t)
{
	if (!t)
		return;
	report__free(t->report);
	top_history__free(&t->before);
	top_history__free(&t->since);
	top_recent__free(&t->recent);
	free(t->rows.prog);
	free(t->message);
	free(t->log);
	report__free(t->selected);
	free(t->text);
	free(t);
}

/* ---- rows ---- */

static bool has_text(const char *s, const char *part)
{
	return s && strcasestr(s, part);
}

/* Returns true if the row's id, name, function, type or method contains the user's text. */
static bool matches_text(const struct report_prog *p, const char *part)
{
	char id[16];

	snprintf(id, sizeof(id), "%u", p->id);
	return has_text(p->name, part) || has_text(p->func, part) || has_text(p->type, part) ||
	       has_text(p->method, part) || !strcmp(id, part);
}

bool top__sorts_by_means(const struct top *t)
{
	return !t->by_interval && top_recent__has(top__column(t->sort));
}

/*
 * Returns true if the list does not show the row. The row "other" is hidden until a measured run has
 * returned a value without a row of its own. The rates of the other rows include the runs of the row "not
 * measured", but the numbers of runs in a file do not.
 */
static bool is_row_hidden(const struct top *t, const struct report_prog *p)
{
	return report_prog__is_rest(p) && !p->all.measured &&
	       !(t->writing && (p->all.runs || p->all.at_least));
}

void top__set_writing(struct top *t, bool on)
{
	t->writing = on;
	top__arrange(t);
}

void top__arrange(struct top *t)
{
	struct render_opts o = {
		.sort = top__column(t->sort), .active = !t->idle, .reverse = t->reverse};
	struct report chosen = {};
	double *means = NULL;
	int hidden;

	if (!t->report)
		return;
	chosen = *t->report;
	chosen.prog = xcalloc(t->report->prog_cnt + 1, sizeof(*chosen.prog));
	chosen.prog_cnt = 0;
	for (int i = 0; i < t->report->prog_cnt; i++) {
		const struct report_prog *p = &t->report->prog[i];

		if (matches_text(p, t->filter) && !is_row_hidden(t, p))
			chosen.prog[chosen.prog_cnt++] = *p;
	}
	free(t->rows.prog);
	t->rows = (struct report){};
	/* Sort by the means of the last intervals: else a single interrupt would move rows. */
	if (top__sorts_by_means(t)) {
		means = xcalloc(chosen.prog_cnt + 1, sizeof(*means));
		top_recent__means(&t->recent, o.sort, &chosen, means);
		o.keys = means;
	}
	report__order(&chosen, &o, &t->rows, &hidden);
	free(means);
	free(chosen.prog);
	/* The selection stays on the row of the chosen program. */
	for (int i = 0; t->chosen && i < t->rows.prog_cnt; i++) {
		const struct report_prog *p = &t->rows.prog[i];

		if (p->id == top__selected_id(t) && report_prog__is_same(p, t->selected->prog))
			t->cursor = i;
	}
	if (t->cursor >= t->rows.prog_cnt)
		t->cursor = t->rows.prog_cnt ? t->rows.prog_cnt - 1 : 0;
}

void top__set_report(struct top *t, struct report *r, const struct top_stats *stats)
{
	report__free(t->report);
	t->report = r;
	t->stats = *stats;
	top_recent__add(&t->recent, r);
	top_history__add(t->compared ? &t->since : &t->before, r);
	if (t->compared)
		top_history__compare(&t->before, &t->since, r, &t->machine);
	if (t->mark_base)
		t->compared = true;
	t->mark_base = false;
	top__arrange(t);
}

void top__skip(struct top *t, __u64 ns)
{
	top_recent__skip(&t->recent, ns);
}

void top__end_comparison(struct top *t)
{
	top_history__free(&t->before);
	t->before = t->since;
	t->since = (struct top_history){};
	t->compared = false;
	t->machine = 0;
}

void top__select(struct top *t, int row)
{
	if (row >= t->rows.prog_cnt)
		row = t->rows.prog_cnt - 1;
	t->cursor = row < 0 ? 0 : row;
	/*
	 * While the first row is selected, the selection stays on that row, whatever program is on
	 * it.
	 */
	t->chosen = t->cursor > 0;
	if (!t->rows.prog_cnt)
		return;
	report__free(t->selected);
	t->selected = report__new();
	top__add_identity(t->selected, &t->rows.prog[t->cursor]);
}

void top__find(struct top *t, int from)
{
	for (int i = 0; *t->search && i < t->rows.prog_cnt; i++) {
		int row = (from + i) % t->rows.prog_cnt;

		if (matches_text(&t->rows.prog[row], t->search)) {
			top__select(t, row);
			t->chosen = true;
			return;
		}
	}
	top__set_message(t, "nothing found");
}

const struct report *top__rows(const struct top *t)
{
	return t->report ? &t->rows : NULL;
}

const struct report *top__rows_of_interval(struct top *t)
{
	t->by_interval = true;
	top__arrange(t);
	return top__rows(t);
}

__u32 top__selected_id(const struct top *t)
{
	return t->selected ? t->selected->prog->id : 0;
}

__u32 top__selected(const struct top *t)
{
	if (t->page != TOP_LIST)
		return top__selected_id(t);
	return t->cursor < t->rows.prog_cnt ? t->rows.prog[t->cursor].id : 0;
}

bool top__lists(const struct top *t, __u32 id)
{
	for (int i = 0; t->report && i < t->report->prog_cnt; i++)
		if (t->report->prog[i].id == id)
			return true;
	return t->page != TOP_LIST && top__selected(t) == id;
}

void top__set_message(struct top *t, const char *message)
{
	free(t->message);
	t->message = message ? xstrdup(message) : NULL;
}

#define LOG_WIDTH 79
#define MAX_LOG 20000 /* in bytes; if the messages get longer, the oldest lines are removed */

void top__add_message(struct top *t, const char *message)
{
	const char *old = t->log ?: "";
	char *log = NULL;
	size_t sz;
	FILE *out = text__open(&log, &sz);

	top__set_message(t, message);
	t->unread++;
	while (strlen(old) > MAX_LOG)
		old += strcspn(old, "\n") + 1;
	fputs(old, out);
	text__wrap(out, message, 2, LOG_WIDTH);
	fclose(out);
	free(t->log);
	t->log = log;
	if (t->page == TOP_MESSAGES)
		top__set_text(t, top__messages(t));
}

char *top__messages(const struct top *t)
{
	return xstrdup(t->log ?: "no messages so far\n");
}

void top__set_text(struct top *t, char *text)
{
	free(t->text);
	t->text = text;
}

void top__set_attached(struct top *t, const char *(*attached)(void *arg, __u32 id), void *arg)
{
	t->attached = attached;
	t->attached_arg = arg;
}

bool top__is_paused(const struct top *t)
{
	return t->paused;
}

bool top__shows_idle(const struct top *t)
{
	return t->idle;
}

enum top_page top__page(const struct top *t)
{
	return t->page;
}
