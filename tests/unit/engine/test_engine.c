// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the parts that all measurements share: choosing CPUs, checking events, and adding up the
 * measured time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/event_status.h"
#include "engine/engine.h"
#include "event/event.h"
#include "host/cpus.h"
#include "kernel/perf_event.h"
#include "tests/unit/capture.h"

static void assert_same_cpus(const struct cpus *a, const struct cpus *b)
{
	assert_int_equal(a->cnt, b->cnt);
	assert_memory_equal(a->id, b->id, a->cnt * sizeof(*a->id));
}

/* CPUs that are given are used as they are, whatever CPUs the machine has. */
static void test_given_cpus(void **state)
{
	int ids[] = {0, 5, 7};
	const struct cpus given = {ids, 3};
	struct cpus possible = {}, online = {}, all = {};
	int limit = -1;

	assert_int_equal(cpus__possible(&all), 0);
	assert_int_equal(engine__choose_cpus(&given, &possible, &online, &limit), 0);
	assert_same_cpus(&possible, &given);
	assert_same_cpus(&online, &given);
	assert_int_equal(limit, cpus__limit(&all));
	cpus__free(&possible);
	cpus__free(&online);
	cpus__free(&all);
}

static void test_all_cpus(void **state)
{
	const struct cpus none = {};
	struct cpus possible = {}, online = {}, all = {}, on = {};
	int limit = -1;

	assert_int_equal(cpus__possible(&all) ?: cpus__online(&on), 0);
	assert_int_equal(engine__choose_cpus(&none, &possible, &online, &limit), 0);
	assert_same_cpus(&possible, &all);
	assert_same_cpus(&online, &on);
	assert_int_equal(limit, cpus__limit(&all));
	cpus__free(&online);
	assert_int_equal(engine__choose_cpus(&none, NULL, &online, NULL), 0);
	assert_same_cpus(&online, &on);
	cpus__free(&possible);
	cpus__free(&online);
	cpus__free(&all);
	cpus__free(&on);
}

/* One event that can be counted is enough, and the other events are not reported as errors. */
static void test_events(void **state)
{
	struct event ev[] = {{.name = "cycles"}, {.name = "faults"}};
	const struct event_list events = {.v = ev, .cnt = 2};
	struct event_state s[] = {{.status = EVENT_NOT_SUPPORTED, .detail = "made so"},
				  {.status = EVENT_OK}};
	struct capture c;
	char *text;
	int err;

	capture__begin(&c, stderr);
	err = engine__check_events(&events, s);
	text = capture__end(&c);
	assert_int_equal(err, 0);
	assert_string_equal(text, "");
	free(text);
	s[1] = (struct event_state){.status = EVENT_NOT_COUNTED, .detail = "no counter is free"};
	capture__begin(&c, stderr);
	err = engine__check_events(&events, s);
	text = capture__end(&c);
	assert_int_equal(err, -ENODATA);
	assert_non_null(strstr(text, "event cycles: made so\n"));
	assert_non_null(strstr(text, "event faults: no counter is free\n"));
	assert_non_null(strstr(text, "none of the events can be counted here; use -e time, or see "
				     "'bprof doctor'\n"));
	free(text);
}

/* The advice is neither an event that was refused, too, nor anything but the missing permission. */
static void test_advice(void **state)
{
	struct event ev[] = {{.name = "cycles"}, {.name = "time", .kind = EVENT_TIME}};
	const struct event_list events = {.v = ev, .cnt = 2};
	struct event_state s[2] = {};
	struct capture c;
	char *text;

	perf_event__explain(-ENOENT, &s[0]);
	perf_event__explain(-EACCES, &s[1]);
	assert_false(s[0].denied);
	capture__begin(&c, stderr);
	assert_int_equal(engine__check_events(&events, s), -ENODATA);
	text = capture__end(&c);
	assert_non_null(strstr(text, "can be counted here; see 'bprof doctor'\n"));
	free(text);
	perf_event__explain(-EPERM, &s[0]);
	capture__begin(&c, stderr);
	assert_int_equal(engine__check_events(&events, s), -ENODATA);
	text = capture__end(&c);
	assert_non_null(strstr(text, "event time: no permission"));
	assert_non_null(strstr(text, "can be counted here; run as root\n"));
	free(text);
}

static void test_stopwatch(void **state)
{
	struct stopwatch w = {};
	__u64 ns;

	assert_int_equal(stopwatch__elapsed_ns(&w), 0);
	stopwatch__start(&w);
	w.started_ns -= 5000;
	ns = stopwatch__elapsed_ns(&w);
	assert_true(ns >= 5000);
	stopwatch__stop(&w);
	assert_true(w.measured_ns >= ns);
	/* the time between a stop and a start does not count */
	w.measured_ns = 7000;
	w.started_ns = 1;
	assert_int_equal(stopwatch__elapsed_ns(&w), 7000);
	stopwatch__start(&w);
	assert_true(w.started_ns > 1);
	assert_true(stopwatch__elapsed_ns(&w) >= 7000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_given_cpus), cmocka_unit_test(test_all_cpus),
		cmocka_unit_test(test_events),	   cmocka_unit_test(test_advice),
		cmocka_unit_test(test_stopwatch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
