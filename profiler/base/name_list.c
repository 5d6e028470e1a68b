// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Lists of names in messages. Must not know what the names stand for.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/name_list.h"
#include "base/text.h"

/* Appends a text, and takes ownership of it. */
static void append(struct name_list *l, const char *sep, char *text)
{
	char *both = text__format("%s%s%s", text__or_empty(l->text), sep, text);

	free(text);
	free(l->text);
	l->text = both;
}

void name_list__add(struct name_list *l, const char *fmt, ...)
{
	va_list args;

	if (l->shown == NAME_LIST_SHOWN) {
		l->more++;
		return;
	}
	va_start(args, fmt);
	append(l, l->shown++ ? ", " : "", text__vformat(fmt, args));
	va_end(args);
}

char *name_list__finish(struct name_list *l)
{
	char *text;

	if (l->more)
		append(l, " and ", text__format("%llu more", l->more));
	text = l->text;
	memset(l, 0, sizeof(*l));
	return text;
}
