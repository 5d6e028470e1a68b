// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the verdicts of the self-test, and its text and JSON.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "doctor/doctor_helpers.h"
#include "event/event.h"
#include "json/json_ascii.h"
#include "run/output_opts.h"
#include "tests/unit/capture.h"
#include "tests/unit/doctor/selftest_lines.h"
#include "tests/unit/made_selftest.h"

static struct selftest_event *instructions_of(struct selftest *t, enum selftest_context_id id)
{
	return &t->kind[0].context[id].event[1];
}

/* Judges instructions with these medians. */
static struct selftest_event judge(double empty, double v100, double v1000, double uncertainty)
{
	struct selftest_event *ev, out;
	struct selftest t;

	make_counted(&t);
	ev = instructions_of(&t, SELFTEST_UPROBE);
	set_medians(ev, empty, v100, v1000);
	ev->uncertainty = uncertainty;
	selftest__judge(&t);
	out = *ev;
	selftest__free(&t);
	return out;
}

static void assert_judged(struct selftest_event ev, enum selftest_verdict verdict, double off)
{
	assert_string_equal(selftest_verdict_names[ev.verdict], selftest_verdict_names[verdict]);
	if (isnan(off))
		assert_true(isnan(ev.off));
	else
		assert_true(ev.off == off);
}

static void test_verdicts(void **state)
{
	assert_judged(judge(0, 100, 1000, 0), SELFTEST_EXACT, 0);
	assert_judged(judge(0, 101, 1000, 0), SELFTEST_CLOSE, 1);
	assert_judged(judge(0, 100, 999, 0), SELFTEST_CLOSE, -1);
	assert_judged(judge(0, 100, 1002, 0), SELFTEST_WRONG, 2);
	/* the differences are right, and the numbers are not */
	assert_judged(judge(-3, 97, 997, 0), SELFTEST_WRONG, -3);
	/* each number is off by 1, and the difference by 2 */
	assert_judged(judge(-1, 101, 1000, 0), SELFTEST_WRONG, 2);
	/* the report says that it may be off by that much */
	assert_judged(judge(0, 100, 1012, 12), SELFTEST_CLOSE, 12);
	assert_judged(judge(0, 100, 1013, 12), SELFTEST_WRONG, 13);
	assert_judged(judge(0, NAN, 1000, 0), SELFTEST_WRONG, NAN);
}

static void test_unknown_events(void **state)
{
	struct selftest t;

	make_counted(&t);
	set_medians(instructions_of(&t, SELFTEST_XDP), 7, 70, 700);
	instructions_of(&t, SELFTEST_XDP)->is_known = false;
	instructions_of(&t, SELFTEST_RAW_TP)->detail = strdup("never on a counter");
	selftest__judge(&t);
	assert_int_equal(instructions_of(&t, SELFTEST_XDP)->verdict, SELFTEST_NOT_JUDGED);
	assert_int_equal(instructions_of(&t, SELFTEST_RAW_TP)->verdict, SELFTEST_NOT_JUDGED);
	assert_int_equal(t.kind[0].context[SELFTEST_XDP].event[0].verdict, SELFTEST_NOT_JUDGED);
	assert_int_equal(selftest__summarize(&t).worst, SELFTEST_EXACT);
	selftest__free(&t);
}

static void test_summary(void **state)
{
	struct selftest_summary s;
	struct selftest t;

	make_counted(&t);
	set_medians(instructions_of(&t, SELFTEST_RAW_TP), 0, 101, 1000);
	selftest__judge(&t);
	s = selftest__summarize(&t);
	assert_true(s.measured && s.probed);
	assert_int_equal(s.worst, SELFTEST_CLOSE);
	set_medians(instructions_of(&t, SELFTEST_XDP), 0, 110, 1000);
	selftest__judge(&t);
	assert_int_equal(selftest__summarize(&t).worst, SELFTEST_WRONG);
	selftest__free(&t);

	make_unprobed(&t);
	selftest__judge(&t);
	s = selftest__summarize(&t);
	assert_true(s.measured && !s.probed);
	assert_int_equal(s.worst, SELFTEST_NOT_JUDGED);
	selftest__free(&t);

	make_nothing(&t);
	selftest__judge(&t);
	assert_false(selftest__summarize(&t).measured);
	selftest__free(&t);
}

/* Where only a mean is known, it stands for the event, and there is no spread. */
static void test_values(void **state)
{
	struct selftest_event *ev;
	struct selftest t;

	make_unprobed(&t);
	ev = &t.kind[0].context[SELFTEST_XDP].event[0];
	assert_true(selftest_event__value(ev, SELFTEST_EMPTY) == 50.25);
	assert_true(fabs(selftest_event__added(ev, SELFTEST_1000) - 1000 / 3.0) < 1e-9);
	assert_true(isnan(selftest_event__spread(ev, SELFTEST_100)));
	set_medians(ev, 3, 40, 50);
	assert_true(selftest_event__added(ev, SELFTEST_1000) == 47);
	assert_true(fabs(selftest_event__spread(ev, SELFTEST_1000) - hypot(2, 5)) < 1e-9);
	selftest__free(&t);
}

/* Compares the text, in 80 columns, and the JSON with golden files. Frees what t has. */
static void check(struct selftest *t, const char *name)
{
	const struct screen screen = {.width = 80};
	char *text = NULL, *json = NULL;
	size_t sz;
	FILE *out;

	selftest__judge(t);
	out = open_memstream(&text, &sz);
	assert_non_null(out);
	selftest__print(t, out, &screen);
	fclose(out);
	out = open_memstream(&json, &sz);
	assert_non_null(out);
	json__print(selftest__to_json(t), JSON_INDENTED, out);
	fclose(out);
	assert_shown(name, "txt", text);
	assert_shown(name, "json", json);
	selftest__free(t);
}

static void test_counted(void **state)
{
	struct selftest t;

	make_counted(&t);
	set_medians(instructions_of(&t, SELFTEST_RAW_TP), 0, 101, 1000);
	set_medians(instructions_of(&t, SELFTEST_UPROBE), 0, 100, 1003);
	check(&t, "selftest/exact_and_wrong");
}

/*
 * In the first context, the event was never on a counter. The other contexts still have their
 * numbers.
 */
static void test_not_counted_once(void **state)
{
	struct selftest t;

	make_counted(&t);
	instructions_of(&t, SELFTEST_XDP)->detail = strdup("never on a counter");
	check(&t, "selftest/not_counted_once");
}

static void test_unprobed(void **state)
{
	struct selftest t;

	make_unprobed(&t);
	check(&t, "selftest/unprobed");
}

static void test_nothing(void **state)
{
	struct selftest t;

	make_nothing(&t);
	check(&t, "selftest/nothing");
}

/* An event that no PMU has. */
static void test_exit_status(void **state)
{
	struct event v = {.name = "none", .kind = EVENT_PERF, .type = 1 << 30, .group = -1};
	struct event_list events = {.v = &v, .cnt = 1};
	const struct output_opts o = {};
	enum exit_status status;
	struct capture log;

	capture__begin(&log, stderr);
	status = doctor__helpers(&events, &o);
	free(capture__end(&log));
	if (status != EXIT_NOTHING && status != EXIT_NOT_ALLOWED)
		fail_msg("%d", status);
}

static int readings; /* of the clock below */

/* A clock of 10 ms: it moves on once in 20000 readings. */
static __u64 read_jiffies(void)
{
	return 1000000000 + readings++ / 20000 * 10000000ULL;
}

static __u64 read_stopped(void)
{
	return 1;
}

static __u64 read_by_30(void)
{
	return readings++ * 30;
}

static void test_clock_step(void **state)
{
	assert_true(selftest__clock_step(read_jiffies) == 1e7);
	assert_true(selftest__clock_step(read_by_30) == 30);
	assert_true(isnan(selftest__clock_step(read_stopped)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verdicts),    cmocka_unit_test(test_unknown_events),
		cmocka_unit_test(test_summary),	    cmocka_unit_test(test_values),
		cmocka_unit_test(test_counted),	    cmocka_unit_test(test_unprobed),
		cmocka_unit_test(test_nothing),	    cmocka_unit_test(test_not_counted_once),
		cmocka_unit_test(test_exit_status), cmocka_unit_test(test_clock_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
