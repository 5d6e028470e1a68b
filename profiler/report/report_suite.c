// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Joins the reports on the entries of a suite into one report. Owns the names that distinguish the
 * rows of different entries. Must not know what an entry is. Prints nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "report/report.h"

static void prefix(char **name, const char *entry, const char *sep)
{
	char *joined = text__format("%s%s%s", entry, *name ? sep : "", text__or_empty(*name));

	free(*name);
	*name = joined;
}

void report__set_entry(struct report *r, const char *entry)
{
	for (int i = 0; i < r->prog_cnt; i++)
		prefix(&r->prog[i].input, entry, "/");
	for (int i = 0; i < r->skip_cnt; i++)
		prefix(&r->skip[i].name, entry, ": ");
}

/* Moves the elements of an array to the end of another one. */
static void move(void *to_ptr, int *to_cnt, const void *from, int *from_cnt, size_t sz)
{
	char **to = to_ptr;
	char *grown = xreallocarray(*to, *to_cnt + *from_cnt, sz);

	*to = grown;
	if (*from_cnt)
		memcpy(grown + *to_cnt * sz, from, *from_cnt * sz);
	*to_cnt += *from_cnt;
	*from_cnt = 0;
}

void report__take(struct report *r, struct report *from)
{
	move(&r->prog, &r->prog_cnt, from->prog, &from->prog_cnt, sizeof(*r->prog));
	move(&r->skip, &r->skip_cnt, from->skip, &from->skip_cnt, sizeof(*r->skip));
	move(&r->kept, &r->kept_cnt, from->kept, &from->kept_cnt, sizeof(*r->kept));
	r->elapsed_ns += from->elapsed_ns;
	r->calibrated &= from->calibrated;
	r->by_retval |= from->by_retval;
	r->by = r->by ?: from->by;
	report__free(from);
}
