// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests that a file of a PMU that cannot be read is not taken for one that does not exist: without
 * its scale, an event would have a wrong value, and without its CPUs, it would be opened on others. In a
 * made-up sysfs, links that lead to themselves are there but cannot be read, even by root.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "btf/reason.h"
#include "event/event_catalog.h"
#include "event/pmu.h"
#include "tests/unit/fake_sysfs.h"

/* Makes the PMU "power", with one file or directory that cannot be read. */
static void make_power(char *root, const char *unreadable)
{
	char path[PATH_MAX];

	fake_sysfs__make(root, "power/");
	snprintf(path, sizeof(path), "%s/%s", root, unreadable);
	fake_sysfs__remove(path);
	assert_int_equal(symlink(path, path), 0);
}

static int read_power(const char *root, const char *event, struct reason *reason)
{
	struct pmu_event ev;
	struct pmu *pmu;
	int err = pmu__new(root, "power", &pmu, reason);

	if (!err)
		err = pmu__read_event(pmu, event, &ev, reason);
	if (!err)
		pmu_event__free(&ev);
	pmu__free(pmu);
	return err;
}

/* A file or directory that cannot be read is an error if the event needs it. */
static void test_unreadable(void **state)
{
	static const struct {
		const char *path, *event, *text;
	} cases[] = {
		{"power", "energy-pkg", "sysfs: the directory of PMU 'power' cannot be read: "},
		{"power/type", "energy-pkg", "sysfs has no type for PMU 'power': "},
		{"power/format", "energy-pkg", "sysfs: format of PMU 'power' cannot be read: "},
		{"power/events", "energy-pkg", "sysfs: events of PMU 'power' cannot be read: "},
		{"power/cpumask", "energy-pkg", "sysfs: cpumask of PMU 'power' cannot be read: "},
		{"power/cpus", "energy-pkg", NULL}, /* there is a cpumask */
		{"power/events/energy-pkg", "energy-pkg", "event 'energy-pkg' of PMU 'power'"},
		{"power/events/energy-pkg.unit", "energy-pkg", "event 'energy-pkg.unit' of PMU"},
		{"power/events/energy-pkg.scale", "energy-pkg", "event 'energy-pkg.scale' of PMU"},
		{"power/events/occupancy.scale", "occupancy", "event 'occupancy.scale' of PMU"},
		{"power/events/occupancy.snapshot", "occupancy", "event 'occupancy.snapshot' of"},
		{"power/events/other.scale", "occupancy", NULL},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char root[] = "/tmp/bprof-test-pmu-XXXXXX";
		struct reason reason = {};
		int err;

		make_power(root, cases[i].path);
		err = read_power(root, cases[i].event, &reason);
		if (err != (cases[i].text ? -EINVAL : 0) ||
		    (err && (!strstr(reason.detail, cases[i].text) ||
			     !strstr(reason.detail, strerror(ELOOP)))))
			fail_msg("%s: %d, %s", cases[i].path, err, reason.detail);
		assert_int_equal(fake_sysfs__remove(root), 0);
	}
}

/* If a format cannot be read, only events that use it cannot be counted. */
static void test_unreadable_format(void **state)
{
	char root[] = "/tmp/bprof-test-pmu-XXXXXX";
	struct event_list list = {};
	struct parse_error err;

	make_power(root, "power/format/event");
	assert_int_equal(event_list__parse(&list, "power/config=1/", root, &err), 0);
	assert_int_equal(event_list__parse(&list, "power/event=1/", root, &err), -EINVAL);
	assert_non_null(strstr(err.text, "format 'event' of PMU 'power' is invalid: 'unreadable'"));
	event_list__free(&list);
	assert_int_equal(fake_sysfs__remove(root), 0);
}

/*
 * A file beside the PMUs and a directory without events are no errors, also after a format that could
 * not be read.
 */
static void test_not_there(void **state)
{
	char root[] = "/tmp/bprof-test-pmu-XXXXXX", path[PATH_MAX];
	struct reason reason = {};
	struct event_catalog c;
	struct pmu *pmu;

	fake_sysfs__make(root, "power/");
	fake_sysfs__write(root, "file", "9\n", 2);
	fake_sysfs__write(root, "bare/type", "9\n", 2);
	snprintf(path, sizeof(path), "%s/bare/format", root);
	assert_int_equal(mkdir(path, 0777), 0);
	snprintf(path, sizeof(path), "%s/bare/format/fmt", root);
	assert_int_equal(symlink(path, path), 0);
	snprintf(path, sizeof(path), "%s/bare/events", root);
	assert_int_equal(mkdir(path, 0777), 0);
	assert_int_equal(pmu__new(root, "file", &pmu, &reason), -ENOENT);
	assert_int_equal(reason.err, ENOENT);
	assert_int_equal(pmu__new(root, "none", &pmu, &reason), -ENOENT);
	assert_int_equal(reason.err, ENOENT);
	assert_int_equal(pmu__new(root, "bare", &pmu, &reason), 0);
	assert_int_equal(reason.err, 0);
	assert_int_equal(pmu->event_cnt, 0);
	pmu__free(pmu);
	assert_int_equal(event_catalog__make(&c, root, NULL, NULL, NULL), 0);
	assert_string_equal(c.v[c.cnt - 1].name, "power/event=N/");
	event_catalog__free(&c);
	assert_int_equal(fake_sysfs__remove(root), 0);
}

/* The list of events has a row that says why the events of the PMU are missing. */
static void test_catalog(void **state)
{
	char root[] = "/tmp/bprof-test-pmu-XXXXXX";
	const struct catalog_entry *last;
	struct event_catalog c;

	make_power(root, "power/events");
	assert_int_equal(event_catalog__make(&c, root, NULL, NULL, NULL), 0);
	last = &c.v[c.cnt - 1];
	assert_int_equal(last->kind, CATALOG_PMU);
	assert_string_equal(last->name, "power");
	assert_non_null(strstr(last->error, "cannot be read"));
	event_catalog__free(&c);
	assert_int_equal(fake_sysfs__remove(root), 0);
}

/* Without the list of PMUs there is no catalog, unless the kernel has no PMUs at all. */
static void test_no_list(void **state)
{
	char root[] = "/tmp/bprof-test-pmu-XXXXXX", path[PATH_MAX];
	struct event_catalog c;

	assert_non_null(mkdtemp(root));
	snprintf(path, sizeof(path), "%s/devices", root);
	assert_int_equal(event_catalog__make(&c, path, NULL, NULL, NULL), 0);
	event_catalog__free(&c);
	assert_int_equal(symlink(path, path), 0);
	assert_int_equal(event_catalog__make(&c, path, NULL, NULL, NULL), -ELOOP);
	event_catalog__free(&c);
	assert_int_equal(fake_sysfs__remove(root), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unreadable), cmocka_unit_test(test_unreadable_format),
		cmocka_unit_test(test_not_there),  cmocka_unit_test(test_catalog),
		cmocka_unit_test(test_no_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
