/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Declarations shared by the files that parse -e: event_parse.c (lists, groups),
 * event_modifier.c, event_pmu.c (events that sysfs describes) and event_unknown.c. No other file
 * includes this header.
 */
#ifndef BPROF_EVENT_PARSE_H
#define BPROF_EVENT_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "bpf/probe.h"
#include "event/event.h"

/* A piece of the spec, without a terminating NUL. */
struct span {
	const char *s;
	size_t len;
};

/* One event of the spec: head[/terms/][:mods] */
struct event_item {
	struct span all;
	struct span head;
	struct span terms; /* s is NULL if there are no slashes */
	struct span mods;  /* s is NULL if there are no modifiers */
};

struct parsed_event {
	struct event ev;
	bool named; /* the name comes from name=…, so no modifiers are appended */
};

/* The state of parsing one spec: the input, and the events found so far. */
struct event_parser {
	const char *spec;
	const char *sysfs;
	const struct event_list *old; /* the list before parsing */
	struct parsed_event found[EVENT_LIST_MAX];
	int found_cnt;
	int group_cnt;
	struct parse_error *err;
};

/* Sets the parser's error: its place in the spec and a printf text. Returns -EINVAL. */
int event_parser__fail(struct event_parser *p, struct span at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Returns s without surrounding white space. */
struct span span__trim(struct span s);
/* Returns true if s equals word. */
bool span__is(struct span s, const char *word);
/* Parses all of s as a decimal or 0x… number. Returns 0, -EINVAL or -ERANGE. */
int span__to_u64(struct span s, __u64 *out);
/*
 * Parses the number in "r1a2" or "r0x1a2". Returns 0, -EINVAL if s has another form, or -ERANGE if
 * the number has more than 64 bits.
 */
int span__to_raw(struct span s, __u64 *out);

/*
 * Adds the modifiers in mods to the modifiers of ev. Call this for a group's modifiers after the
 * event's own modifiers. As in perf, each letter except p may occur only once in mods. Returns 0,
 * or -EINVAL with the parser's error set.
 */
int event_parser__modify(struct event_parser *p, struct event *ev, struct span mods);
/*
 * Appends a group's modifiers to the name, in perf's form: with u, "a" becomes "a:u", "a:k" becomes
 * "a:ku", and "pmu/x/" becomes "pmu/x/u".
 */
void event__append_modifiers(struct event *ev, struct span mods);

/*
 * Parses pmu/term=value,…/ into out, without modifiers. Returns 0; -ENOENT, without setting the
 * error, if there is no such PMU; or another -errno.
 */
int event_parser__pmu(struct event_parser *p, const struct event_item *item,
		      struct parsed_event *out);
/*
 * Looks up a bare name in the events of every PMU. Returns 0; -ENOENT, without setting the error,
 * if no PMU has the event; or another -errno.
 */
int event_parser__pmu_event(struct event_parser *p, const struct event_item *item,
			    struct parsed_event *out);
/*
 * Parses "SUBSYSTEM:NAME[:mods]", the name of a tracepoint, and sets *mods to the modifiers.
 * mods->s is NULL if there are none. Returns 0; -ENOENT, without setting the error, if the item
 * does not look like a tracepoint; or another -errno.
 */
int event_parser__tracepoint(struct event_parser *p, const struct event_item *item,
			     struct parsed_event *out, struct span *mods);
/* Parses the terms of an event for which only the term name=… is allowed. */
int event_parser__name_term(struct event_parser *p, const struct event_item *item,
			    struct parsed_event *out);
/*
 * Sets the error for an item that names no event: the error lists similar names or says why bprof
 * refuses the item. Returns -EINVAL.
 */
int event_parser__fail_unknown(struct event_parser *p, const struct event_item *item);
/* Joins as many names as fit into sz bytes: "a, b, …". Returns buf. */
const char *event_parser__join_names(char *const *names, int cnt, char *buf, size_t sz);

#endif
