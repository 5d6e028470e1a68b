// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Prints bprof list --perf as text, with a line for each attachment to a perf event or a
 * tracepoint. Owns the columns; must not know how the list was made.
 */
#include <stdio.h>

#include "base/table.h"
#include "base/util.h"
#include "btf/prog.h"
#include "list/cmd_list.h"
#include "target/attachments.h"

/* The table shows at most this many processes; JSON shows all processes. */
#define MAX_SHOWN_HOLDERS 4

static void add_attachment_row(struct table *t, const struct prog *p, const struct attachment *at)
{
	char held[256];

	holders__format(at->holder, at->holder_cnt, MAX_SHOWN_HOLDERS, held, sizeof(held));
	table__add_row(t);
	table__add_cell(t, TABLE_PLAIN, "%s", at->kind);
	table__add_cell(t, TABLE_PLAIN, "%s", *at->target ? at->target : "(not known)");
	table__add_cell(t, TABLE_PLAIN, "%u", p->info.id);
	table__add_cell(t, TABLE_PLAIN, "%s", prog_type__name(p->info.type));
	table__add_cell(t, TABLE_PLAIN, "%s", prog__name(p));
	if (at->link_id)
		table__add_cell(t, TABLE_PLAIN, "%u", at->link_id);
	else
		table__add_cell(t, TABLE_DIM, "-");
	table__add_cell(t, *held ? TABLE_PLAIN : TABLE_DIM, "%s", *held ? held : "no process");
}

void list__print_perf(const struct list *l, const struct csv_style *style, FILE *out)
{
	static const struct table_col cols[] = {
		LEFT_COL("KIND"),
		LEFT_COL("EVENT", .min_width = 16),
		RIGHT_COL("ID"),
		LEFT_COL("TYPE", .drop_order = 2),
		LEFT_COL("NAME", .min_width = 15),
		RIGHT_COL("LINK", .drop_order = 1),
		LEFT_COL("HELD BY", .min_width = 16, .folds = true),
	};
	const struct screen screen = screen__of(out);
	struct table *t = table__new();

	table__add_cols(t, cols, ARRAY_SIZE(cols));
	for (int i = 0; i < l->cnt; i++) {
		const struct prog *p = l->v[i].prog;
		const struct attachment *at = NULL;

		while ((at = attachments__next(&l->attachments, p->info.id, at)))
			if (attachment__is_perf(at))
				add_attachment_row(t, p, at);
	}
	if (style)
		table__print_csv(t, style, out);
	else
		table__print(t, out, true, &screen);
	table__free(t);
}
