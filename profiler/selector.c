// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Selectors as they come from the command line: checked here, before anything is asked of the
 * kernel.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "idlist.h"
#include "log.h"
#include "parse_error.h"
#include "target.h"
#include "text.h"
#include "util.h"

static int check_ids(const char *arg)
{
	struct idlist ids = {};
	struct parse_error perr;
	int err = idlist__parse(&ids, &idlist_programs, arg, &perr);

	if (err == -EINVAL)
		parse_error__print(stderr, "--prog-id", arg, &perr);
	idlist__free(&ids);
	return err;
}

int tag__check(const char *option, const char *arg)
{
	size_t len = strlen(arg);

	if (!len || len > 16 || strspn(arg, "0123456789abcdefABCDEF") != len)
		return log_err(
			-EINVAL,
			"%s %s: give up to 16 hexadecimal digits, as 'bprof list' shows them",
			option, arg);
	return 0;
}

static int check_tag(const char *arg)
{
	return tag__check("--tag", arg);
}

static int check_types(const char *arg)
{
	char *copy = strdup(arg), *rest = copy, *type;
	struct parse_error perr;
	int err = copy ? 0 : -ENOMEM;

	while (!err && rest && (type = strsep(&rest, ",")))
		if (prog_type__parse(type) < 0)
			err = parse_error__set(&perr, type - copy, strlen(type),
					       "no program type; 'bprof list' shows them (xdp, "
					       "sched_cls, kprobe, ...)");
	if (err == -EINVAL)
		parse_error__print(stderr, "--type", arg, &perr);
	free(copy);
	return err;
}

static int check_not_empty(const char *arg)
{
	return *arg ? 0 : log_err(-EINVAL, "--name, --pinned: the argument is empty");
}

static int (*const checks[])(const char *arg) = {
	[SELECT_ID] = check_ids,     [SELECT_NAME] = check_not_empty,
	[SELECT_TAG] = check_tag,    [SELECT_PINNED] = check_not_empty,
	[SELECT_TYPE] = check_types,
};

int selector_list__add(struct selector_list *list, enum selector_kind kind, const char *arg)
{
	struct selector *s;
	int err = kind == SELECT_ALL ? 0 : checks[kind](arg);

	if (err)
		return err;
	s = array__add(&list->v, &list->cnt, sizeof(*s));
	if (!s)
		return log_err(-ENOMEM, "out of memory");
	s->kind = kind;
	s->arg = arg;
	return 0;
}

void selector_list__free(struct selector_list *list)
{
	free(list->v);
	memset(list, 0, sizeof(*list));
}

static bool name_matches(struct prog *p, const char *glob)
{
	struct reason reason;

	if (!fnmatch(glob, p->info.name, 0))
		return true;
	/* The kernel keeps 15 characters: only a name of that length may be longer in BTF. */
	if (strlen(p->info.name) < BPF_OBJ_NAME_LEN - 1 || prog__load_funcs(p, &reason))
		return false;
	return !fnmatch(glob, prog__name(p), 0);
}

static bool is_one_of_types(int prog_type, const char *types)
{
	char *copy = strdup(types), *rest = copy, *type;
	bool found = false;

	while (!found && rest && (type = strsep(&rest, ",")))
		found = prog_type__parse(type) == prog_type;
	free(copy);
	return found;
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
		return is_one_of_types(p->info.type, s->arg);
	default: /* SELECT_ALL */
		return true;
	}
}

/* Those of one kind choose together, like one with several words. */
static bool kind_matches(const struct selector_list *list, enum selector_kind kind,
			 const char *name, const char *tag, int type)
{
	bool any = false, found = false;

	for (int i = 0; i < list->cnt; i++) {
		const struct selector *s = &list->v[i];

		if (s->kind != kind)
			continue;
		any = true;
		found |= kind == SELECT_NAME  ? !fnmatch(s->arg, name, 0)
			 : kind == SELECT_TAG ? tag__begins(tag, s->arg)
					      : type >= 0 && is_one_of_types(type, s->arg);
	}
	return found || !any;
}

bool selector_list__matches_but_type(const struct selector_list *list, const char *name,
				     const char *tag)
{
	return kind_matches(list, SELECT_NAME, name, tag, -1) &&
	       kind_matches(list, SELECT_TAG, name, tag, -1);
}

bool selector_list__matches(const struct selector_list *list, const char *name, const char *tag,
			    int type)
{
	return selector_list__matches_but_type(list, name, tag) &&
	       kind_matches(list, SELECT_TYPE, name, tag, type);
}

bool selector_list__chooses(const struct selector_list *list, const char *name, const char *tag)
{
	for (int i = 0; i < list->cnt; i++) {
		const struct selector *s = &list->v[i];

		if (s->kind == SELECT_ALL ||
		    (s->kind == SELECT_NAME && !fnmatch(s->arg, name, 0)) ||
		    (s->kind == SELECT_TAG && tag__begins(tag, s->arg)))
			return true;
	}
	return false;
}
