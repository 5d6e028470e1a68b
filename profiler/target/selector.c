// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Selectors of programs. Owns the syntax of their arguments and the rules by which a program
 * matches. Arguments are parsed once, before any system call.
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
#include "target/struct_ops.h"
#include "target/target.h"
#include "target/pins.h"

static int parse_prog_ids(struct selector *s, struct parse_error *err)
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

static int parse_types(struct selector *s, struct parse_error *err)
{
	for (const char *at = s->arg, *comma; at; at = comma ? comma + 1 : NULL) {
		int *type = array__add(&s->type, &s->type_cnt, sizeof(*type));
		size_t len = strcspn(at, ",");
		char *name = xstrndup(at, len), why[128];

		comma = strchr(at, ',');
		*type = prog_type__parse(name);
		free(name);
		if (*type < 0)
			return parse_error__set(
				err, at - s->arg, len, "%s",
				prog_type__explain_unknown(at, len, why, sizeof(why)));
	}
	return 0;
}

static int check_not_empty(struct selector *s, struct parse_error *err)
{
	return *s->arg ? 0 : parse_error__set(err, 0, 0, "the argument is empty");
}

static int check_owner_arg(struct selector *s, struct parse_error *err)
{
	return owner__check(s->arg, err);
}

static int (*const parsers[])(struct selector *s, struct parse_error *err) = {
	[SELECT_ID] = parse_prog_ids,	  [SELECT_NAME] = check_not_empty,
	[SELECT_TAG] = check_tag,	  [SELECT_PINNED] = check_not_empty,
	[SELECT_TYPE] = parse_types,	  [SELECT_STRUCT_OPS] = check_not_empty,
	[SELECT_OWNER] = check_owner_arg,
};

static void free_selector(struct selector *s)
{
	free(s->arg);
	free(s->type);
	idlist__free(&s->ids);
	id_map__free(&s->found);
	prog__close(s->prog);
}

int selector_list__add(struct selector_list *list, enum selector_kind kind, const char *arg,
		       struct parse_error *err)
{
	struct selector new = {.kind = kind, .arg = text__dup(arg)};
	int ret = kind == SELECT_ALL ? 0 : parsers[kind](&new, err);

	if (ret) {
		free_selector(&new);
		return ret;
	}
	*(struct selector *)array__add(&list->v, &list->cnt, sizeof(new)) = new;
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
	item->id = item->last = id;
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
	/* The kernel truncates a program's name to 15 characters. Its BTF has the full name. */
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
	default: /* SELECT_ALL matches; the other kinds choose ids: see selector_list__has_id() */
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

static void add_pinned_id(void *found, const char *path, struct prog *prog)
{
	id_map__set(found, prog->info.id, 1);
	prog__close(prog);
}

static void warn_pin(void *found, const char *path, int err, const char *why)
{
	log_warn("--pinned %s: %s", path, why);
}

static int read_struct_ops(struct selector *s)
{
	__u32 *ids;
	int cnt, err = struct_ops__find(s->arg, &ids, &cnt);

	for (int i = 0; i < cnt; i++)
		id_map__set(&s->found, ids[i], 1);
	free(ids);
	return err;
}

static void ignore_pin(void *found, const char *path, int err, const char *why)
{
}

int selector_list__read(const struct selector_list *list, bool warn_pins)
{
	int err = 0;

	selector_list__read_owned(list);
	for (int i = 0; !err && !list->any_kind && i < list->cnt; i++) {
		struct selector *s = &list->v[i];
		const struct pin_visitor v = {add_pinned_id, warn_pins ? warn_pin : ignore_pin,
					      &s->found};

		id_map__free(&s->found);
		if (s->kind == SELECT_PINNED)
			pins__visit(&v, s->arg);
		else if (s->kind == SELECT_STRUCT_OPS)
			err = read_struct_ops(s);
	}
	return err;
}

int selector_list__owned_ids(const struct selector_list *list, const __u32 **ids)
{
	*ids = list->owned ? list->owned->id : NULL;
	return list->owned ? list->owned->cnt : 0;
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

/* Returns true if the selector, whose kind chooses by id, chooses this id. */
static bool chooses_id(const struct selector_list *list, const struct selector *s, __u32 id)
{
	switch (s->kind) {
	case SELECT_ID:
		return idlist__has(&s->ids, id);
	case SELECT_PINNED:
	case SELECT_STRUCT_OPS:
		return id_map__get(&s->found, id) >= 0;
	case SELECT_OWNER:
		return owned__has(list->owned, id);
	case SELECT_PROG:
		return s->prog->info.id == id;
	default:
		return true;
	}
}

/* The kinds that choose by id, and those that examine the program. The fastest ones come first. */
static const enum selector_kind id_kinds[] = {SELECT_PROG, SELECT_ID, SELECT_PINNED,
					      SELECT_STRUCT_OPS, SELECT_OWNER};
static const enum selector_kind prog_kinds[] = {SELECT_ALL, SELECT_TYPE, SELECT_TAG, SELECT_NAME};

/*
 * Returns true if a selector of that kind chooses the program, or if the list has no selector of
 * that kind. If p is NULL, selectors choose by the id.
 */
static bool kind_chooses(const struct selector_list *list, enum selector_kind kind, __u32 id,
			 struct prog *p)
{
	bool any = false, found = false;

	for (int i = 0; i < list->cnt; i++) {
		struct selector *s = &list->v[i];

		if (s->kind != kind)
			continue;
		any = true;
		if (p ? selector__matches(s, p) : chooses_id(list, s, id))
			found = s->matched = true;
	}
	return found || !any;
}

bool selector_list__has(const struct selector_list *list, enum selector_kind kind)
{
	for (int i = 0; i < list->cnt; i++)
		if (list->v[i].kind == kind)
			return true;
	return false;
}

bool selector_list__has_id(const struct selector_list *list, __u32 id)
{
	bool all = true;

	for (size_t i = 0; all && i < ARRAY_SIZE(id_kinds); i++)
		all = kind_chooses(list, id_kinds[i], id, NULL);
	return all;
}

bool selector_list__selects(const struct selector_list *list, struct prog *p, bool any_name)
{
	bool all = selector_list__has_id(list, p->info.id);

	for (size_t i = 0; all && i < ARRAY_SIZE(prog_kinds); i++)
		if (prog_kinds[i] != SELECT_NAME || !any_name)
			all = kind_chooses(list, prog_kinds[i], p->info.id, p);
	return all;
}

static const char *const option_names[] = {
	[SELECT_ID] = "prog-id",   [SELECT_NAME] = "name",
	[SELECT_TAG] = "tag",	   [SELECT_PINNED] = "pinned",
	[SELECT_TYPE] = "type",	   [SELECT_ALL] = "all",
	[SELECT_OWNER] = "owner",  [SELECT_STRUCT_OPS] = "struct-ops",
	[SELECT_PROG] = "prog-id",
};

/* Says that the selector chose none of the programs to choose from. others: see warn_kind(). */
static void warn_selector(const struct selector_list *list, const struct selector *s, bool others)
{
	bool read = s->kind == SELECT_PINNED || s->kind == SELECT_STRUCT_OPS;
	int refused = list->owned ? list->owned->holders.refused : 0;

	if (s->kind == SELECT_OWNER)
		log_warn("--owner %s: no %sprogram is held by it now; programs that are only "
			 "pinned or attached have no holder; 'bprof list' shows the holders",
			 s->arg, others ? "selected " : "");
	/* else the warning has already been printed */
	else if (!read || !id_map__is_empty(&s->found))
		log_warn("--%s%s%s: no loaded program%s matches; see 'bprof list'",
			 option_names[s->kind], s->arg ? " " : "", s->arg ?: "",
			 others ? " that the other options select" : "");
	if (s->kind == SELECT_OWNER && refused)
		log_warn("the open files of %d processes, which may hold programs, cannot be read; "
			 "run as root",
			 refused);
}

/*
 * Returns true if a selector of this kind chose a program, or if there is no selector of this kind.
 * Sets *others if there is such a selector.
 */
static bool warn_kind(const struct selector_list *list, enum selector_kind kind, bool *others)
{
	bool any = selector_list__has(list, kind), matched = false;

	for (int i = 0; i < list->cnt; i++) {
		const struct selector *s = &list->v[i];

		if (s->kind == kind && !s->matched)
			warn_selector(list, s, *others);
		matched |= s->kind == kind && s->matched;
	}
	*others |= any;
	return matched || !any;
}

void selector_list__warn_unmatched(const struct selector_list *list)
{
	bool matched = !list->any_kind, others = false;

	for (size_t i = 0; matched && i < ARRAY_SIZE(id_kinds); i++)
		matched = warn_kind(list, id_kinds[i], &others);
	for (size_t i = 0; matched && i < ARRAY_SIZE(prog_kinds); i++)
		matched = warn_kind(list, prog_kinds[i], &others);
}

/*
 * Returns true if a selector of that kind matches, or if the list has no selector of that kind. If
 * name is NULL, the name is not known and matches no selector.
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
