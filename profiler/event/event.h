/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Events: descriptions of what is counted. Parsing a description reads files of sysfs below a root
 * that the caller gives. It opens no event.
 */
#ifndef BPROF_EVENT_H
#define BPROF_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <linux/types.h>

#include "base/parse_error.h"
#include "host/cpus.h"

enum event_kind {
	EVENT_PERF, /* a perf event: type, config, … go into perf_event_attr */
	EVENT_TIME, /* bprof's own clock, bpf_ktime_get_ns() in the probe */
};

struct option_row;
struct perf_event_attr;

struct event {
	/* The name in reports: the user's spelling with modifiers, or the value of name=… */
	char *name;
	/*
	 * The canonical name ("instructions"), without modifiers; metrics use it. If the user gave
	 * the name, the modifiers that select levels follow ("instructions:u"); if that name may look
	 * as if it had modifiers, at least a ':' follows.
	 */
	char *base;
	enum event_kind kind;
	__u32 type; /* type and config… are members of perf_event_attr */
	__u64 config, config1, config2, config3;
	bool exclude_user, exclude_kernel, exclude_hv, exclude_host, exclude_guest, exclude_idle;
	bool machines_given; /* H or G is given: do not leave guests out by default */
	__u8 precise_ip;     /* the number of "p" modifiers */
	/* Set by the modifier P: use the highest precise_ip that the kernel accepts */
	bool precise_max;
	bool pinned;	/* set by the modifier D */
	bool exclusive; /* set by the modifier e */
	/* Number of the event's {group}, counted from 0 in the list, or -1 without a group */
	int group;
	/* "ns" for time and the clocks, the text of a PMU's .unit file, or "" */
	const char *unit;
	char *unit_buf; /* the allocation that unit points to, or NULL */
	double scale;	/* the number in a PMU's .scale file, or 1 */
	/* CPUs on which the event's PMU counts (uncore, big.LITTLE); empty: all CPUs */
	struct cpus cpumask;
};

/* The maximum length of any list. A probe has room for only BPROF_MAX_EVENTS events. */
#define EVENT_LIST_MAX 64

struct event_list {
	struct event *v;
	int cnt;
	int max; /* the maximum of cnt, at most EVENT_LIST_MAX; 0 means BPROF_MAX_EVENTS */
	int group_cnt;
	bool is_default; /* the user did not ask for these events */
	/* also accept events that count nothing while BPF programs run, such as cycles:u */
	bool any_level;
	/* only tasks are counted, which needs less privileges than whole CPUs */
	bool tasks;
};

/*
 * Parses one -e argument
 * ("cycles,{instructions:u,L1-dcache-load-misses},cpu/event=0x3c/k,r1a2,time") and appends its
 * events to list. sysfs is the root of the event_source tree, normally EVENT_SYSFS; tracepoints
 * (sched:sched_switch) are looked up in the tracefs that is mounted in the same sysfs. If this
 * machine does not support an event, this is no error here: opening the event will fail. Duplicates
 * (same attr and same group) are merged and keep the first event's name. More events than list->max
 * are an error. Returns 0, or -EINVAL with *err (may be NULL). On failure list is unchanged.
 */
#define EVENT_SYSFS "/sys/bus/event_source/devices"
int event_list__parse(struct event_list *list, const char *spec, const char *sysfs,
		      struct parse_error *err);
/*
 * Adds the events of one -e option to an event list: the function add() of its row (options/options.h).
 * Returns 0 or -errno (reported).
 */
int event_list__add_option(void *list, const struct option_row *row, const char *arg);
/* Initialises an empty event without a group. */
void event__init(struct event *ev);
/* Frees the event's contents, not the event itself. */
void event__free(struct event *ev);
/* Returns true if a and b have the same attr. Ignores their groups. */
bool event__counts_same(const struct event *a, const struct event *b);
/* Returns true if a and b have the same attr and are in the same group. */
bool event__same(const struct event *a, const struct event *b);
/* Returns true if this is the event cycles, at whatever levels, also if the user gave it another name. */
bool event__is_cycles(const struct event *ev);
/* Returns true if the event counts instructions, at least those of this kernel. */
bool event__counts_instructions(const struct event *ev);
/* Frees the contents of the list and leaves the list empty. */
void event_list__free(struct event_list *list);

/*
 * Fills these members of *attr from an event: size, type, config…, exclude_…, precise_ip, pinned,
 * exclusive. Zeroes all other members of *attr: the event counts (sample_period 0) and starts
 * enabled (disabled 0) unless the caller changes that. Returns 0; -EINVAL if the event is time,
 * which is not a perf event; -EOPNOTSUPP if the event needs config3 and the headers of this build
 * lack it.
 */
int event__to_attr(const struct event *ev, struct perf_event_attr *attr);

#endif
