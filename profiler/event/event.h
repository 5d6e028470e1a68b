/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Events: pure descriptions of what is counted. Parsing reads sysfs (below a given root) but opens
 * no event.
 */
#ifndef BPROF_EVENT_H
#define BPROF_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <linux/types.h>

#include "base/parse_error.h"
#include "kernel/cpus.h"

enum event_kind {
	EVENT_PERF, /* a perf event: type, config, … go into perf_event_attr */
	EVENT_TIME, /* bprof's own clock, bpf_ktime_get_ns() in the probe */
};

struct perf_event_attr;

struct event {
	char *name; /* for reports: as written, with modifiers; or from name=… */
	char *base; /* for metrics: canonical, without modifiers ("instructions") */
	enum event_kind kind;
	__u32 type; /* perf_event_attr */
	__u64 config, config1, config2, config3;
	bool exclude_user, exclude_kernel, exclude_hv, exclude_host, exclude_guest, exclude_idle;
	__u8 precise_ip;     /* number of modifiers p */
	bool precise_max;    /* modifier P: the highest precise_ip that the kernel accepts */
	bool pinned;	     /* modifier D */
	bool exclusive;	     /* modifier e */
	int group;	     /* index of its {group} in the list, -1 for none */
	const char *unit;    /* "ns" for time and the clocks, a PMU's .unit, else "" */
	char *unit_buf;	     /* the allocation that unit points to, or NULL */
	double scale;	     /* a PMU's .scale, else 1 */
	struct cpus cpumask; /* CPUs on which the PMU counts (uncore; big.LITTLE); empty: any CPU */
};

/* Limit of a list. A probe has room for BPROF_MAX_EVENTS. */
#define EVENT_LIST_MAX 64

struct event_list {
	struct event *v;
	int cnt;
	int max; /* maximum of cnt, at most EVENT_LIST_MAX; 0: BPROF_MAX_EVENTS */
	int group_cnt;
};

/*
 * Parses one -e argument
 * ("cycles,{instructions:u,L1-dcache-load-misses},cpu/event=0x3c/k,r1a2,time") and appends to list.
 * sysfs is the root of the event_source tree, normally EVENT_SYSFS. An event that this machine does
 * not support is not an error here; opening it will fail. Exact duplicates (same attr, same group)
 * are merged under the first one's name. More events than the list's max are an error. Returns 0,
 * -EINVAL with *err (may be NULL), or -ENOMEM. On failure list is unchanged.
 */
#define EVENT_SYSFS "/sys/bus/event_source/devices"
int event_list__parse(struct event_list *list, const char *spec, const char *sysfs,
		      struct parse_error *err);
/* Returns true if both count the same in the same way, whatever their groups. */
bool event__counts_same(const struct event *a, const struct event *b);
/* Frees the list's contents and leaves it empty. */
void event_list__free(struct event_list *list);

/*
 * Fills *attr from an event and zeroes the rest: size, type, config…, exclude_…, precise_ip,
 * pinned, exclusive. The event counts (sample_period 0) and starts enabled (disabled 0); the caller
 * may change both. Returns 0; -EINVAL: time is not a perf event; -EOPNOTSUPP: the event needs
 * config3, which the headers of this build lack.
 */
int event__to_attr(const struct event *ev, struct perf_event_attr *attr);

/*
 * Prints what -e accepts on this machine, like perf list, with a heading for each kind: time,
 * hardware, software, cache, and the events and formats of every PMU. supported() says whether the
 * kernel can open an event; NULL: events are not checked. Returns 0 or -errno.
 */
typedef bool (*event_supported_fn)(const struct event *ev, void *arg);
int event_list__print_all(FILE *out, const char *sysfs, event_supported_fn supported, void *arg);

#endif
