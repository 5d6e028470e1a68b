/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The catalog of --list-events: the events that -e accepts on this machine, like perf list.
 */
#ifndef BPROF_EVENT_CATALOG_H
#define BPROF_EVENT_CATALOG_H

#include <stdbool.h>
#include <stdio.h>

#include "event/event.h"

enum catalog_kind {
	CATALOG_TIME,
	CATALOG_HARDWARE,
	CATALOG_SOFTWARE,
	CATALOG_CACHE,
	CATALOG_PMU_EVENT,
	CATALOG_PMU_TERM, /* a term that PMU events can have: "cpu/umask=N/" */
	CATALOG_PMU, /* a PMU that sysfs describes wrongly, so that its events cannot be used */
	CATALOG_TRACEPOINT,
	CATALOG_KIND_CNT,
};

struct catalog_entry {
	enum catalog_kind kind;
	char *name;	   /* the name that -e accepts; for a PMU, the PMU's name */
	char *alias;	   /* another name for the same event, or NULL */
	char *pmu;	   /* name of the event's PMU, or NULL */
	char *cpus;	   /* the CPUs on which the PMU counts: "0-3"; NULL: all CPUs */
	char *unit;	   /* "ns", the text of a PMU's .unit file, or "" */
	char *description; /* NULL: nothing to add to the name */
	char *error;	   /* why -e does not accept the name as it is, or NULL */
	bool checked;	   /* true if "supported" is known */
	bool supported;	   /* the kernel can open the event */
};

struct event_catalog {
	struct catalog_entry *v;
	int cnt;
	bool is_selection; /* the catalog has only entries that matched a pattern */
};

/*
 * Makes the catalog: time, hardware, software and cache events, and the events and terms of every
 * PMU. With a pattern (a glob, ignoring case), the catalog has only the entries whose name or
 * heading contains the pattern, including tracepoints. If pattern is NULL, it has all entries
 * except tracepoints. supported() returns 1 if the kernel can open an event, 0 if it cannot, or
 * -errno if it is not possible to find out. If supported is NULL, no event is checked. Returns 0;
 * -ENOENT if no entry contains the pattern; or another -errno if the catalog would not be complete.
 * The caller frees *c also on failure.
 */
typedef int (*event_supported_fn)(const struct event *ev, void *arg);
int event_catalog__make(struct event_catalog *c, const char *sysfs, const char *pattern,
			event_supported_fn supported, void *arg);
void event_catalog__free(struct event_catalog *c);

/* Formats the heading above the entry: "Hardware events", "PMU cpu (on CPUs 0-3)". Returns buf. */
#define CATALOG_HEADING_SZ 1400
const char *catalog_entry__heading(const struct catalog_entry *e, char *buf);

/* A renderer of catalogs. The caller checks out for write errors. */
typedef void event_catalog_render_fn(const struct event_catalog *c, bool one_line, FILE *out);
event_catalog_render_fn event_catalog__render_text;
event_catalog_render_fn event_catalog__render_json;

#endif
