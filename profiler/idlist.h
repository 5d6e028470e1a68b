/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The argument of --prog-id: "42,57", "42:parse_ip,42:*". Pure.
 */
#ifndef BPROF_IDLIST_H
#define BPROF_IDLIST_H

#include <linux/types.h>

struct parse_error;

struct idlist_item {
	__u32 id;   /* 1 and up */
	char *func; /* a function's name or a glob, owned; NULL: the entry function */
};

struct idlist {
	struct idlist_item *v; /* as written: duplicates are the caller's to merge */
	int cnt;
};

/*
 * Parses one argument and appends to list, which begins zeroed. 0, -EINVAL with *err (may be
 * NULL), -ENOMEM. On failure the list is as before.
 */
int idlist__parse(struct idlist *list, const char *arg, struct parse_error *err);
void idlist__free(struct idlist *list); /* leaves it empty */

#endif
