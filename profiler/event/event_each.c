// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Visits the names of all events. Owns no names: they are in event_names.c and in sysfs. */
#include <linux/perf_event.h>

#include "btf/reason.h"
#include "event/event_names.h"
#include "event/pmu.h"

static void visit_caches(event_name_fn *fn, void *arg)
{
	struct cache_event c;
	char name[64];

	for (c.type = 0; c.type < PERF_COUNT_HW_CACHE_MAX; c.type++) {
		for (c.op = 0; c.op < PERF_COUNT_HW_CACHE_OP_MAX; c.op++) {
			for (c.result = 0; c.result < PERF_COUNT_HW_CACHE_RESULT_MAX; c.result++) {
				if (cache_event__valid(&c))
					fn(arg, NULL, cache_event__name(&c, name, sizeof(name)));
			}
		}
	}
}

/* Visits the events of all PMUs. Ignores unreadable PMUs: the names are only hints for people. */
static void visit_pmus(const char *sysfs, event_name_fn *fn, void *arg)
{
	struct reason unused;
	char **names;
	int cnt;

	if (pmu__list_names(sysfs, &names, &cnt))
		return;
	for (int i = 0; i < cnt; i++) {
		struct pmu *pmu;

		if (pmu__new(sysfs, names[i], &pmu, &unused))
			continue;
		for (int k = 0; k < pmu->event_cnt; k++)
			fn(arg, names[i], pmu->event[k]);
		pmu__free(pmu);
	}
	pmu__free_names(names, cnt);
}

void event_names__for_each(const char *sysfs, event_name_fn *fn, void *arg)
{
	for (int i = 0; i < event_name_cnt; i++) {
		fn(arg, NULL, event_names[i].name);
		if (event_names[i].alias)
			fn(arg, NULL, event_names[i].alias);
	}
	visit_caches(fn, arg);
	visit_pmus(sysfs, fn, arg);
}
