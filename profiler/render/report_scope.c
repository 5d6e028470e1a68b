// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The table of scopes. With -A, the CPUs of a scope follow its row. Owns the
 * labels of scopes; must not know the table of programs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/text.h"
#include "base/util.h"
#include "render/report_priv.h"

/* Returns true if the label needs the id: the scope is a process or a thread, or has no name. */
static bool is_known_by_id(const struct report_scope *s)
{
	static const char *const kinds[] = {"process", "thread"};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (s->kind && !strcmp(s->kind, kinds[i]))
			return true;
	return !s->name || !*s->name;
}

char *report_scope__label(const struct report_scope *s)
{
	const char *kind = s->kind ?: "-", *name = text__or_empty(s->name);

	if (!is_known_by_id(s))
		return text__format("%s %s", kind, name);
	if (!s->id)
		return text__format("%s", kind);
	return text__format("%s %llu%s%s%s", kind, (unsigned long long)s->id, *name ? " (" : "",
			    name, *name ? ")" : "");
}

static void add_or_same(struct table *t, int event, const char *text)
{
	if (event)
		table__add_same(t);
	else
		table__add_cell(t, TABLE_PLAIN, "%s", text);
}

/* Adds a line for each event of the row. The first line has the scope's name and method. */
static void add_scope_row(struct table *t, const struct event_columns *events,
			  const struct report_row *row, const char *label, const char *method)
{
	for (int i = 0; i < row->event_cnt || !i; i++) {
		table__add_row(t);
		add_or_same(t, i, label);
		add_or_same(t, i, method);
		if (i < row->event_cnt)
			event_columns__add_cells(events, t, row, &row->event[i]);
	}
}

static void add_scope_rows(struct table *t, const struct event_columns *events,
			   const struct report_scope *s, bool per_cpu)
{
	char *label = report_scope__label(s), cpu[32];

	add_scope_row(t, events, &s->all, label, s->method ?: "-");
	free(label);
	for (int i = 0; per_cpu && i < s->cpu_cnt; i++) {
		snprintf(cpu, sizeof(cpu), "  cpu %d", s->cpu[i].cpu);
		add_scope_row(t, events, &s->cpu[i], cpu, "");
	}
}

void report__make_scopes(const struct report *r, const struct render_opts *o,
			 struct report_table *out)
{
	static const struct table_col cols[] = {
		LEFT_COL("TARGET", .min_width = 20, .row_header = true),
		LEFT_COL("METHOD", .drop_order = 1),
	};
	struct event_columns events = {};
	struct table *t;

	if (!r->scope_cnt)
		return;
	t = table__new();
	for (int i = 0; i < r->scope_cnt; i++) {
		event_columns__note(&events, &r->scope[i].all);
		for (int k = 0; o->per_cpu && k < r->scope[i].cpu_cnt; k++)
			event_columns__note(&events, &r->scope[i].cpu[k]);
	}
	table__add_cols(t, cols, ARRAY_SIZE(cols));
	event_columns__add_cols(&events, t);
	for (int i = 0; i < r->scope_cnt; i++)
		add_scope_rows(t, &events, &r->scope[i], o->per_cpu);
	out->table = t;
	out->header = render_opts__is_first(o) || r->prog_cnt;
}
