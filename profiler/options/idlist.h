/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lists of ids: the arguments of --prog-id ("42,57-60", "42:parse_ip,42:*"), -p and -t. */
#ifndef BPROF_IDLIST_H
#define BPROF_IDLIST_H

#include <stdbool.h>
#include <linux/types.h>

struct parse_error;

/* The kind of ids in a list. */
struct idlist_spec {
	const char *id;	     /* name in messages, such as "program id" */
	const char *by_name; /* advice on selecting by name instead */
	__u32 max;
	bool range; /* true if "ID-ID" may stand for all ids from the first to the second */
	bool func;  /* true if ":FUNCTION" may follow an id */
};
extern const struct idlist_spec idlist_programs, idlist_processes, idlist_threads;

struct idlist_item {
	__u32 id;   /* at least 1 */
	__u32 last; /* the last id of a range; equal to id for a single id */
	char *func; /* a function's name or a glob, owned; NULL: the entry function */
};

struct idlist {
	struct idlist_item *v; /* in the order of the argument, including duplicates */
	int cnt;
};

/*
 * Parses one argument and appends its items to *list. A zeroed list is empty. Returns 0, or -EINVAL
 * with *err (may be NULL). On failure the list is unchanged.
 */
int idlist__parse(struct idlist *list, const struct idlist_spec *spec, const char *arg,
		  struct parse_error *err);
/* Returns true if the list has the id, with or without a function. */
bool idlist__has(const struct idlist *list, __u32 id);
void idlist__free(struct idlist *list); /* leaves the list empty */

#endif
