// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Parses the argument of -e: lists, groups and names. Owns the syntax. Other files own the
 * modifiers (event_modifier.c), the names (event_names.c) and the terms of PMUs (event_pmu.c). The
 * parser is re-entrant: all state is in struct event_parser.
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/perf_event.h>

#include "base/memory.h"
#include "base/text.h"
#include "event/event_names.h"
#include "event/event_parse.h"

int event_parser__fail(struct event_parser *p, struct span at, const char *fmt, ...)
{
	char text[sizeof(p->err->text)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return parse_error__set(p->err, at.s - p->spec, at.len, "%s", text);
}

struct span span__trim(struct span s)
{
	/* Trim the end first, so that a span of only white space keeps its start. */
	while (s.len && isspace((unsigned char)s.s[s.len - 1]))
		s.len--;
	while (s.len && isspace((unsigned char)*s.s)) {
		s.s++;
		s.len--;
	}
	return s;
}

bool span__is(struct span s, const char *word)
{
	return strlen(word) == s.len && !memcmp(s.s, word, s.len);
}

/* Parses all of s as digits in that base. Unlike strtoull(), accepts no sign and no white space. */
static int parse_digits(struct span s, int base, __u64 *out)
{
	__u64 v = 0;

	if (!s.len)
		return -EINVAL;
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = tolower((unsigned char)s.s[i]);
		int digit = isdigit(c) ? c - '0' : c - 'a' + 10;

		if (!isxdigit(c) || digit >= base)
			return -EINVAL;
		if (__builtin_mul_overflow(v, (__u64)base, &v) ||
		    __builtin_add_overflow(v, (__u64)digit, &v))
			return -ERANGE;
	}
	*out = v;
	return 0;
}

static bool has_hex_prefix(struct span s)
{
	return s.len > 2 && s.s[0] == '0' && (s.s[1] == 'x' || s.s[1] == 'X');
}

int span__to_u64(struct span s, __u64 *out)
{
	if (has_hex_prefix(s))
		return parse_digits((struct span){s.s + 2, s.len - 2}, 16, out);
	return parse_digits(s, 10, out);
}

int span__to_raw(struct span s, __u64 *out)
{
	if (s.len < 2 || s.s[0] != 'r')
		return -EINVAL;
	s = (struct span){s.s + 1, s.len - 1};
	if (has_hex_prefix(s))
		s = (struct span){s.s + 2, s.len - 2};
	return parse_digits(s, 16, out);
}

/* Names */

/*
 * Fills *out from a name that needs no sysfs. Returns 0, -ENOENT for any other name, or
 * -EINVAL with the error set.
 */
static int parse_generic(struct event_parser *p, const struct event_item *item,
			 struct parsed_event *out)
{
	const struct event_name *row = event_name__find(item->head.s, item->head.len);
	struct event *ev = &out->ev;
	struct cache_event cache;
	char base[64];
	int err;

	if (row) {
		ev->kind = row->kind;
		ev->type = row->type;
		ev->config = row->config;
		ev->unit = row->unit;
		ev->base = xstrdup(row->name);
	} else if (!cache_event__parse(item->head.s, item->head.len, &cache)) {
		cache_event__name(&cache, base, sizeof(base));
		if (!cache_event__valid(&cache))
			return event_parser__fail(p, item->head,
						  "no such event '%s': this cache has no such "
						  "operation",
						  base);
		ev->type = PERF_TYPE_HW_CACHE;
		ev->config = cache_event__config(&cache);
		ev->base = xstrdup(base);
	} else {
		err = span__to_raw(item->head, &ev->config);
		if (err == -ERANGE)
			return event_parser__fail(p, item->head,
						  "a raw event has at most 64 bits (16 digits)");
		if (err)
			return -ENOENT;
		ev->type = PERF_TYPE_RAW;
		ev->base = xstrndup(item->head.s, item->head.len);
	}
	return item->terms.s ? event_parser__name_term(p, item, out) : 0;
}

/*
 * Returns the closing slash of the terms that begin at s, or NULL. Skips quoted text. Sets *quote
 * to an unclosed quote, or to NULL.
 */
static const char *find_slash(const char *s, const char *end, const char **quote)
{
	*quote = NULL;
	for (; s < end; s++) {
		if (*s == '\'')
			*quote = *quote ? NULL : s;
		else if (*s == '/' && !*quote)
			return s;
	}
	return NULL;
}

/* Splits one event into its parts. "all" must not have surrounding white space. */
static int split_item(struct event_parser *p, struct span all, struct event_item *item)
{
	const char *end = all.s + all.len, *rest, *quote;
	const char *slash = memchr(all.s, '/', all.len);

	*item = (struct event_item){.all = all};
	if (!slash) {
		rest = memchr(all.s, ':', all.len) ?: end;
		item->head = span__trim((struct span){all.s, rest - all.s});
	} else {
		rest = find_slash(slash + 1, end, &quote);
		if (quote)
			return event_parser__fail(p, (struct span){quote, 1},
						  "this ' is not closed");
		if (!rest)
			return event_parser__fail(p, (struct span){slash, 1},
						  "this / is not closed");
		item->head = span__trim((struct span){all.s, slash - all.s});
		item->terms = (struct span){slash + 1, rest - slash - 1};
		rest++;
	}
	if (rest < end) {
		if (*rest == ':')
			rest++;
		item->mods = span__trim((struct span){rest, end - rest});
	}
	if (!item->head.len)
		return event_parser__fail(p, all, "no name before the %c", slash ? '/' : ':');
	return 0;
}

static bool has_any_of(struct span s, const char *chars)
{
	return s.len && strcspn(s.s, chars) < s.len;
}

/*
 * Metrics divide only events of the same levels (user, kernel, …), which they read from the names.
 * A name that the user gave does not tell them, or tells others ("cycles/name=x:u/"), so no metric must
 * find the event by its base.
 */
static void add_levels_to_base(struct parsed_event *e, struct span mods)
{
	char *base;

	if (!e->named || e->ev.kind == EVENT_TIME ||
	    (!has_any_of(mods, "ukhGHI") && !strpbrk(e->ev.name, ":/")))
		return;
	base = text__format("%s:%.*s", e->ev.base, (int)mods.len, mods.s ?: "");
	free(e->ev.base);
	e->ev.base = base;
}

/* Fills *out from one event and its modifiers. The caller frees *out in any case. */
static int parse_event(struct event_parser *p, const struct event_item *item,
		       struct parsed_event *out)
{
	struct span mods = item->mods;
	int err = -ENOENT;

	if (item->terms.s)
		err = event_parser__pmu(p, item, out);
	if (err == -ENOENT)
		err = parse_generic(p, item, out);
	if (err == -ENOENT && !item->terms.s)
		err = event_parser__pmu_event(p, item, out);
	if (err == -ENOENT && !item->terms.s && mods.s)
		err = event_parser__tracepoint(p, item, out, &mods);
	if (err == -ENOENT)
		err = event_parser__fail_unknown(p, item);
	if (!err && mods.s)
		err = event_parser__modify(p, &out->ev, mods);
	if (!err)
		add_levels_to_base(out, mods);
	if (!err && !out->ev.name)
		out->ev.name = xstrndup(item->all.s, item->all.len);
	return err;
}

/* Returns true if ev equals an event in the old list, or one of the first cnt in found[]. */
static bool is_duplicate(const struct event_parser *p, const struct event *ev, int cnt)
{
	for (int i = 0; i < p->old->cnt; i++) {
		if (event__same(&p->old->v[i], ev))
			return true;
	}
	for (int i = 0; i < cnt; i++) {
		if (event__same(&p->found[i].ev, ev))
			return true;
	}
	return false;
}

/* Removes the duplicates among the events from found[first] on, and frees them. */
static void drop_duplicates(struct event_parser *p, int first)
{
	int kept = first;

	for (int i = first; i < p->found_cnt; i++) {
		/*
		 * The events before found[kept] are kept. Move the next event there, then look for
		 * duplicates of it.
		 */
		struct parsed_event moved = p->found[i];

		p->found[i] = p->found[kept];
		p->found[kept] = moved;
		if (is_duplicate(p, &p->found[kept].ev, kept))
			event__free(&p->found[kept].ev);
		else
			kept++;
	}
	p->found_cnt = kept;
}

/* Parses one event and adds it to p->found. group is -1 for an event without a group. */
static int add_parsed(struct event_parser *p, struct span all, int group)
{
	int err, max = p->old->max ?: BPROF_MAX_EVENTS;
	struct parsed_event new = {0};
	struct event_item item;

	event__init(&new.ev);
	err = split_item(p, all, &item);
	if (!err)
		err = parse_event(p, &item, &new);
	if (err)
		goto out;
	new.ev.group = group;
	if (p->old->cnt + p->found_cnt < max) {
		p->found[p->found_cnt++] = new;
		event__init(&new.ev);
		drop_duplicates(p, p->found_cnt - 1);
		goto out;
	}
	if (!is_duplicate(p, &new.ev, p->found_cnt))
		err = event_parser__fail(p, all, "too many events: at most %d can be read at once",
					 max);
out:
	event__free(&new.ev);
	return err;
}

/* Lists and groups */

/*
 * Returns the end of the event at s: a comma or a brace outside of slashes, or the end of the spec.
 */
static const char *find_event_end(const char *s)
{
	const char *end = s + strlen(s), *quote;

	for (; *s && *s != ',' && *s != '{' && *s != '}'; s++) {
		if (*s != '/')
			continue;
		s = find_slash(s + 1, end, &quote);
		if (!s)
			return end;
	}
	return s;
}

static int fail_brace(struct event_parser *p, const char *s)
{
	return event_parser__fail(p, (struct span){s, 1}, "this } does not close a group");
}

/* Parses one event at *s and moves *s to the event's end. */
static int parse_item(struct event_parser *p, const char **s, int group)
{
	const char *end = find_event_end(*s);
	struct span all = span__trim((struct span){*s, end - *s});

	if (*end == '{')
		return event_parser__fail(p, (struct span){end, 1},
					  group >= 0 ? "groups cannot be nested"
						     : "a group must follow a comma");
	if (*end == '}' && group < 0)
		return fail_brace(p, end);
	if (!all.len && *end != ',' && end > p->spec && end[-1] == ',')
		end--; /* no event follows the comma: point at the comma */
	if (!all.len)
		return event_parser__fail(p, (struct span){end, 1}, "an event is missing here");
	*s = end;
	return add_parsed(p, all, group);
}

/* Parses the modifiers that follow a group's '}' at *s, and moves *s behind the modifiers. */
static int parse_group_modifiers(struct event_parser *p, const char **s, int first)
{
	struct span mods;

	(*s)++;
	mods = span__trim((struct span){*s, strcspn(*s, ",{}/")});
	*s = mods.s + mods.len;
	for (int i = first; i < p->found_cnt; i++) {
		int err = event_parser__modify(p, &p->found[i].ev, mods);

		if (err)
			return err;
		if (!p->found[i].named)
			event__append_modifiers(&p->found[i].ev, mods);
		add_levels_to_base(&p->found[i], mods);
	}
	drop_duplicates(p, first);
	return 0;
}

static const char *skip_spaces(const char *s)
{
	while (isspace((unsigned char)*s))
		s++;
	return s;
}

/* Parses {event,…}:mods at *s and moves *s behind the group. */
static int parse_group(struct event_parser *p, const char **s)
{
	int group = p->old->group_cnt + p->group_cnt++, first = p->found_cnt;
	struct span open = {*s, 1};
	int err;

	do {
		(*s)++;
		err = parse_item(p, s, group);
		if (err)
			return err;
	} while (**s == ',');
	if (**s != '}')
		return event_parser__fail(p, open, "this { is not closed");
	*s = skip_spaces(*s + 1);
	if (**s == ':')
		err = parse_group_modifiers(p, s, first);
	return err;
}

/*
 * Refuses events that count nothing in the kernel of the host, where BPF programs run. The kernel
 * ignores the modifiers of its software clocks: cpu-clock:u would count in the kernel, too, so its
 * name would be wrong.
 */
static int check_levels(struct event_parser *p, int first, struct span at)
{
	for (int i = first; i < p->found_cnt; i++) {
		const struct event *ev = &p->found[i].ev;

		if (!p->old->any_level && (ev->exclude_kernel || ev->exclude_host))
			return event_parser__fail(p, at,
						  "%s counts nothing in BPF programs, which run in "
						  "the kernel of the host; leave out the modifiers "
						  "u, h and G, or add k or H (only 'bprof system' "
						  "takes such events)",
						  ev->name);
	}
	return 0;
}

static int parse_list(struct event_parser *p)
{
	const char *s = p->spec;
	int err;

	for (;;) {
		const char *start = skip_spaces(s);
		int first = p->found_cnt;

		if (*start == '{') {
			s = start;
			err = parse_group(p, &s);
		} else {
			err = parse_item(p, &s, -1);
		}
		err = err ?: check_levels(p, first, (struct span){start, s - start});
		if (err)
			return err;
		s = skip_spaces(s);
		if (!*s)
			return 0;
		if (*s == '}')
			return fail_brace(p, s);
		if (*s != ',')
			return event_parser__fail(p, (struct span){s, 1},
						  "a comma or modifiers (:u) must follow a group");
		s++;
	}
}

int event_list__parse(struct event_list *list, const char *spec, const char *sysfs,
		      struct parse_error *err)
{
	struct event_parser p = {.spec = spec, .sysfs = sysfs, .old = list, .err = err};
	int ret = parse_list(&p);

	if (!ret && p.found_cnt)
		list->v = xreallocarray(list->v, list->cnt + p.found_cnt, sizeof(*list->v));
	for (int i = 0; i < p.found_cnt; i++)
		if (ret)
			event__free(&p.found[i].ev);
		else
			list->v[list->cnt++] = p.found[i].ev;
	list->group_cnt += ret ? 0 : p.group_cnt;
	return ret;
}

int event_list__add_option(void *list, const struct option_row *row, const char *arg)
{
	struct parse_error perr;

	return parse_error__report(event_list__parse(list, arg, EVENT_SYSFS, &perr), "-e", arg,
				   &perr);
}
