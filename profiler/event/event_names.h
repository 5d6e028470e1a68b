/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The event names that need no sysfs: generic hardware and software events, time, and the
 * hardware cache events with every spelling that perf takes. Tables; pure.
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
	const char *name;  /* canonical, what metrics match: "cycles" */
	const char *alias; /* perf's other spelling, or NULL */
	const char *unit;  /* "" or "ns" */
};
extern const struct event_name event_names[];
extern const int event_name_cnt;

/* The row of that name or alias, upper or lower case; NULL: none. name need not be terminated. */
const struct event_name *event_name__find(const char *name, size_t len);

/*
 * The name of what an event of perf_event_attr's type and config counts: "cycles", "dTLB-loads",
 * "r1a"; NULL: it has none of these. Static storage, or buf.
 */
const char *event_name__of(__u32 type, __u64 config, char *buf, size_t sz);

/* What perf knows as an event and bprof cannot count, and why; NULL: not one of those. */
const char *event_name__refused(const char *name, size_t len);

/* One hardware cache event: PERF_COUNT_HW_CACHE_…, _OP_…, _RESULT_… */
struct cache_event {
	int type, op, result;
};

/*
 * Parses "L1-dcache-load-misses" in any spelling: the cache, then op and result in either order,
 * each of which may be left out (load, refs). 0, or -ENOENT: not a cache event's name. Whether
 * there is such an event: cache_event__valid().
 */
int cache_event__parse(const char *name, size_t len, struct cache_event *out);
/* Does the kernel define it? There are no stores to an instruction cache. */
bool cache_event__valid(const struct cache_event *c);
__u64 cache_event__config(const struct cache_event *c);
/*
 * The canonical name, "L1-dcache-loads", "L1-dcache-load-misses"; buf of 64 bytes is enough.
 * Returns buf.
 */
const char *cache_event__name(const struct cache_event *c, char *buf, size_t sz);

#endif
