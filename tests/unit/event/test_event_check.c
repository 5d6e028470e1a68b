// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tests the message if no event can be counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/event_status.h"
#include "event/event_fds.h"
#include "kernel/perf_event.h"
#include "tests/unit/capture.h"

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
	err = event_list__check(&events, s);
	text = capture__end(&c);
	assert_int_equal(err, 0);
	assert_string_equal(text, "");
	free(text);
	s[1] = (struct event_state){.status = EVENT_NOT_COUNTED, .detail = "no counter is free"};
	capture__begin(&c, stderr);
	err = event_list__check(&events, s);
	text = capture__end(&c);
	assert_int_equal(err, -ENODATA);
	assert_non_null(strstr(text, "event cycles: made so\n"));
	assert_non_null(strstr(text, "event faults: no counter is free\n"));
	assert_non_null(strstr(text, "none of the events can be counted here; use -e time, or see "
				     "'bprof doctor'\n"));
	free(text);
}

/*
 * The advice does not recommend an event that was also refused. If only permissions are missing, it
 * says how to get them.
 */
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
	assert_int_equal(event_list__check(&events, s), -ENODATA);
	text = capture__end(&c);
	assert_non_null(strstr(text, "can be counted here; see 'bprof doctor'\n"));
	free(text);
	perf_event__explain(-EPERM, &s[0]);
	capture__begin(&c, stderr);
	assert_int_equal(event_list__check(&events, s), -EPERM);
	text = capture__end(&c);
	assert_non_null(strstr(text, "event time: no permission"));
	assert_non_null(strstr(text, "can be counted here; run as root\n"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_advice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
