// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Fuzzes event_list__parse() with a user's input, and with sysfs files whose content no kernel
 * would write. "make fuzz" runs it.
 *
 * Input: the spec, then after each NUL the content of one more file of the PMU "fuzz" (fuzz_files
 * below). The tree also has the PMUs of tests/unit/fake_sysfs.h.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <linux/perf_event.h>

#include "bpf/probe.h"
#include "event/event.h"
#include "tests/fuzz/world.h"
#include "tests/unit/fake_sysfs.h"

#define ROOT "/devices"
#define FUZZ_FILE_CNT (sizeof(fuzz_files) / sizeof(fuzz_files[0]))

static const char *const fuzz_files[] = {
	ROOT "/fuzz/events/ev", ROOT "/fuzz/format/fmt", ROOT "/fuzz/events/ev.scale",
	ROOT "/fuzz/cpumask",	ROOT "/fuzz/type",	 ROOT "/fuzz/events/ev.unit"};
static const char *const fuzz_defaults[] = {"fmt=1\n", "config:0-7\n", "1.5\n",
					    "0-1\n",   "40\n",	       "J\n"};

/* Adds the files that are in the input, and the other files with their default content. */
static void set_files(const char *data, size_t sz)
{
	for (size_t i = 0; i < FUZZ_FILE_CNT; i++) {
		const char *nul = sz ? memchr(data, '\0', sz) : NULL;
		size_t len = nul ? (size_t)(nul - data) : sz;

		if (sz)
			world__set_file(fuzz_files[i], data, len);
		else
			world__set_text(fuzz_files[i], fuzz_defaults[i]);
		data += nul ? len + 1 : len;
		sz -= nul ? len + 1 : len;
	}
}

static void add_tree(void)
{
	static char path[sizeof(fake_sysfs_files) / sizeof(fake_sysfs_files[0])][64];

	if (*path[0])
		return;
	for (size_t i = 0; i < sizeof(path) / sizeof(path[0]); i++) {
		snprintf(path[i], sizeof(path[i]), ROOT "/%s", fake_sysfs_files[i][0]);
		world__set_text(path[i], fake_sysfs_files[i][1]);
	}
}

static void check_event(const struct event *ev, int group_cnt)
{
	struct perf_event_attr attr;

	if (!*ev->name || !*ev->base || !ev->unit || !(ev->scale > 0) || ev->precise_ip > 3 ||
	    ev->group < -1 || ev->group >= group_cnt)
		abort();
	if (ev->kind == EVENT_PERF && event__to_attr(ev, &attr) && !ev->config3)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t sz)
{
	struct parse_error err = {.pos = ~0UL};
	struct event_list list = {0};
	const uint8_t *nul = sz ? memchr(data, '\0', sz) : NULL;
	size_t len = nul ? (size_t)(nul - data) : sz;
	char *spec = strndup((const char *)data, len);
	int ret;

	add_tree();
	set_files((const char *)data + len + !!nul, sz - len - !!nul);
	ret = event_list__parse(&list, spec, ROOT, &err);
	if (!ret) {
		if (list.cnt < 1 || list.cnt > BPROF_MAX_EVENTS)
			abort();
		for (int i = 0; i < list.cnt; i++)
			check_event(&list.v[i], list.group_cnt);
		/*
		 * The list has all events already. Parsing the spec again adds an event only if the
		 * spec has a group.
		 */
		if (!list.group_cnt) {
			int cnt = list.cnt;

			if (event_list__parse(&list, spec, ROOT, &err) || list.cnt != cnt)
				abort();
		}
	} else if (list.cnt || err.pos > len || !err.len || !*err.text) {
		abort();
	}
	event_list__free(&list);
	free(spec);
	return 0;
}
