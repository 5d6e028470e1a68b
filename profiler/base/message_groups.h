/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Groups warnings about many things: warnings with the same text become one line, which names the
 * things. With -v, each warning has a line of its own.
 */
#ifndef BPROF_MESSAGE_GROUPS_H
#define BPROF_MESSAGE_GROUPS_H

#include <stdbool.h>

#include "base/name_list.h"

struct message_group {
	char *text;
	struct name_list names;
	int cnt;   /* number of names added since the last line */
	bool said; /* a line was written */
};

/* Initialise all members to 0. */
struct message_groups {
	struct message_group *v;
	int cnt;
	/* warn only once about each text; with -v, a later warning with the text is logged, too */
	bool once;
};

/* Adds a name, in printf-style format, to the names of a text. */
void message_groups__add(struct message_groups *g, const char *text, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * Writes a warning for each text: "one NAME: TEXT" or "many NAME, NAME and 7 more: TEXT". The next
 * call warns about names that are added later.
 */
void message_groups__warn(struct message_groups *g, const char *one, const char *many);
void message_groups__free(struct message_groups *g);

#endif
