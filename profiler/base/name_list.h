/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The names in one message about many things. Only the first names are written out: "a, b, c and 31 more". */
#ifndef BPROF_NAME_LIST_H
#define BPROF_NAME_LIST_H

#include <linux/types.h>

#define NAME_LIST_SHOWN 3

/* Initialise all members to 0. */
struct name_list {
	char *text; /* the names that are shown */
	int shown;
	__u64 more; /* the number of names that are not shown */
};

/* Adds a name in printf-style format. If the list already shows enough names, only counts the name. */
void name_list__add(struct name_list *l, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/*
 * Ends the list, and makes it empty again. Returns its text, which the caller frees, or NULL if the
 * list was empty.
 */
char *name_list__finish(struct name_list *l);

#endif
