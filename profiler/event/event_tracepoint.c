// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tracepoints as events: "sched:sched_switch". Owns the place of tracepoints in tracefs. Knows
 * neither the syntax of lists nor modifiers.
 */
#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/perf_event.h>

#include "base/memory.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/util.h"
#include "event/event_parse.h"
#include "event/tracepoint.h"

/*
 * The directories in which tracefs may have its events, relative to the tree of PMUs (EVENT_SYSFS).
 * Each tracepoint has a file SUBSYSTEM/NAME/id in such a directory.
 */
static const char *const roots[] = {
	"../../../kernel/tracing/events",
	"../../../kernel/debug/tracing/events",
};

int tracepoints__for_each(const char *sysfs, int (*fn)(const char *name, void *arg), void *arg)
{
	char pattern[PATH_MAX], name[256];
	glob_t found = {};
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(roots) && !found.gl_pathc; i++) {
		snprintf(pattern, sizeof(pattern), "%s/%s/*/*/id", sysfs, roots[i]);
		globfree(&found);
		if (glob(pattern, 0, NULL, &found) == GLOB_NOSPACE)
			out_of_memory();
	}
	for (size_t i = 0; !err && i < found.gl_pathc; i++) {
		/* the part of the path that the two asterisks matched */
		const char *at = found.gl_pathv[i] + strlen(pattern) - strlen("*/*/id");
		size_t subsystem = strcspn(at, "/"), len = strcspn(at + subsystem + 1, "/");

		snprintf(name, sizeof(name), "%.*s:%.*s", (int)subsystem, at, (int)len,
			 at + subsystem + 1);
		err = fn(name, arg);
	}
	globfree(&found);
	return err;
}

static bool is_file_name(struct span s)
{
	return s.len && *s.s != '.' && !memchr(s.s, '/', s.len);
}

/* Reads the tracepoint's id, which is its config in perf_event_attr. Returns 0 or -errno. */
static int read_id(const char *sysfs, struct span subsystem, struct span name, __u64 *id)
{
	int err = -ENOENT;

	if (!is_file_name(subsystem) || !is_file_name(name))
		return err;
	for (size_t i = 0; err && i < ARRAY_SIZE(roots); i++) {
		char path[PATH_MAX], *text = NULL;

		if (snprintf(path, sizeof(path), "%s/%s/%.*s/%.*s/id", sysfs, roots[i],
			     (int)subsystem.len, subsystem.s, (int)name.len, name.s) >= PATH_MAX)
			return -ENOENT;
		err = read_file(path, &text);
		if (!err) {
			text[strcspn(text, "\n")] = '\0';
			err = parse_u64(text, ~0U, id);
		}
		free(text);
	}
	return err;
}

/*
 * Returns true if "head:name" looks like a tracepoint, and not like an unknown event with
 * modifiers: the name contains characters other than letters, or is too long to be mistyped
 * modifiers.
 */
static bool looks_like_tracepoint(struct span head, struct span name)
{
	size_t letters = 0;

	while (letters < name.len && isalpha((unsigned char)name.s[letters]))
		letters++;
	/* "mem:0x1000" is a breakpoint */
	return !isdigit((unsigned char)*head.s) && !span__is(head, "mem") &&
	       (letters < name.len || name.len > 4);
}

static int offer_tracepoint(const char *name, void *suggest)
{
	suggest__offer(suggest, name);
	return 0;
}

/* Sets the error for a tracepoint that cannot be found. */
static int fail_tracepoint(struct event_parser *p, struct span full)
{
	char path[PATH_MAX], near[80];
	struct suggest s;

	if (memchr(full.s, '*', full.len) || memchr(full.s, '?', full.len))
		return event_parser__fail(p, full,
					  "give the name of one tracepoint, not a pattern; 'bprof "
					  "--list-events SUBSYSTEM:' lists the names");
	snprintf(path, sizeof(path), "%s/%s", p->sysfs, roots[0]);
	if (access(path, X_OK))
		return event_parser__fail(
			p, full, "%s",
			errno == EACCES
				? "tracepoints are in /sys/kernel/tracing, which only root can "
				  "read; run bprof as root"
				: "tracepoints are not visible; run 'mount -t tracefs tracefs "
				  "/sys/kernel/tracing'");
	suggest__init(&s, full.s, full.len);
	/* Ignore errors: they only leave the hint out of the message. */
	(void)tracepoints__for_each(p->sysfs, offer_tracepoint, &s);
	if (!*suggest__text(&s, near, sizeof(near)))
		snprintf(near, sizeof(near), "; see 'bprof --list-events'");
	return event_parser__fail(p, full, "no such tracepoint%s", near);
}

int event_parser__tracepoint(struct event_parser *p, const struct event_item *item,
			     struct parsed_event *out, struct span *mods)
{
	const char *end = item->mods.s + item->mods.len;
	const char *colon = memchr(item->mods.s, ':', item->mods.len) ?: end;
	struct span name = span__trim((struct span){item->mods.s, colon - item->mods.s});
	struct span full = {item->head.s, name.s + name.len - item->head.s};
	struct event *ev = &out->ev;

	if (read_id(p->sysfs, item->head, name, &ev->config))
		return looks_like_tracepoint(item->head, name) ? fail_tracepoint(p, full) : -ENOENT;
	ev->type = PERF_TYPE_TRACEPOINT;
	ev->base =
		text__format("%.*s:%.*s", (int)item->head.len, item->head.s, (int)name.len, name.s);
	*mods = colon < end ? span__trim((struct span){colon + 1, end - colon - 1})
			    : (struct span){};
	return 0;
}
