// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Comparisons along an axis, such as one program on several kernels. Owns the points of the axis,
 * the groups of rows, and the search for the reason why a report lacks a program. Must not know how
 * numbers are compared. Prints nothing.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/util.h"
#include "compare/compare.h"
#include "compare/compare_priv.h"

static void add_place(struct comparison *c, const struct compare_part *part)
{
	struct compare_place *place;

	for (int i = 0; i < c->place_cnt; i++)
		if (!strcmp(c->place[i].label, part->point))
			return;
	place = array__add(&c->place, &c->place_cnt, sizeof(*place));
	place->label = xstrdup(part->point);
	place->kernel = text__dup(part->new->host.kernel);
}

void comparison__set_axis(struct comparison *c, const struct compare_part *parts, int cnt)
{
	if (!cnt || !parts->axis)
		return;
	c->axis = xstrdup(parts->axis);
	for (int i = 0; i < cnt; i++)
		if (!parts[i].why)
			add_place(c, &parts[i]);
}

static bool is_same_group(const struct compare_row *a, const struct compare_row *b)
{
	const struct report_prog *p = a->base ?: a->new, *q = b->base ?: b->new;

	return (p == q || report_prog__is_same(p, q)) && a->stat == b->stat &&
	       !strcmp(a->event, b->event) && a->point && b->point && strcmp(a->point, b->point);
}

/* Returns the first row of the group that row i belongs to. */
static struct compare_row *find_first_of_group(struct comparison *c, int i)
{
	for (int k = 0; c->axis && k < i; k++)
		if (c->row[k].group == c->row[k].order && is_same_group(&c->row[k], &c->row[i]))
			return &c->row[k];
	return &c->row[i];
}

void comparison__group_rows(struct comparison *c)
{
	for (int i = 0; i < c->row_cnt; i++) {
		struct compare_row *row = &c->row[i], *first;

		row->order = i;
		row->worst = row->verdict;
		first = find_first_of_group(c, i);
		row->group = first->order;
		if (row->verdict < first->worst)
			first->worst = row->verdict;
	}
	for (int i = 0; i < c->row_cnt; i++)
		c->row[i].worst = c->row[c->row[i].group].worst;
	snprintf(c->axis_header, sizeof(c->axis_header), "%s", text__or_empty(c->axis));
	for (char *p = c->axis_header; *p; p++)
		*p = toupper((unsigned char)*p);
}

/* Returns true if a skip's name is that of the program or function, or "NAME [INPUT]". */
static bool is_title(const char *skip, const struct report_prog *p, const char *input)
{
	char label[LABEL_SZ];
	const char *names[] = {p->name ?: p->func, report_prog__label(p, label)};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *title = text__format("%s [%s]", text__or_empty(names[i]), input);
		bool same = text__is_same(skip, names[i]) || (*input && !strcmp(skip, title));

		free(title);
		if (same)
			return true;
	}
	return false;
}

/*
 * Returns true if the skip is of this row. In the report of a suite, the row's input is "ENTRY" or
 * "ENTRY/INPUT", and the skip's name is "ENTRY: NAME" (report__set_entry()).
 */
static bool is_skip_of(const struct report_skip *skip, const struct report_prog *p)
{
	const char *name = text__or_empty(skip->name), *input = text__or_empty(p->input);

	if (is_title(name, p, input))
		return true;
	for (const char *end = input; *end; end += *end == '/') {
		end += strcspn(end, "/");
		if (!strncmp(name, input, end - input) && !strncmp(name + (end - input), ": ", 2) &&
		    is_title(name + (end - input) + 2, p, *end ? end + 1 : ""))
			return true;
	}
	return false;
}

const struct report_skip *report__find_absent(const struct report *r, const struct report_prog *p)
{
	for (int i = 0; i < r->skip_cnt; i++)
		if (is_skip_of(&r->skip[i], p))
			return &r->skip[i];
	return NULL;
}
