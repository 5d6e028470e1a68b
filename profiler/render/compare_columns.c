// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The tables of a comparison in text and HTML, and their columns, which Markdown uses, too. Owns
 * the contents of cells; must not know what a table looks like.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/table.h"
#include "base/text.h"
#include "base/util.h"
#include "render/compare_render.h"

#define CELL_SZ COMPARE_LABEL_SZ

static void format_verdict(const struct compare_row *row, char *cell)
{
	snprintf(cell, CELL_SZ, "%s", compare_row__verdict(row));
}

static void format_prog(const struct compare_row *row, char *cell)
{
	compare_row__label(row, cell);
}

static bool has_input_cases(const struct comparison *c, const struct compare_render_opts *o)
{
	for (int i = 0; i < c->row_cnt; i++)
		if (*compare_row__input(&c->row[i]))
			return true;
	return false;
}

static void format_input(const struct compare_row *row, char *cell)
{
	snprintf(cell, CELL_SZ, "%s", compare_row__input(row));
}

static void format_event(const struct compare_row *row, char *cell)
{
	snprintf(cell, CELL_SZ, "%s", row->event);
}

static void format_stat(const struct compare_row *row, char *cell)
{
	snprintf(cell, CELL_SZ, "%s", compare_stats[row->stat].name);
}

static bool has_axis(const struct comparison *c, const struct compare_render_opts *o)
{
	return c->axis;
}

static void format_point(const struct compare_row *row, char *cell)
{
	snprintf(cell, CELL_SZ, "%s", text__or_empty(row->point));
}

/* ---- numbers ---- */

static bool is_exact_row(const struct compare_row *row)
{
	return !compare_stats[row->stat].average;
}

static int format_amount(const struct compare_row *row, double v, const char *sign, char *cell,
			 size_t sz)
{
	char buf[QUANTITY_SZ];

	return snprintf(cell, sz, "%s%s", sign,
			number__quantity(buf, v, row->unit, is_exact_row(row)));
}

static const char *sign_of(double v)
{
	return v > 0 ? "+" : "";
}

static void format_base(const struct compare_row *row, char *cell)
{
	format_amount(row, row->base_value, "", cell, CELL_SZ);
}

static void format_new(const struct compare_row *row, char *cell)
{
	format_amount(row, row->new_value, "", cell, CELL_SZ);
}

const char *compare_row__change(const struct compare_row *row, char *cell)
{
	double change = row->change.estimate;
	/*
	 * Both values are in the same histogram bucket, and may still differ by up to its width:
	 * print "<" and this width instead of 0 %.
	 */
	bool hidden = !change && row->rough;

	number__change(cell, change, row->unit, is_exact_row(row),
		       hidden ? NAN : row->share.estimate);
	if (hidden)
		snprintf(cell + strlen(cell), CELL_SZ - strlen(cell), " (<%.2g%%)",
			 row->rough_share > 0 ? 100 * row->rough_share : 1.6);
	return cell;
}

static void format_change(const struct compare_row *row, char *cell)
{
	compare_row__change(row, cell);
}

/* Prints the confidence interval: as shares if the limit is a share, otherwise as amounts. */
static void format_interval(const struct compare_row *row, char *cell)
{
	bool share = row->limit && row->limit->relative && isfinite(row->share.low) &&
		     isfinite(row->share.high);
	const struct stats_interval *in = share ? &row->share : &row->change;
	int len;

	if (row->exact || !isfinite(in->low) || !isfinite(in->high)) {
		snprintf(cell, CELL_SZ, "-");
		return;
	}
	len = share ? number__share(cell, CELL_SZ, in->low)
		    : format_amount(row, in->low, sign_of(in->low), cell, CELL_SZ);
	len += snprintf(cell + len, CELL_SZ - len, " to ");
	if (share)
		number__share(cell + len, CELL_SZ - len, in->high);
	else
		format_amount(row, in->high, sign_of(in->high), cell + len, CELL_SZ - len);
}

static void format_p_value(const struct compare_row *row, double p, char *cell)
{
	if (row->exact && !row->refused)
		snprintf(cell, CELL_SZ, "exact");
	else if (isnan(p))
		snprintf(cell, CELL_SZ, "-");
	else if (p < 0.0001)
		snprintf(cell, CELL_SZ, "<0.0001");
	else
		number__fixed(cell, p, 4);
}

static void format_adjusted_p(const struct compare_row *row, char *cell)
{
	format_p_value(row, row->adjusted_p, cell);
}

static void format_raw_p(const struct compare_row *row, char *cell)
{
	format_p_value(row, row->p, cell);
}

static void format_limit(const struct compare_row *row, char *cell)
{
	snprintf(cell, CELL_SZ, "%.40s", row->limit ? row->limit->bound : "-");
}

static bool is_verbose(const struct comparison *c, const struct compare_render_opts *o)
{
	return o->verbose > 0;
}

static void format_blocks(const struct compare_row *row, char *cell)
{
	snprintf(cell, CELL_SZ, "%d, %d", row->base_blocks, row->new_blocks);
}

static bool has_blocks(const struct comparison *c, const struct compare_render_opts *o)
{
	return is_verbose(c, o) && c->basis == BASIS_BLOCKS;
}

static bool has_commits(const struct comparison *c, const struct compare_render_opts *o)
{
	return is_verbose(c, o) && c->basis == BASIS_COMMITS;
}

static bool is_of_commits(const struct comparison *c, const struct compare_render_opts *o)
{
	return c->basis == BASIS_COMMITS;
}

static bool has_environments(const struct comparison *c, const struct compare_render_opts *o)
{
	for (int i = 1; i < c->row_cnt; i++)
		if (!text__is_same(c->row[i].environment, c->row[0].environment))
			return true;
	return false;
}

static void format_commit(const struct compare_row *row, char *cell)
{
	snprintf(cell, CELL_SZ, "%.12s", row->commit ?: "-");
}

static void format_environment(const struct compare_row *row, char *cell)
{
	snprintf(cell, CELL_SZ, "%s", text__or_empty(row->environment));
}

const struct compare_column compare_columns[] = {
	{LEFT_COL("VERDICT"), false, NULL, format_verdict},
	{LEFT_COL("PROGRAM", .min_width = 12, .row_header = true), true, NULL, format_prog},
	{LEFT_COL("CASE", .min_width = 8, .row_header = true), true, has_input_cases, format_input},
	{LEFT_COL("EVENT", .min_width = 12, .row_header = true), true, NULL, format_event},
	{LEFT_COL("STAT", .row_header = true), false, NULL, format_stat},
	{LEFT_COL(NULL, .row_header = true), true, has_axis, format_point},
	{LEFT_COL("ON", .min_width = 8, .row_header = true), true, has_environments,
	 format_environment},
	{LEFT_COL("COMMIT"), true, is_of_commits, format_commit},
	{RIGHT_COL("BASE"), false, NULL, format_base},
	{RIGHT_COL("NEW"), false, NULL, format_new},
	{RIGHT_COL("CHANGE"), false, NULL, format_change},
	{RIGHT_COL("95% INTERVAL", .drop_order = 5), false, NULL, format_interval},
	{RIGHT_COL("BLOCKS", .drop_order = 2), false, has_blocks, format_blocks},
	{RIGHT_COL("COMMITS", .drop_order = 2), false, has_commits, format_blocks},
	{RIGHT_COL("RAW P", .drop_order = 1), false, is_verbose, format_raw_p},
	{RIGHT_COL("P", .drop_order = 4), false, NULL, format_adjusted_p},
	{RIGHT_COL("LIMIT", .drop_order = 3), true, NULL, format_limit},
};
const int compare_column_cnt = ARRAY_SIZE(compare_columns);

unsigned int compare_columns__shown(const struct comparison *c, const struct compare_render_opts *o)
{
	unsigned int shown = 0;

	for (int i = 0; i < compare_column_cnt; i++)
		if (!compare_columns[i].shown || compare_columns[i].shown(c, o))
			shown |= 1U << i;
	return shown;
}

const char *compare_column__header(const struct compare_column *col, const struct comparison *c)
{
	return col->col.header ?: c->axis_header;
}

/* ---- tables ---- */

const enum table_style verdict_styles[VERDICT_CNT] = {
	[VERDICT_WORSE] = TABLE_RED,	[VERDICT_INCONCLUSIVE] = TABLE_YELLOW,
	[VERDICT_GONE] = TABLE_RED,	[VERDICT_NEW] = TABLE_PLAIN,
	[VERDICT_BETTER] = TABLE_GREEN, [VERDICT_SAME] = TABLE_DIM,
};

struct table *comparison__make_table(const struct comparison *c,
				     const struct compare_render_opts *o, int first, int last)
{
	unsigned int shown = compare_columns__shown(c, o);
	struct table *t = table__new();
	char cell[COMPARE_LABEL_SZ];

	for (int i = 0; i < compare_column_cnt; i++) {
		struct table_col col = compare_columns[i].col;

		col.header = compare_column__header(&compare_columns[i], c);
		if (shown & (1U << i))
			table__add_cols(t, &col, 1);
	}
	for (int r = first; r < last; r++) {
		const struct compare_row *row = &c->row[r];
		enum table_style style = row->reference ? TABLE_PLAIN
							: verdict_styles[row->verdict];

		table__add_row(t);
		for (int i = 0; i < compare_column_cnt; i++) {
			if (!(shown & (1U << i)))
				continue;
			compare_columns[i].format(row, cell);
			table__add_cell(t, i ? TABLE_PLAIN : style, "%s", cell);
		}
	}
	return t;
}

struct table *comparison__make_sizes(const struct comparison *c)
{
	static const struct table_col name =
		LEFT_COL("PROGRAM", .min_width = 15, .row_header = true);
	unsigned int known = comparison__known_sizes(c);
	const struct table_col point = LEFT_COL(c->axis_header, .row_header = true);
	char label[COMPARE_LABEL_SZ], cell[SIZE_CELL_SZ];
	struct table *t = table__new();

	table__add_cols(t, &name, 1);
	if (c->axis)
		table__add_cols(t, &point, 1);
	for (int id = 0; id < SIZE_CNT; id++) {
		const struct table_col col =
			RIGHT_COL(size_specs[id].header, .drop_order = SIZE_CNT - id);

		if (known & (1U << id))
			table__add_cols(t, &col, 1);
	}
	for (int i = 0; i < c->size_cnt; i++) {
		const struct compare_pair *p = &c->size[i];

		table__add_row(t);
		table__add_cell(t, TABLE_PLAIN, "%s", compare__label(p->base, p->new, label));
		if (c->axis)
			table__add_cell(t, TABLE_PLAIN, "%s", text__or_empty(p->point));
		for (int id = 0; id < SIZE_CNT; id++)
			if (known & (1U << id))
				table__add_cell(t, TABLE_PLAIN, "%s",
						compare_size__format(p, id, cell));
	}
	return t;
}
