// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Texts about programs that were not measured: one line for each reason. Decides which programs
 * share a line, and how the line names them.
 */
#include "base/name_list.h"
#include "base/text.h"
#include "report/report.h"

static bool is_alike(const struct report_skip *a, const struct report_skip *b)
{
	return !a->id == !b->id && text__is_same(a->reason, b->reason) &&
	       text__is_same(a->detail, b->detail);
}

char *report__name_skips(const struct report *r, int i, bool each)
{
	const struct report_skip *first = &r->skip[i];
	struct name_list list = {};

	for (int k = 0; !each && k < i; k++)
		if (is_alike(&r->skip[k], first))
			return NULL;
	for (int k = i; k < (each ? i + 1 : r->skip_cnt); k++) {
		const struct report_skip *s = &r->skip[k];
		const char *name = text__or_empty(s->name);

		if (!is_alike(s, first))
			continue;
		if (s->id) /* without an id, the name is the user's argument */
			name_list__add(&list, "%u%s%s", s->id, *name ? " " : "", name);
		else
			name_list__add(&list, "%s", name);
		list.more += s->more;
	}
	return name_list__finish(&list);
}
