// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Makes the catalog of --list-events. Parses each name with the parser of -e, so that the catalog
 * and -e agree. Opens no event itself, and must not know how the catalog is shown.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/perf_event.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/util.h"
#include "btf/reason.h"
#include "event/event_catalog.h"
#include "event/event_names.h"
#include "event/pmu.h"
#include "event/tracepoint.h"

struct listing {
	struct event_catalog *c;
	const char *sysfs;
	event_supported_fn supported;
	void *arg;
	/* add only entries whose name or heading matches, ignoring case; NULL: add all */
	char *glob;
};

const char *catalog_entry__heading(const struct catalog_entry *e, char *buf)
{
	static const char *const headings[CATALOG_KIND_CNT] = {
		[CATALOG_TIME] = "Time",
		[CATALOG_HARDWARE] = "Hardware events",
		[CATALOG_SOFTWARE] = "Software events",
		[CATALOG_CACHE] = "Hardware cache events",
		[CATALOG_TRACEPOINT] = "Tracepoints",
	};

	if (headings[e->kind])
		snprintf(buf, CATALOG_HEADING_SZ, "%s", headings[e->kind]);
	else if (e->cpus)
		snprintf(buf, CATALOG_HEADING_SZ, "PMU %s (on CPUs %s)", e->pmu, e->cpus);
	else
		snprintf(buf, CATALOG_HEADING_SZ, "PMU %s", e->pmu);
	return buf;
}

static bool matches_pattern(const struct listing *l, const struct catalog_entry *e)
{
	char heading[CATALOG_HEADING_SZ];

	return !l->glob || !fnmatch(l->glob, e->name, FNM_CASEFOLD) ||
	       !fnmatch(l->glob, catalog_entry__heading(e, heading), FNM_CASEFOLD);
}

/* Appends a copy of the entry, whose strings the caller keeps. */
static void append_entry(struct listing *l, const struct catalog_entry *e)
{
	struct catalog_entry *added = array__add(&l->c->v, &l->c->cnt, sizeof(*added));

	*added = (struct catalog_entry){.kind = e->kind,
					.checked = e->checked,
					.supported = e->supported,
					.name = text__dup(e->name),
					.alias = text__dup(e->alias),
					.pmu = text__dup(e->pmu),
					.cpus = text__dup(e->cpus),
					.unit = xstrdup(text__or_empty(e->unit)),
					.description = text__dup(e->description),
					.error = text__dup(e->error)};
}

/* Adds an event. Sets its unit, and whether the kernel can open it. Returns 0 or -errno. */
static int list_event(struct listing *l, struct catalog_entry *e)
{
	struct event_list list = {0};
	struct parse_error bad;
	int err, supported = 0;

	if (!matches_pattern(l, e))
		return 0;
	err = event_list__parse(&list, e->name, l->sysfs, &bad);
	if (err) {
		e->error = bad.text;
		append_entry(l, e);
		e->error = NULL;
		return 0;
	}
	e->unit = (char *)list.v[0].unit;
	e->checked = l->supported;
	if (l->supported)
		supported = list.v[0].kind == EVENT_TIME ? 1 : l->supported(&list.v[0], l->arg);
	e->supported = supported > 0;
	if (supported < 0)
		err = supported;
	else
		append_entry(l, e);
	event_list__free(&list);
	return err;
}

/* Adds the events of event_names[] that have this kind and type. */
static int add_names(struct listing *l, enum catalog_kind kind, enum event_kind event_kind,
		     __u32 type, const char *description)
{
	int err = 0;

	for (int i = 0; i < event_name_cnt && !err; i++) {
		const struct event_name *row = &event_names[i];
		struct catalog_entry e = {.kind = kind,
					  .name = (char *)row->name,
					  .alias = (char *)row->alias,
					  .description = (char *)description};

		if (row->kind == event_kind && row->type == type)
			err = list_event(l, &e);
	}
	return err;
}

static int add_caches(struct listing *l)
{
	struct cache_event c;
	char name[64];
	int err = 0;

	for (c.type = 0; c.type < PERF_COUNT_HW_CACHE_MAX; c.type++) {
		for (c.op = 0; c.op < PERF_COUNT_HW_CACHE_OP_MAX; c.op++) {
			for (c.result = 0; c.result < PERF_COUNT_HW_CACHE_RESULT_MAX; c.result++) {
				struct catalog_entry e = {.kind = CATALOG_CACHE, .name = name};

				if (err || !cache_event__valid(&c))
					continue;
				cache_event__name(&c, name, sizeof(name));
				err = list_event(l, &e);
			}
		}
	}
	return err;
}

static int add_pmu_events(struct listing *l, const struct pmu *pmu)
{
	char name[600], cpus[1024];
	int err = 0;

	cpus__format(&pmu->cpus, cpus, sizeof(cpus));
	for (int i = 0; i < pmu->event_cnt + pmu->format_cnt && !err; i++) {
		const bool is_term = i >= pmu->event_cnt;
		const struct pmu_format *format = is_term ? &pmu->format[i - pmu->event_cnt] : NULL;
		struct catalog_entry e = {
			.kind = is_term ? CATALOG_PMU_TERM : CATALOG_PMU_EVENT,
			.name = name,
			.pmu = pmu->name,
			.cpus = pmu->cpus.cnt ? cpus : NULL,
			.description = is_term ? format->text : NULL,
		};

		snprintf(name, sizeof(name), is_term ? "%s/%s=N/" : "%s/%s/", pmu->name,
			 is_term ? format->name : pmu->event[i]);
		if (!is_term)
			err = list_event(l, &e);
		else if (matches_pattern(l, &e))
			append_entry(l, &e);
	}
	return err;
}

static int add_pmus(struct listing *l)
{
	struct reason reason;
	char **names;
	int cnt, err;

	err = pmu__list_names(l->sysfs, &names, &cnt);
	if (err)
		/* no error: there is no sysfs */
		return err == -ENOENT || err == -ENOTDIR ? 0 : err;
	for (int i = 0; i < cnt && !err; i++) {
		struct catalog_entry bad = {.kind = CATALOG_PMU,
					    .name = names[i],
					    .pmu = names[i],
					    .error = reason.detail};
		struct pmu *pmu;

		if (pmu__refused(names[i]))
			continue;
		err = pmu__new(l->sysfs, names[i], &pmu, &reason);
		if (!err) {
			err = add_pmu_events(l, pmu);
		} else if (err == -EINVAL || err == -ENOENT) {
			if (err == -EINVAL && !l->glob)
				append_entry(l, &bad);
			err = 0;
		}
		pmu__free(pmu);
	}
	pmu__free_names(names, cnt);
	return err;
}

static int add_tracepoint(const char *name, void *arg)
{
	struct catalog_entry e = {.kind = CATALOG_TRACEPOINT, .name = (char *)name};

	return list_event(arg, &e);
}

int event_catalog__make(struct event_catalog *c, const char *sysfs, const char *pattern,
			event_supported_fn supported, void *arg)
{
	struct listing l = {.c = c, .sysfs = sysfs, .supported = supported, .arg = arg};
	int err;

	*c = (struct event_catalog){.is_selection = pattern};
	if (pattern)
		l.glob = text__format("*%s*", pattern);
	err = add_names(&l, CATALOG_TIME, EVENT_TIME, 0, "nanoseconds, by the probe's own clock");
	err = err ?: add_names(&l, CATALOG_HARDWARE, EVENT_PERF, PERF_TYPE_HARDWARE, NULL);
	err = err ?: add_names(&l, CATALOG_SOFTWARE, EVENT_PERF, PERF_TYPE_SOFTWARE, NULL);
	err = err ?: add_caches(&l);
	err = err ?: add_pmus(&l);
	/* There are thousands of tracepoints: list only tracepoints that match the pattern. */
	if (!err && pattern)
		err = tracepoints__for_each(sysfs, add_tracepoint, &l);
	free(l.glob);
	return err ?: pattern && !c->cnt ? -ENOENT : 0;
}

void event_catalog__free(struct event_catalog *c)
{
	for (int i = 0; i < c->cnt; i++) {
		struct catalog_entry *e = &c->v[i];

		free(e->name);
		free(e->alias);
		free(e->pmu);
		free(e->cpus);
		free(e->unit);
		free(e->description);
		free(e->error);
	}
	free(c->v);
	*c = (struct event_catalog){};
}
