// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The table of program sizes: one line per program, even if the program was measured with several
 * input cases. Owns the columns; must not know how the sizes were found.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/table.h"
#include "base/text.h"
#include "base/util.h"
#include "render/report_priv.h"

/*
 * Returns true if an earlier row of the same program was printed. Rows of one program are adjacent.
 */
static bool is_printed(const struct report *r, int prog)
{
	const struct report_prog *p = &r->prog[prog];

	for (int i = prog - 1; i >= 0 && r->prog[i].id == p->id; i--)
		if (report_prog__has_size(&r->prog[i]) && text__is_same(r->prog[i].name, p->name))
			return true;
	return false;
}

void report__make_sizes(const struct report *r, const struct render_opts *o,
			struct report_table *out)
{
	static const struct table_col cols[] = {
		RIGHT_COL("ID"),
		LEFT_COL("NAME", .min_width = 15, .row_header = true),
	};
	unsigned int known = 0; /* bit i: at least one program has size i */
	char label[LABEL_SZ], prog_id[ID_SZ];
	struct table *t;

	for (int i = 0; i < r->prog_cnt; i++)
		for (int id = 0; id < SIZE_CNT; id++)
			if (!isnan(r->prog[i].size[id]))
				known |= 1U << id;
	/* Sizes are shown after bprof bench. Other measurements show them only with -v. */
	if (!known || !render_opts__is_first(o) || !(r->driven || o->verbose))
		return;
	t = table__new();
	table__add_cols(t, cols, ARRAY_SIZE(cols));
	for (int id = 0; id < SIZE_CNT; id++) {
		const struct table_col col =
			RIGHT_COL(size_specs[id].header, .drop_order = size_specs[id].drop_order);

		if (known & (1U << id))
			table__add_cols(t, &col, 1);
	}
	for (int i = 0; i < r->prog_cnt; i++) {
		if (!report_prog__has_size(&r->prog[i]) || is_printed(r, i))
			continue;
		table__add_row(t);
		table__add_cell(t, TABLE_PLAIN, "%s", report_prog__id(&r->prog[i], prog_id));
		table__add_cell(t, TABLE_PLAIN, "%s", report_prog__label(&r->prog[i], label));
		for (int id = 0; id < SIZE_CNT; id++)
			if (known & (1U << id))
				table__add_amount(t, "", r->prog[i].size[id], size_specs[id].unit,
						  true);
	}
	snprintf(out->title, sizeof(out->title), "size of each program");
	out->table = t;
	out->header = true;
}
