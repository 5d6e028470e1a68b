/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the files that parse -e share: event_parse.c (lists, groups), event_modifier.c and
 * event_pmu.c (events that sysfs describes). Nobody else includes it.
 */
#ifndef BPROF_EVENT_PARSE_H
#define BPROF_EVENT_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "event/event.h"
#include "bpf/probe.h"

/* A piece of the spec, not terminated. */
struct span {
	const char *s;
	size_t len;
};

/* One event of the spec: head[/terms/][:mods] */
struct event_item {
	struct span all;
	struct span head;
	struct span terms; /* s is NULL where there are no slashes */
	struct span mods;  /* s is NULL where there are none */
};

struct parsed_event {
	struct event ev;
	bool named; /* by name=…: kept as it is, no modifiers are appended */
};

/* One parse: what it works on, and what it found so far. */
struct event_parser {
	const char *spec;
	const char *sysfs;
	const struct event_list *old; /* what the list held before */
	struct parsed_event found[EVENT_LIST_MAX];
	int found_cnt;
	int group_cnt;
	struct parse_error *err;
};

/* Sets the parser's error to that piece of the spec and a printf text. Returns -EINVAL. */
int event_parser__fail(struct event_parser *p, struct span at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* An empty event that belongs to no group. */
void event__init(struct event *ev);
/* Frees what the event holds, not the event itself. */
void event__free(struct event *ev);
/* Do both count the same thing in the same way and the same group? */
bool event__same(const struct event *a, const struct event *b);

/* Without the white space around it. */
struct span span__trim(struct span s);
/* Is it that word? */
bool span__is(struct span s, const char *word);
/* A decimal or 0x… number, all of s. 0, -EINVAL, -ERANGE. */
int span__to_u64(struct span s, __u64 *out);
/*
 * The number in "r1a2" or "r0x1a2". 0, -EINVAL: it is nothing of that form; -ERANGE: more than 64
 * bits.
 */
int span__to_raw(struct span s, __u64 *out);

/*
 * Applies the letters to ev, on top of what it has: those of a group come after its own. Each
 * letter but p may be there once only, as in perf. 0, -EINVAL reported.
 */
int event_parser__modify(struct event_parser *p, struct event *ev, struct span mods);
/*
 * Appends a group's letters to the name as perf shows them: "a", "a:k", "pmu/x/" with u: "a:u",
 * "a:ku", "pmu/x/u". 0, -ENOMEM.
 */
int event__append_modifiers(struct event *ev, struct span mods);

/*
 * pmu/term=value,…/ into out (modifiers not applied). -ENOENT: there is no such PMU, nothing is
 * reported.
 */
int event_parser__pmu(struct event_parser *p, const struct event_item *item,
		      struct parsed_event *out);
/*
 * A bare name, looked up in the events of every PMU. -ENOENT: nobody has it, nothing is reported.
 */
int event_parser__pmu_event(struct event_parser *p, const struct event_item *item,
			    struct parsed_event *out);
/* Takes name=… out of the terms of an event that has no others. */
int event_parser__name_term(struct event_parser *p, const struct event_item *item,
			    struct parsed_event *out);
/* Reports an item that names nothing: what is near, or why it is refused. Returns -EINVAL. */
int event_parser__fail_unknown(struct event_parser *p, const struct event_item *item);
/* "a, b, …": as many names as there is room for in sz bytes. Returns buf. */
const char *event_parser__join_names(char *const *names, int cnt, char *buf, size_t sz);

#endif
