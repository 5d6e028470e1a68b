// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A comparison as an HTML page: the verdict, a table of the changes and a chart of them, and the
 * other parts below. Owns the order of the sections; must not know the contents of cells.
 */
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/text.h"
#include "html/html.h"
#include "render/compare_render.h"
#include "render/render.h"

struct compare_page {
	struct html h;
	const struct comparison *c;
	const struct compare_render_opts *o;
};

/* The class of the verdict, which sets its colour, as in tables. */
static const char *const classes[TABLE_STYLE_CNT] = {
	[TABLE_PLAIN] = "verdict",	[TABLE_DIM] = "verdict good",
	[TABLE_RED] = "verdict bad",	[TABLE_YELLOW] = "verdict warn",
	[TABLE_GREEN] = "verdict good",
};

/* Writes the table and frees it. */
static void write_part(struct compare_page *p, struct table *t, const char *caption)
{
	html__table(&p->h, t, caption);
	table__free(t);
}

static void write_change_sections(struct compare_page *p)
{
	int changed = comparison__count_changed(p->c, p->c->row_cnt),
	    same = p->c->row_cnt - changed;

	html__element(&p->h, "h2", NULL, "Changes");
	if (changed)
		write_part(p, comparison__make_table(p->c, p->o, 0, changed),
			   "statistics that are not the same, the worst first");
	comparison__write_chart(p->c, &p->h);
	if (!changed)
		html__element(&p->h, "p", NULL, "Nothing has changed by more than its limit.");
	if (!same)
		return;
	html__begin(&p->h, "details");
	if (!changed)
		html__attr(&p->h, "open", "%s", "");
	html__begin(&p->h, "summary");
	html__text(&p->h, "%d the same", same);
	html__end(&p->h);
	write_part(p, comparison__make_table(p->c, p->o, changed, p->c->row_cnt),
		   "statistics that are the same, or whose change is within the limit");
	html__end(&p->h);
}

static void print_reasons(const void *arg, FILE *out)
{
	const struct compare_page *p = arg;

	comparison__print_reasons(p->c, out);
}

static void print_list(const void *arg, FILE *out)
{
	const struct compare_page *p = arg;

	comparison__print_notes(p->c, out);
}

static void print_comparison_json(const void *arg, FILE *out)
{
	const struct compare_page *p = arg;
	struct compare_render_opts o = *p->o;

	o.one_line = true;
	comparison__render_json(p->c, &o, out);
}

static void write_sentences(struct compare_page *p, const char *heading,
			    void (*print)(const void *arg, FILE *out))
{
	char *text = html__capture(print, p);

	if (*text) {
		html__element(&p->h, "h2", NULL, heading);
		html__lines(&p->h, text);
	}
	free(text);
}

void comparison__render_html(const struct comparison *c, const struct compare_render_opts *opts,
			     FILE *out)
{
	struct compare_render_opts o = *opts;
	struct compare_page p = {.h.out = out, .c = c, .o = &o};
	char headline[160], *title = text__format("%s compared with %s", o.new_name, o.base_name);
	char *json;

	o.verbose = 1;
	html_page__begin(out, title);
	free(title);
	html__element(&p.h, "p", classes[verdict_styles[c->verdict]],
		      comparison__headline(c, headline, sizeof(headline)));
	write_change_sections(&p);
	write_sentences(&p, "Why it is inconclusive", print_reasons);
	write_sentences(&p, "Notes", print_list);
	if (comparison__known_sizes(c)) {
		html__element(&p.h, "h2", NULL, "Sizes");
		write_part(&p, comparison__make_sizes(c), "sizes of the programs");
	}
	html__element(&p.h, "h2", NULL, "What was compared");
	html__begin(&p.h, "dl");
	html__attr(&p.h, "class", "facts");
	html__fact(&p.h, "Base", "%s", o.base_name);
	html__fact(&p.h, "New", "%s", o.new_name);
	html__end(&p.h);
	json = html__capture(print_comparison_json, &p);
	html__json(&p.h, json);
	free(json);
	html_page__end(out);
	html__finish(&p.h);
}
