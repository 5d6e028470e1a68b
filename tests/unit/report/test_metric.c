// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests ratios of events: which events they combine, and that a denominator of 0 gives no ratio.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/util.h"
#include "event/event_names.h"
#include "report/metric.h"
#include "report/report.h"

static struct report_event make_event(char *name, char *base, double mean)
{
	struct report_event ev = {.name = name, .base = base, .measured = 10};

	for (int i = 0; i < STAT_CNT; i++)
		ev.stat[i] = NAN;
	ev.stat[STAT_MEAN] = mean;
	return ev;
}

static const struct metric *find_metric(const char *name)
{
	for (int i = 0; i < metric_cnt; i++)
		if (!strcmp(metrics[i].name, name))
			return &metrics[i];
	fail_msg("no metric %s", name);
	return NULL;
}

static double value_of_pair(const char *metric, struct report_event a, struct report_event b)
{
	struct report_event ev[] = {a, b};
	struct report_row row = {.event = ev, .event_cnt = 2};

	return metric__value(find_metric(metric), &row);
}

#define EVENT(name, mean) make_event((name), (name), (mean))

static void test_values(void **state)
{
	assert_true(value_of_pair("ipc", EVENT("cycles", 50), EVENT("instructions", 99)) == 1.98);
	assert_true(value_of_pair("ipc", EVENT("instructions", 99), EVENT("cycles", 50)) == 1.98);
	/* GHz are cycles per nanosecond. */
	assert_true(value_of_pair("ghz", EVENT("cycles", 300), EVENT("time", 100)) == 3);
	assert_true(value_of_pair("branch_miss", EVENT("branches", 200),
				  EVENT("branch-misses", 3)) == 1.5);
	assert_true(value_of_pair("ipc", EVENT("cycles", 50), EVENT("instructions", 0)) == 0);
}

static void test_nothing_to_divide(void **state)
{
	struct report_event insns = EVENT("instructions", 99), cycles = EVENT("cycles", 50);
	struct report_row none = {};

	assert_true(isnan(metric__value(find_metric("ipc"), &none)));
	assert_true(isnan(value_of_pair("ipc", insns, insns)));
	assert_true(isnan(value_of_pair("ipc", insns, EVENT("cycles", 0))));
	/*
	 * A program that does nothing may have a net value slightly below 0, which gives no ratio.
	 */
	assert_true(isnan(value_of_pair("ipc", insns, EVENT("cycles", -0.1))));
	assert_true(isnan(value_of_pair("ipc", EVENT("instructions", -1), cycles)));
	assert_true(isnan(value_of_pair("ipc", EVENT("instructions", NAN), cycles)));
	assert_true(isnan(value_of_pair("ipc", insns, EVENT("cycles", NAN))));
	cycles.status = EVENT_NOT_SUPPORTED;
	assert_true(isnan(value_of_pair("ipc", insns, cycles)));
	cycles.status = EVENT_OK;
	insns.measured = 0;
	assert_true(isnan(value_of_pair("ipc", insns, cycles)));
	insns.base = NULL;
	assert_true(isnan(value_of_pair("ipc", insns, cycles)));
}

/* A ratio has a column even before the first run, so that all intervals have the same columns. */
static void test_applies(void **state)
{
	struct report_event ev[] = {EVENT("instructions", NAN), EVENT("cycles", NAN)};
	struct report_row row = {.event = ev, .event_cnt = 2};

	ev[0].measured = ev[1].measured = 0;
	assert_true(isnan(metric__value(find_metric("ipc"), &row)));
	assert_true(isnan(metric__value(find_metric("ghz"), &row)));
	ev[1].status = EVENT_NOT_COUNTED;
	assert_true(isnan(metric__value(find_metric("ipc"), &row)));
}

/* A scope has no runs. Its ratio is that of its totals. */
static void test_scopes(void **state)
{
	struct report_event ev[] = {EVENT("instructions", NAN), EVENT("cycles", NAN)};
	struct report_row row = {.event = ev, .event_cnt = 2, .of_scope = true};
	const struct metric *ipc = find_metric("ipc");

	ev[0].measured = ev[1].measured = 0;
	ev[0].total = 3000;
	ev[1].total = 2000;
	assert_true(metric__value(ipc, &row) == 1.5);
	ev[1].total = NAN; /* this event was never on a counter */
	assert_true(isnan(metric__value(ipc, &row)));
	ev[1].total = 2000;
	ev[1].status = EVENT_NOT_COUNTED;
	assert_true(isnan(metric__value(ipc, &row)));
}

/* User instructions divided by kernel cycles are no IPC. */
static void test_levels(void **state)
{
	struct report_event ev[] = {
		make_event("instructions:u", "instructions", 10),
		make_event("instructions:kD", "instructions", 90),
		make_event("cpu/cycles/k", "cycles", 45),
	};
	struct report_row row = {.event = ev, .event_cnt = ARRAY_SIZE(ev)};
	const struct metric *ipc = find_metric("ipc");

	assert_true(metric__value(ipc, &row) == 2);
	assert_true(isnan(metric__value_of(ipc, &row, &ev[0])));
	assert_true(metric__value_of(ipc, &row, &ev[1]) == 2);
	assert_true(isnan(metric__value_of(ipc, &row, &ev[2])));
	ev[0] = make_event("cycles:u", "cycles", 30);
	ev[2] = make_event("x:u", "time", 10);
	assert_true(isnan(metric__value(find_metric("ghz"), &row)));
	ev[0].name = "cycles";
	assert_true(metric__value(find_metric("ghz"), &row) == 3);
	ev[0] = make_event("instructions:u", "instructions", 10);
	ev[2] = make_event("cycles:uk", "cycles", 45);
	assert_true(isnan(metric__value(ipc, &row)));
	ev[1].name = "instructions:ku";
	assert_true(metric__value(ipc, &row) == 2);
}

/* Checks that name is the canonical name of an event, because ratios find events by that name. */
static void assert_canonical(const char *name)
{
	const struct event_name *generic = event_name__find(name, strlen(name));
	struct cache_event cache;
	char buf[64];

	if (generic) {
		assert_string_equal(generic->name, name);
		return;
	}
	assert_int_equal(cache_event__parse(name, strlen(name), &cache), 0);
	assert_true(cache_event__valid(&cache));
	assert_string_equal(cache_event__name(&cache, buf, sizeof(buf)), name);
}

static void test_table(void **state)
{
	assert_true(metric_cnt > 0 && metric_cnt <= 64);
	for (int i = 0; i < metric_cnt; i++) {
		assert_canonical(metrics[i].num);
		assert_canonical(metrics[i].den);
		for (int j = 0; j < i; j++) {
			assert_string_not_equal(metrics[i].name, metrics[j].name);
			assert_string_not_equal(metrics[i].header, metrics[j].header);
			/* in CSV, the line of the numerator has a column for only one ratio */
			assert_string_not_equal(metrics[i].num, metrics[j].num);
		}
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),	cmocka_unit_test(test_nothing_to_divide),
		cmocka_unit_test(test_applies), cmocka_unit_test(test_scopes),
		cmocka_unit_test(test_levels),	cmocka_unit_test(test_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
