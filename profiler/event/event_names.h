/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Event names that need no sysfs: generic hardware and software events, time, and the hardware
 * cache events in every spelling that perf accepts. Tables; pure.
 */
#ifndef BPROF_EVENT_NAMES_H
#define BPROF_EVENT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "event/event.h"

struct event_name {
	enum event_kind kind;
	__u32 type;
	__u64 config;
	const char *name;  /* canonical, for metrics: "cycles" */
	const char *alias; /* perf's other spelling, or NULL */
	const char *unit;  /* "" or "ns" */
};
extern const struct event_name event_names[];
extern const int event_name_cnt;

/*
 * Returns the row with that name or alias, ignoring case; NULL: none. name need not be terminated.
 */
const struct event_name *event_name__find(const char *name, size_t len);

/*
 * Returns the name of the event with this type and config of perf_event_attr: "cycles",
 * "dTLB-loads", "r1a"; NULL: it has no such name. Static storage, or buf.
 */
const char *event_name__of(__u32 type, __u64 config, char *buf, size_t sz);

/* Returns why bprof cannot count this event of perf; NULL: it is not such an event. */
const char *event_name__refused(const char *name, size_t len);

/* One hardware cache event: PERF_COUNT_HW_CACHE_…, _OP_…, _RESULT_… */
struct cache_event {
	int type, op, result;
};

/*
 * Parses "L1-dcache-load-misses" in any spelling: the cache, then op and result in either order;
 * each may be missing (load, refs). Returns 0, or -ENOENT: not the name of a cache event.
 * cache_event__valid() says whether the event exists.
 */
int cache_event__parse(const char *name, size_t len, struct cache_event *out);
/* Returns true if the kernel defines it. For example, an instruction cache has no stores. */
bool cache_event__valid(const struct cache_event *c);
__u64 cache_event__config(const struct cache_event *c);
/*
 * Writes the canonical name to buf: "L1-dcache-loads", "L1-dcache-load-misses"; 64 bytes are
 * enough. Returns buf.
 */
const char *cache_event__name(const struct cache_event *c, char *buf, size_t sz);

#endif
