/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tables of the event names that need no sysfs: generic hardware and software events, time, and the
 * hardware cache events in every spelling that perf accepts.
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
	const char *name;  /* the canonical name ("cycles"); metrics use it */
	const char *alias; /* perf's other spelling, or NULL */
	const char *unit;  /* "" or "ns" */
};
extern const struct event_name event_names[];
extern const int event_name_cnt;

/*
 * Returns the row with that name or alias, ignoring case, or NULL. name need not be NUL-terminated.
 */
const struct event_name *event_name__find(const char *name, size_t len);

/*
 * Returns the name of the event with this type and config of perf_event_attr: "cycles",
 * "dTLB-loads", "r1a"; or NULL if the event has no such name. The name is static or in buf.
 */
const char *event_name__of(__u32 type, __u64 config, char *buf, size_t sz);

/* Returns the reason why bprof cannot count this event of perf. Returns NULL for any other name. */
const char *event_name__refused(const char *name, size_t len);

/* One hardware cache event: its PERF_COUNT_HW_CACHE_…, …_OP_… and …_RESULT_… values. */
struct cache_event {
	int type, op, result;
};

/*
 * Parses "L1-dcache-load-misses" in any spelling: the cache, then the operation and the result in
 * either order. Without an operation, the name means loads; without a result, it means refs, that
 * is, all accesses. Returns 0, or -ENOENT if this is not the name of a cache event. Does not check
 * that the event exists: see cache_event__valid().
 */
int cache_event__parse(const char *name, size_t len, struct cache_event *out);
/* Returns true if the kernel defines the event. For example, an instruction cache has no stores. */
bool cache_event__valid(const struct cache_event *c);
__u64 cache_event__config(const struct cache_event *c);
/*
 * Writes the canonical name ("L1-dcache-loads", "L1-dcache-load-misses") to buf, for which 64 bytes
 * are enough. Returns buf.
 */
const char *cache_event__name(const struct cache_event *c, char *buf, size_t sz);

/*
 * Calls fn with the name of each event that -e accepts, and with its PMU, or NULL if the event
 * needs none. sysfs is the root of the event_source tree.
 */
typedef void event_name_fn(void *arg, const char *pmu, const char *name);
void event_names__for_each(const char *sysfs, event_name_fn *fn, void *arg);

#endif
