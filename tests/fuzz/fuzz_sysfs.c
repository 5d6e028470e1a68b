// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Fuzzes the reading of PMUs and tracepoints from sysfs and tracefs, and the catalog of all events
 * (bprof --list-events). "make fuzz" runs it.
 *
 * Input: a pattern, then the contents of the files below, each up to a NUL.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "btf/reason.h"
#include "event/event_catalog.h"
#include "event/pmu.h"
#include "tests/fuzz/world.h"

#define ROOT "/devices"

static const char *const paths[] = {
	ROOT "/pmu/type",
	ROOT "/pmu/format/fmt",
	ROOT "/pmu/format/other",
	ROOT "/pmu/events/ev",
	ROOT "/pmu/events/ev.scale",
	ROOT "/pmu/events/ev.unit",
	ROOT "/pmu/events/second",
	ROOT "/pmu/cpumask",
	ROOT "/pmu_0/cpus",
	ROOT "/pmu_0/type",
	ROOT "/pmu_0/events/ev_long",
	ROOT "/pmu_0/events/ev_long.snapshot",
};

static void check_format(const struct pmu_format *f)
{
	__u64 config[PMU_CONFIG_CNT] = {};
	__u64 max = pmu_format__max(f);

	if (!f->mask) /* the file is invalid */
		return;
	require(f->word >= 0 && f->word < PMU_CONFIG_CNT);
	require(!pmu_format__set(f, max, config) && config[f->word] == f->mask);
	require(!max || !pmu_format__set(f, max / 2, config));
	if (max < ~0ULL)
		require(pmu_format__set(f, max + 1, config) == -ERANGE);
}

static void check_pmu(const char *name)
{
	struct reason reason;
	struct pmu_event ev;
	struct pmu *pmu;

	if (pmu__new(ROOT, name, &pmu, &reason))
		return;
	for (int i = 0; i < pmu->format_cnt; i++)
		check_format(&pmu->format[i]);
	for (int i = 0; i < pmu->event_cnt; i++) {
		if (pmu__read_event(pmu, pmu->event[i], &ev, &reason))
			continue;
		require(ev.scale > 0);
		pmu_event__free(&ev);
	}
	pmu__free(pmu);
}

static int is_supported(const struct event *ev, void *arg)
{
	return strlen(ev->name) % 2;
}

static void print(const struct event_catalog *c, event_catalog_render_fn *fn, bool one_line)
{
	char *text = NULL;
	size_t sz;
	FILE *out = open_memstream(&text, &sz);

	require(out);
	fn(c, one_line, out);
	require(!fclose(out));
	free_harmless(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t sz)
{
	struct bytes in = {data, sz};
	char *pattern = bytes__text(&in), *text[sizeof(paths) / sizeof(paths[0])];
	struct event_catalog c = {};

	world__clear();
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		text[i] = bytes__text(&in);
		if (*text[i])
			world__set_text(paths[i], text[i]);
	}
	check_pmu("pmu");
	check_pmu("pmu_0");
	if (!event_catalog__make(&c, ROOT, *pattern ? pattern : NULL, is_supported, NULL)) {
		print(&c, event_catalog__render_text, false);
		print(&c, event_catalog__render_json, strlen(pattern) % 2);
	}
	event_catalog__free(&c);
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		free(text[i]);
	free(pattern);
	return 0;
}
