// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the syntax of lists of ids. Must not know which ids exist.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parse_error.h"
#include "base/util.h"
#include "options/idlist.h"

#define DIGITS "0123456789"
/* the characters of globs, and of identifiers in C and other languages */
#define FUNC_CHARS                                                       \
	DIGITS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.$" \
	       "*?[]!^-"
/* further characters of labels such as "parse@lb.c:41#2" (btf/func_label.h): the name ends at '@' or '#' */
#define PLACE_CHARS "@#:+~="

const struct idlist_spec idlist_programs = {
	.id = "program id",
	.by_name = "--name selects by name",
	.max = 0xffffffff,
	.range = true,
	.func = true,
};
/* the maximum is the highest value of pid_t, which is an int */
const struct idlist_spec idlist_processes = {
	.id = "process id",
	.by_name = "'pgrep -d, NAME' lists them by name",
	.max = 0x7fffffff,
};
const struct idlist_spec idlist_threads = {
	.id = "thread id",
	.by_name = "'ps -T -p PID' lists those of a process",
	.max = 0x7fffffff,
};

/* Parses the id of n characters at arg + pos. */
static int parse_one_id(const struct idlist_spec *spec, const char *arg, size_t pos, size_t n,
			__u32 *id, struct parse_error *err)
{
	size_t digits = strspn(arg + pos, DIGITS);
	char buf[32] = "";
	__u64 v;

	if (n && (arg[pos] == '-' || arg[pos] == '+'))
		return parse_error__set(err, pos, 1, "a %s has no sign", spec->id);
	if (digits < n && (arg[pos + digits] == ' ' || arg[pos + digits] == '\t'))
		return parse_error__set(err, pos + digits, 1,
					"no spaces between ids; write them as 42,57");
	if (digits < n)
		return parse_error__set(err, pos, n, "not a %s; give a decimal number (%s)",
					spec->id, spec->by_name);
	/* A number that does not fit into buf is too large, or has leading zeros. It is refused, too. */
	if (n < sizeof(buf))
		memcpy(buf, arg + pos, n);
	if (n >= sizeof(buf) || parse_u64(buf, spec->max, &v))
		return parse_error__set(err, pos, n, "too large for a %s", spec->id);
	if (!v)
		return parse_error__set(err, pos, n, "%ss begin with 1", spec->id);
	*id = v;
	return 0;
}

/* Parses the n characters at arg + pos: ID or, if the ids may be ranges, ID-ID. */
static int parse_ids(const struct idlist_spec *spec, const char *arg, size_t pos, size_t n,
		     struct idlist_item *item, struct parse_error *err)
{
	const char *dash = spec->range && n ? memchr(arg + pos + 1, '-', n - 1) : NULL;
	size_t first = dash ? (size_t)(dash - arg) - pos : n;
	int ret = parse_one_id(spec, arg, pos, first, &item->id, err);

	item->last = item->id;
	if (ret || !dash)
		return ret;
	if (first + 1 == n)
		return parse_error__set(err, pos + first, 1, "a %s is missing after '-'", spec->id);
	ret = parse_one_id(spec, arg, pos + first + 1, n - first - 1, &item->last, err);
	if (!ret && item->last < item->id)
		return parse_error__set(err, pos, n, "the range is backwards");
	return ret;
}

/* Parses the item of n > 0 characters at arg + pos: IDS or IDS:FUNCTION. */
static int parse_idlist_item(const struct idlist_spec *spec, const char *arg, size_t pos, size_t n,
			     struct idlist_item *item, struct parse_error *err)
{
	const char *colon = spec->func ? memchr(arg + pos, ':', n) : NULL;
	size_t id_n = colon ? (size_t)(colon - arg) - pos : n, func_n, ok;
	int ret;

	if (!id_n)
		return parse_error__set(err, pos, 1, "a %s is missing before ':'", spec->id);
	ret = parse_ids(spec, arg, pos, id_n, item, err);
	if (ret || !colon)
		return ret;
	func_n = n - id_n - 1;
	if (!func_n)
		return parse_error__set(err, pos + id_n, 1, "a function is missing after ':'");
	ok = strspn(colon + 1, FUNC_CHARS);
	if (colon[1 + ok] == '@' || colon[1 + ok] == '#')
		ok += strspn(colon + 1 + ok, FUNC_CHARS PLACE_CHARS);
	if (ok < func_n)
		return parse_error__set(err, pos + id_n + 1 + ok, 1,
					"not a character of a function's name");
	item->func = xstrndup(colon + 1, func_n);
	return 0;
}

int idlist__parse(struct idlist *list, const struct idlist_spec *spec, const char *arg,
		  struct parse_error *err)
{
	struct idlist new = {};
	struct idlist_item *item, *grown;
	size_t pos = 0, n;
	int ret;

	for (;; pos += n + 1) {
		n = strcspn(arg + pos, ",");
		if (!n) {
			/*
			 * If an id is missing, the error points at the comma after it or, at the
			 * end, at the comma before it.
			 */
			ret = parse_error__set(err, pos && !arg[pos] ? pos - 1 : pos, 1,
					       "a %s is missing", spec->id);
			goto out;
		}
		item = array__add(&new.v, &new.cnt, sizeof(*new.v));
		ret = parse_idlist_item(spec, arg, pos, n, item, err);
		if (ret)
			goto out;
		if (!arg[pos + n])
			break;
	}
	grown = xreallocarray(list->v, list->cnt + new.cnt, sizeof(*list->v));
	memcpy(grown + list->cnt, new.v, new.cnt * sizeof(*new.v));
	list->v = grown;
	list->cnt += new.cnt;
	new.cnt = 0; /* list owns the items now */
out:
	idlist__free(&new);
	return ret;
}

bool idlist__has(const struct idlist *list, __u32 id)
{
	for (int i = 0; i < list->cnt; i++)
		if (id >= list->v[i].id && id <= list->v[i].last)
			return true;
	return false;
}

void idlist__free(struct idlist *list)
{
	for (int i = 0; i < list->cnt; i++)
		free(list->v[i].func);
	free(list->v);
	list->v = NULL;
	list->cnt = 0;
}
