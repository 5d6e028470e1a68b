// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Selectors of programs. Owns the syntax of their arguments and the rules by which a program
 * matches. The arguments are parsed once, before any system call.
 */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/parse_error.h"
#include "base/text.h"
#include "base/util.h"
#include "options/idlist.h"
#include "options/options.h"
#include "host/task.h"
#include "target/owner.h"
#include "target/target.h"

static int parse_ids(struct selector *s, struct parse_error *err)
{
	return idlist__parse(&s->ids, &idlist_programs, s->arg, err);
}

int tag__check(const char *arg, struct parse_error *err)
{
	size_t len = strlen(arg);

	if (!len || len > 16 || strspn(arg, "0123456789abcdefABCDEF") != len)
		return parse_error__set(
			err, 0, len,
			"give up to 16 hexadecimal digits, as 'bprof list' shows them");
	return 0;
}

static int check_tag(struct selector *s, struct parse_error *err)
{
	return tag__check(s->arg, err);
}

/* Appends a program type to the selector. The type's name is the len characters at arg. */
static int parse_type(struct selector *s, const char *arg, size_t len, struct parse_error *err)
{
	char *name = xstrndup(arg, len);
	int *type = array__add(&s->type, &s->type_cnt, sizeof(*type));
	char why[128];

	*type = prog_type__parse(name);
	free(name);
	return *type >= 0
		       ? 0
		       : parse_error__set(err, arg - s->arg, len, "%s",
					  prog_type__explain_unknown(arg, len, why, sizeof(why)));
}

static int parse_types(struct selector *s, struct parse_error *err)
{
	int ret = 0;

	for (const char *at = s->arg, *comma; !ret && at; at = comma ? comma + 1 : NULL) {
		comma = strchr(at, ',');
		ret = parse_type(s, at, comma ? (size_t)(comma - at) : strlen(at), err);
	}
	return ret;
}

static int check_not_empty(struct selector *s, struct parse_error *err)
{
	return *s->arg ? 0 : parse_error__set(err, 0, 0, "the argument is empty");
}

static int check_owner(struct selector *s, struct parse_error *err)
{
	return owner__check(s->arg, err);
}

static int (*const parsers[])(struct selector *s, struct parse_error *err) = {
	[SELECT_ID] = parse_ids,      [SELECT_NAME] = check_not_empty,
	[SELECT_TAG] = check_tag,     [SELECT_PINNED] = check_not_empty,
	[SELECT_TYPE] = parse_types,  [SELECT_STRUCT_OPS] = check_not_empty,
	[SELECT_OWNER] = check_owner,
};

static void free_selector(struct selector *s)
{
	free(s->arg);
	free(s->type);
	idlist__free(&s->ids);
	prog__close(s->prog);
}

int selector_list__add(struct selector_list *list, enum selector_kind kind, const char *arg,
		       struct parse_error *err)
{
	struct selector new = {.kind = kind, .arg = text__dup(arg)}, *s;
	int ret = kind == SELECT_ALL ? 0 : parsers[kind](&new, err);

	if (ret) {
		free_selector(&new);
		return ret;
	}
	s = array__add(&list->v, &list->cnt, sizeof(*s));
	*s = new;
	if (kind == SELECT_OWNER && !list->owned)
		list->owned = xcalloc(1, sizeof(*list->owned));
	return 0;
}

int selector_list__report_add(struct selector_list *list, enum selector_kind kind,
			      const struct option_row *row, const char *arg)
{
	struct parse_error perr;
	char option[32];

	snprintf(option, sizeof(option), "--%s", row->name);
	return parse_error__report(selector_list__add(list, kind, arg, &perr), option, arg, &perr);
}

int selector_list__add_option(void *list, const struct option_row *row, const char *arg)
{
	return selector_list__report_add(list, row->min, row, arg);
}

void selector_list__add_id(struct selector_list *list, __u32 id)
{
	struct selector *s = array__add(&list->v, &list->cnt, sizeof(*s));
	struct idlist_item *item = array__add(&s->ids.v, &s->ids.cnt, sizeof(*item));

	s->kind = SELECT_ID;
	item->id = id;
}

int selector_list__add_fd(struct selector_list *list, int fd)
{
	int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	struct prog *prog;
	struct selector *s;
	int err = own < 0 ? -errno : prog__open_fd(own, &prog);

	if (err)
		return err;
	s = array__add(&list->v, &list->cnt, sizeof(*s));
	s->kind = SELECT_PROG;
	s->prog = prog;
	return 0;
}

void selector_list__free(struct selector_list *list)
{
	for (int i = 0; i < list->cnt; i++)
		free_selector(&list->v[i]);
	free(list->v);
	if (list->owned)
		owned__free(list->owned);
	free(list->owned);
	memset(list, 0, sizeof(*list));
}

static bool name_matches(struct prog *p, const char *glob)
{
	struct reason reason;

	if (!fnmatch(glob, p->info.name, 0))
		return true;
	/* The kernel truncates names to 15 characters. The full name is in the program's BTF. */
	if (strlen(p->info.name) < BPF_OBJ_NAME_LEN - 1 || prog__load_funcs(p, &reason))
		return false;
	return !fnmatch(glob, prog__name(p), 0);
}

static bool is_one_of_types(int prog_type, const struct selector *s)
{
	for (int i = 0; i < s->type_cnt; i++)
		if (s->type[i] == prog_type)
			return true;
	return false;
}

bool selector__may_match_new(const struct selector *s)
{
	return s->kind == SELECT_NAME || s->kind == SELECT_TAG || s->kind == SELECT_TYPE ||
	       s->kind == SELECT_ALL || s->kind == SELECT_OWNER;
}

bool selector__matches(const struct selector *s, struct prog *p)
{
	char tag[17];

	switch (s->kind) {
	case SELECT_NAME:
		return name_matches(p, s->arg);
	case SELECT_TAG:
		return tag__begins(prog__tag(p, tag), s->arg);
	case SELECT_TYPE:
		return is_one_of_types(p->info.type, s);
	default: /* SELECT_ALL; SELECT_OWNER: see selector_list__is_owned() */
		return true;
	}
}

/* ---- owners ---- */

void selector_list__read_owned(const struct selector_list *list)
{
	char **who;
	int cnt = 0;

	if (!list->owned)
		return;
	who = xcalloc(list->cnt, sizeof(*who));
	for (int i = 0; i < list->cnt; i++)
		if (list->v[i].kind == SELECT_OWNER)
			who[cnt++] = list->v[i].arg;
	owned__read(list->owned, who, cnt);
	free(who);
}

bool selector_list__is_owned(const struct selector_list *list, __u32 prog_id)
{
	return !list || !list->owned || owned__has(list->owned, prog_id);
}

int selector_list__owned_ids(const struct selector_list *list, const __u32 **ids)
{
	*ids = list->owned ? list->owned->id : NULL;
	return list->owned ? list->owned->cnt : 0;
}

bool selector_list__has_only_owners(const struct selector_list *list)
{
	for (int i = 0; i < list->cnt; i++)
		if (list->v[i].kind != SELECT_OWNER)
			return false;
	return list->cnt;
}

bool selector_list__is_owner(const struct selector_list *list, int pid)
{
	struct task task;

	for (int i = 0; i < list->cnt; i++)
		if (list->v[i].kind == SELECT_OWNER && !task__read(pid, &task) &&
		    owner__has_process(list->v[i].arg, pid, task.comm))
			return true;
	return false;
}

/* ---- matching ---- */

bool selector_list__kind_matches(const struct selector_list *list, enum selector_kind kind,
				 struct prog *p)
{
	bool any = false, found = false;

	for (int i = 0; i < list->cnt; i++) {
		if (list->v[i].kind != kind)
			continue;
		any = true;
		found |= selector__matches(&list->v[i], p);
	}
	return found || !any;
}

/*
 * Returns true if a selector of that kind matches, or if the list has no selector of that kind. A name
 * of NULL is unknown and matches no name.
 */
static bool kind_matches(const struct selector_list *list, enum selector_kind kind,
			 const char *name, const char *tag, int type)
{
	bool any = false, found = false;

	for (int i = 0; i < list->cnt; i++) {
		const struct selector *s = &list->v[i];

		if (s->kind != kind)
			continue;
		any = true;
		found |= kind == SELECT_NAME  ? name && !fnmatch(s->arg, name, 0)
			 : kind == SELECT_TAG ? tag__begins(tag, s->arg)
					      : is_one_of_types(type, s);
	}
	return found || !any;
}

bool selector_list__may_match(const struct selector_list *list, const char *name, const char *tag)
{
	return (!name || kind_matches(list, SELECT_NAME, name, tag, -1)) &&
	       kind_matches(list, SELECT_TAG, name, tag, -1);
}

bool selector_list__matches(const struct selector_list *list, const char *name, const char *tag,
			    int type)
{
	return kind_matches(list, SELECT_NAME, name, tag, type) &&
	       kind_matches(list, SELECT_TAG, name, tag, type) &&
	       kind_matches(list, SELECT_TYPE, name, tag, type);
}

bool selector_list__chooses(const struct selector_list *list, const char *name, const char *tag)
{
	for (int i = 0; i < list->cnt; i++) {
		const struct selector *s = &list->v[i];

		if (s->kind == SELECT_ALL || selector_list__has_only_owners(list) ||
		    (s->kind == SELECT_NAME && !fnmatch(s->arg, name, 0)) ||
		    (s->kind == SELECT_TAG && tag__begins(tag, s->arg)))
			return true;
	}
	return false;
}
