/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Events: what is counted, as a pure description. Parsing knows sysfs (below a given root) but
 * opens nothing.
 */
#ifndef BPROF_EVENT_H
#define BPROF_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <linux/types.h>

#include "kernel/cpus.h"
#include "base/parse_error.h"

enum event_kind {
	EVENT_PERF, /* a perf event: type, config, … go into perf_event_attr */
	EVENT_TIME, /* bprof's own clock, bpf_ktime_get_ns() in the probe */
};

struct perf_event_attr;

struct event {
	char *name; /* as the user wrote it, or its name=…; modifiers included: what reports show */
	char *base; /* canonical, without modifiers ("instructions"): what metrics match */
	enum event_kind kind;
	__u32 type; /* perf_event_attr */
	__u64 config, config1, config2, config3;
	bool exclude_user, exclude_kernel, exclude_hv, exclude_host, exclude_guest, exclude_idle;
	__u8 precise_ip;     /* one for each modifier p */
	bool precise_max;    /* modifier P: the highest precise_ip that the kernel takes */
	bool pinned;	     /* modifier D */
	bool exclusive;	     /* modifier e */
	int group;	     /* index of its {group} in the list, -1 for none */
	const char *unit;    /* "ns" for time and the clocks, a PMU's .unit, else "" */
	char *unit_buf;	     /* what unit points to when it had to be allocated, else NULL */
	double scale;	     /* a PMU's .scale, else 1 */
	struct cpus cpumask; /* the PMU counts on these CPUs only (uncore; one of several CPU PMUs,
			      * as on big.LITTLE); empty: any CPU */
};

/* More than anyone counts at once; a probe has room for BPROF_MAX_EVENTS. */
#define EVENT_LIST_MAX 64

struct event_list {
	struct event *v;
	int cnt;
	int max; /* that may be in it, at most EVENT_LIST_MAX; 0: BPROF_MAX_EVENTS */
	int group_cnt;
};

/*
 * Parses one -e argument
 * ("cycles,{instructions:u,L1-dcache-load-misses},cpu/event=0x3c/k,r1a2,time") and appends to
 * list. sysfs is the root of the event_source tree, normally EVENT_SYSFS. An event that parses but
 * is not supported by the machine is no error here: opening it finds out. Exact duplicates (same
 * attr, same group) are merged, the first one's name stays. More than the list's max is an
 * error. 0, -EINVAL with *err (which may be NULL), -ENOMEM. On failure list is unchanged.
 */
#define EVENT_SYSFS "/sys/bus/event_source/devices"
int event_list__parse(struct event_list *list, const char *spec, const char *sysfs,
		      struct parse_error *err);
/* Do both count the same thing in the same way, whatever their groups? */
bool event__counts_same(const struct event *a, const struct event *b);
/* Frees what the list holds and leaves it empty. */
void event_list__free(struct event_list *list);

/*
 * Fills *attr from an event, all else zero: size, type, config…, exclude_…, precise_ip, pinned,
 * exclusive. It counts (sample_period 0) and is enabled from the start (disabled 0); both are the
 * caller's to change. 0; -EINVAL: time is no perf event; -EOPNOTSUPP: needs config3, which the
 * headers bprof was built with lack.
 */
int event__to_attr(const struct event *ev, struct perf_event_attr *attr);

/*
 * Prints what -e accepts here, perf-list like, with kind headings: hardware, software, cache,
 * every PMU's events and formats, time. supported(attr-like event, arg) says whether the kernel
 * opens it; NULL: not asked.
 */
typedef bool (*event_supported_fn)(const struct event *ev, void *arg);
int event_list__print_all(FILE *out, const char *sysfs, event_supported_fn supported, void *arg);

#endif
