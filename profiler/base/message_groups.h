/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Warnings on many things: those with the same text are one line, which names the things. With -v each
 * has a line of its own.
 */
#ifndef BPROF_MESSAGE_GROUPS_H
#define BPROF_MESSAGE_GROUPS_H

#include <stdbool.h>

#include "base/name_list.h"

struct message_group {
	char *text;
	struct name_list names;
	int cnt;   /* number of names since the last line */
	bool said; /* there was a line */
};

/* To begin: all members are 0. */
struct message_groups {
	struct message_group *v;
	int cnt;
	bool once; /* a text is said once, until message_groups__free(); later ones only with -v */
};

/* Adds a name, in printf-style format, to those of a text. */
void message_groups__add(struct message_groups *g, const char *text, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * Warns of each text: "one NAME: TEXT" or "many NAME, NAME and 7 more: TEXT". Names that are added
 * later are for the next time.
 */
void message_groups__warn(struct message_groups *g, const char *one, const char *many);
void message_groups__free(struct message_groups *g);

#endif
