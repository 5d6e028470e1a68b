// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests texts that do not fit: lists of names in errors, which show whole names only, and paths that are longer
 * than the kernel accepts. Each test has a made-up sysfs of its own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/fsuid.h>
#include <linux/perf_event.h>

#include "event/event_catalog.h"
#include "event/pmu.h"
#include "tests/unit/made_events.h"

/* ---- lists of names ---- */

/* Two PMUs with the same event, the second of which has a name of this length. */
static void make_pmus(char *root, int len)
{
	char path[128], name[64];

	memset(name, 'b', sizeof(name));
	fake_sysfs__make(root, "no file");
	for (int i = 0; i < 2; i++) {
		int own = i ? len : 56;

		name[0] = i ? 'b' : 'a';
		snprintf(path, sizeof(path), "%.*s/type", own, name);
		fake_sysfs__write(root, path, "9\n", 2);
		snprintf(path, sizeof(path), "%.*s/events/ev", own, name);
		fake_sysfs__write(root, path, "config=1\n", 9);
	}
}

static void names_of_pmus(void **state)
{
	for (int len = 56; len <= 57; len++) {
		char root[] = "/tmp/bprof-test-bounds-XXXXXX", want[128];

		make_pmus(root, len);
		snprintf(want, sizeof(want), ", %s): choose one",
			 len == 56 ? "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
				   : "…");
		assert_bad(root, "ev", 0, 2, want);
		assert_int_equal(fake_sysfs__remove(root), 0);
	}
}

/* Formats that do not fit are left out; later ones that fit are not. */
static void names_of_formats(void **state)
{
	static const struct {
		int len; /* of the second format's name */
		const char *want;
	} cases[] = {
		{57, ", bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"},
		{58, "aa, c"},
	};

	for (int i = 0; i < 2; i++) {
		char root[] = "/tmp/bprof-test-bounds-XXXXXX", path[128], name[64];

		fake_sysfs__make(root, "no file");
		fake_sysfs__write(root, "pmu/type", "9\n", 2);
		fake_sysfs__write(root, "pmu/format/c", "config:0\n", 9);
		memset(name, 'a', sizeof(name));
		snprintf(path, sizeof(path), "pmu/format/%.60s", name);
		fake_sysfs__write(root, path, "config:1\n", 9);
		memset(name, 'b', sizeof(name));
		snprintf(path, sizeof(path), "pmu/format/%.*s", cases[i].len, name);
		fake_sysfs__write(root, path, "config:2\n", 9);
		assert_bad(root, "pmu/none=1/", 4, 4, cases[i].want);
		assert_int_equal(fake_sysfs__remove(root), 0);
	}
}

/* ---- long paths ---- */

/* Returns another path of root, such that the path of a file below it has this length. */
static const char *lengthen(const char *root, const char *file, size_t len)
{
	static char path[PATH_MAX + 64];
	size_t own = snprintf(path, sizeof(path), "%s", root);

	for (len -= strlen(file) + 1; own + 2 <= len; own += 2)
		strcpy(path + own, "/.");
	if (own < len)
		strcpy(path + own, "/");
	return path;
}

/* A path that is too long must not be cut off: the shorter path would name another file. */
static void long_paths(void **state)
{
	char root[] = "/tmp/bprof-test-bounds-XXXXXX", sysfs[64];
	struct event_list list = {};
	const char *id = "../../../kernel/tracing/events/xdp/going/id";

	fake_sysfs__make(root, "no file");
	fake_sysfs__write(root, "pmu/type", "9\n", 2);
	fake_sysfs__write(root, "pmu/events/event", "config=1\n", 9);
	fake_sysfs__write(root, "pmu/events/event2", "config=2\n", 9);
	list = parse(lengthen(root, "pmu/events/event2", PATH_MAX - 1), "event2");
	assert_int_equal(list.v[0].config, 2);
	event_list__free(&list);
	assert_bad(lengthen(root, "pmu/events/event2", PATH_MAX), "event2", 0, 6, "unknown event");

	snprintf(sysfs, sizeof(sysfs), "%s/bus/event_source/devices", root);
	fake_sysfs__write(root, "bus/event_source/devices/software/type", "1\n", 2);
	fake_sysfs__write(root, "kernel/tracing/events/xdp/going/id", "7\n", 2);
	fake_sysfs__write(root, "kernel/tracing/events/xdp/going/i", "8\n", 2);
	list = parse(lengthen(sysfs, id, PATH_MAX - 1), "xdp:going");
	assert_int_equal(list.v[0].config, 7);
	event_list__free(&list);
	assert_int_equal(event_list__parse(&list, "xdp:going", lengthen(sysfs, id, PATH_MAX), NULL),
			 -EINVAL);
	assert_int_equal(fake_sysfs__remove(root), 0);
}

/* A subsystem that cannot be read does not hide the others, whatever their order. */
static void unreadable_subsystem(void **state)
{
	char root[] = "/tmp/bprof-test-bounds-XXXXXX", sysfs[64], path[PATH_MAX];
	struct event_catalog c;

	fake_sysfs__make(root, "no file");
	snprintf(sysfs, sizeof(sysfs), "%s/bus/event_source/devices", root);
	fake_sysfs__write(root, "bus/event_source/devices/software/type", "1\n", 2);
	fake_sysfs__write(root, "kernel/tracing/events/a/one/id", "7\n", 2);
	fake_sysfs__write(root, "kernel/tracing/events/c/one/id", "8\n", 2);
	fake_sysfs__write(root, "kernel/tracing/events/b/one/id", "9\n", 2);
	snprintf(path, sizeof(path), "%s/kernel/tracing/events/b", root);
	assert_int_equal(chmod(root, 0755) ?: chmod(path, 0), 0);
	setfsuid(65534); /* so that root cannot read it, except where there is no other user */
	assert_int_equal(event_catalog__make(&c, sysfs, ":one", NULL, NULL), 0);
	setfsuid(geteuid());
	assert_int_equal(chmod(path, 0755), 0);
	assert_in_range(c.cnt, 2, 3);
	assert_string_equal(c.v[0].name, "a:one");
	assert_string_equal(c.v[c.cnt - 1].name, "c:one");
	event_catalog__free(&c);
	assert_int_equal(fake_sysfs__remove(root), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_pmus),
		cmocka_unit_test(names_of_formats),
		cmocka_unit_test(long_paths),
		cmocka_unit_test(unreadable_subsystem),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
