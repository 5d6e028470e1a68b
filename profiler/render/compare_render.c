// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Texts of a comparison that several formats show. Owns these texts; must not know what any format
 * looks like.
 */
#include <math.h>
#include <string.h>

#include "base/output.h"
#include "base/text.h"
#include "base/util.h"
#include "render/compare_render.h"
#include "render/render.h"

const char *comparison__headline(const struct comparison *c, char *buf, size_t sz)
{
	size_t len = snprintf(buf, sz, "%s", verdict_specs[c->verdict].name);
	const char *sep = ": ";

	for (int i = 0; i < VERDICT_CNT && len < sz; i++) {
		if (!c->cnt[i])
			continue;
		len += snprintf(buf + len, sz - len, "%s%d %s", sep, c->cnt[i],
				verdict_specs[i].name);
		sep = ", ";
	}
	if (c->gap_cnt && len < sz)
		snprintf(buf + len, sz - len, "%s%d not measured", sep, c->gap_cnt);
	return buf;
}

bool comparison__note(const struct comparison *c, int i, char *text, size_t sz)
{
	const struct {
		int cnt;
		/* A printf format whose only argument is cnt */
		const char *format;
	} counted[] = {
		{c->ambiguous, "functions with the same name, type and case, paired in order: %d"},
		{c->unmeasured, "statistics left out, as neither report has a value: %d"},
		{c->untested, basis_specs[c->basis].untested},
		{c->returned,
		 "functions compared although the return values of their programs changed: %d"},
	};

	if (i < c->difference_cnt) {
		const struct compare_difference *d = &c->difference[i];

		snprintf(text, sz, "the reports differ in %s: %s, now %s", d->what, d->base,
			 d->new);
		return true;
	}
	i -= c->difference_cnt;
	if (i < c->gap_cnt) {
		snprintf(text, sz, "%s was not measured: %s", c->gap[i].name, c->gap[i].why);
		return true;
	}
	i -= c->gap_cnt;
	for (int k = 0; k < c->place_cnt; k++) {
		if (!c->place[k].kernel || i--)
			continue;
		snprintf(text, sz, "%s %s: Linux %s", c->axis, c->place[k].label,
			 c->place[k].kernel);
		return true;
	}
	for (size_t k = 0; k < ARRAY_SIZE(counted); k++) {
		if (!counted[k].cnt || i--)
			continue;
		snprintf(text, sz, counted[k].format, counted[k].cnt);
		return true;
	}
	return false;
}

unsigned int comparison__known_sizes(const struct comparison *c)
{
	unsigned int known = 0;

	for (int i = 0; i < c->size_cnt; i++)
		for (int id = 0; id < SIZE_CNT; id++)
			if ((c->size[i].base && !isnan(c->size[i].base->size[id])) ||
			    (c->size[i].new && !isnan(c->size[i].new->size[id])))
				known |= 1U << id;
	return known;
}

const char *compare_size__format(const struct compare_pair *prog, enum size_id id, char *cell)
{
	double base = prog->base ? prog->base->size[id] : NAN;
	double new = prog->new ? prog->new->size[id] : NAN;
	const char *unit = size_specs[id].unit;
	char old_text[QUANTITY_SZ], text[QUANTITY_SZ], change[QUANTITY_SZ];

	number__amount(old_text, base, unit, true);
	number__amount(text, new, unit, true);
	if (base == new || (isnan(base) && isnan(new)))
		snprintf(cell, SIZE_CELL_SZ, "%s", text);
	else if (isnan(base) || isnan(new))
		snprintf(cell, SIZE_CELL_SZ, "%s -> %s", old_text, text);
	else
		snprintf(cell, SIZE_CELL_SZ, "%s -> %s (%s%s)", old_text, text,
			 new > base ? "+" : "", number__amount(change, new - base, unit, true));
	return cell;
}

const char *compare_row__where(const struct compare_row *row, char *buf)
{
	const char *input = compare_row__input(row);
	char label[COMPARE_LABEL_SZ];

	snprintf(buf, COMPARE_WHERE_SZ, "%s%s%.1000s%s%s%.200s", compare_row__label(row, label),
		 *input ? " [" : "", input, *input ? "]" : "", row->point ? " " : "",
		 text__or_empty(row->point));
	return buf;
}

int comparison__count_changed(const struct comparison *c, int max)
{
	int cnt = 0;

	while (cnt < c->row_cnt && cnt < max && c->row[cnt].worst != VERDICT_SAME)
		cnt++;
	return cnt;
}

static bool has_reason(const struct compare_row *row, const char *why)
{
	return *row->why && !strcmp(row->why, why);
}

static bool is_first_reason(const struct comparison *c, int row)
{
	if (!*c->row[row].why)
		return false;
	for (int i = 0; i < row; i++)
		if (has_reason(&c->row[i], c->row[row].why))
			return false;
	return true;
}

bool comparison__reason(const struct comparison *c, int i, const struct compare_row **row,
			int *more)
{
	int first = 0;

	while (first < c->row_cnt && (!is_first_reason(c, first) || i--))
		first++;
	if (first == c->row_cnt)
		return false;
	*row = &c->row[first];
	*more = 0;
	for (int k = first + 1; k < c->row_cnt; k++)
		*more += has_reason(&c->row[k], c->row[first].why);
	return true;
}

int comparison__render(const struct comparison *c, comparison_render_fn *render,
		       const struct compare_render_opts *o, FILE *out)
{
	struct draft draft;

	draft__begin(&draft);
	render(c, o, draft.mem);
	return draft__end(&draft, 0, out);
}
