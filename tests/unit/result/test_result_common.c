// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the parts that all reports have: the command, and the events of a row with their values, or
 * with the reason why there are none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "event/event.h"
#include "report/report.h"
#include "result/result_common.h"

enum { EVENT_CNT = 3 };

static struct event ev[EVENT_CNT] = {
	{.name = "cycles:u", .base = "cycles", .unit = ""},
	{.name = "energy", .base = "energy", .unit = "J"},
	{.name = "faults", .base = "faults", .unit = ""},
};
static const struct event_state states[EVENT_CNT] = {
	{.status = EVENT_OK},
	{.status = EVENT_NOT_SUPPORTED, .detail = "made so"},
	{.status = EVENT_OK}};

static void test_events(void **state)
{
	struct report *r = report__new();
	struct report_row *row = &report__add_scope(r)->all;
	struct report_event *re;

	for (int i = 0; i < EVENT_CNT; i++) {
		re = result__add_event(row, &ev[i], &states[i]);
		/* the caller sets the values only of events that were opened */
		assert_ptr_equal(re, i == 1 ? NULL : &row->event[i]);
	}
	result__set_status(re, EVENT_NOT_COUNTED, "no counter is free");
	assert_int_equal(row->event_cnt, EVENT_CNT);
	for (int i = 0; i < EVENT_CNT; i++) {
		assert_string_equal(row->event[i].name, ev[i].name);
		assert_string_equal(row->event[i].base, ev[i].base);
		assert_string_equal(row->event[i].unit, ev[i].unit);
	}
	assert_int_equal(row->event[0].status, EVENT_OK);
	assert_null(row->event[0].detail);
	assert_int_equal(row->event[1].status, EVENT_NOT_SUPPORTED);
	assert_string_equal(row->event[1].detail, "made so");
	assert_true(isnan(row->event[1].total));
	assert_int_equal(row->event[2].status, EVENT_NOT_COUNTED);
	assert_string_equal(row->event[2].detail, "no counter is free");
	report__free(r);
}

static void test_host(void **state)
{
	char *command[] = {"bprof", "-A", NULL};
	struct report *r = report__new();

	assert_int_equal(result__fill_host(r, command), 0);
	assert_string_equal(r->command[0], "bprof");
	assert_string_equal(r->command[1], "-A");
	assert_null(r->command[2]);
	assert_true(r->command[0] != command[0]);
	assert_non_null(r->version);
	assert_non_null(r->host.kernel);
	report__free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
