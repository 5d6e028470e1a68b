// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the conditions of bprof trace: for which counts they are true, which events they add, which
 * conditions are refused, and at which position of the argument.
 */
#include "probe/trace_conds.h"
#include "tests/unit/made_events.h"

struct conds {
	struct trace_conds c;
	struct event_list events;
};

static void free_conds(struct conds *t)
{
	trace_conds__free(&t->c);
	event_list__free(&t->events);
}

static void add(struct conds *t, const char *spec)
{
	struct parse_error err = {};

	if (trace_conds__add_event(&t->c, spec, &err))
		fail_msg("'%s' at %zu: %s", spec, err.pos, err.text);
}

static void resolve(struct conds *t, const char *sysfs)
{
	const struct trace_bound *which = NULL;
	struct parse_error err = {};

	if (trace_conds__resolve(&t->c, &t->events, sysfs, &which, &err))
		fail_msg("'%s' at %zu: %s", which->spec, err.pos, err.text);
}

/* ---- which counts make a condition true ---- */

static void test_bounds(void **state)
{
	static const struct {
		const char *spec;
		/* neighboring counts: the condition is false for "no" and true for "yes" */
		__s64 no, yes;
	} cases[] = {
		{"instructions>10000", 10000, 10001},
		{"instructions>=10000", 9999, 10000},
		{"instructions<100", 100, 99},
		{"instructions<=100", 101, 100},
		{" instructions > 10000 ", 10000, 10001},
		{"  instructions  >  10000  ", 10000, 10001},
		{"time > 50us  ", 50000, 50001},
		{"time>50us", 50000, 50001},
		{"time>50ns", 50, 51},
		{"time>2s", 2000000000, 2000000001},
		{"task-clock>5us", 5000, 5001},
		{"time>1.5ms", 1500000, 1500001},
		/* a bare number is in the event's own unit */
		{"time>7", 7, 8},
		{"time<0.5us", 500, 499},
		{"cycles>2.5", 2, 3},
		{"cycles>=2.5", 2, 3},
		{"cycles<2.5", 3, 2},
		{"cycles<=2.5", 3, 2},
		{"cpu/event=0x3c,umask=1/k>5", 5, 6},
		{"cpu/topdown/>10", 5, 6}, /* this event has a scale of 2 */
		{"instructions>0", 0, 1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct conds t = {};

		add(&t, cases[i].spec);
		resolve(&t, SYSFS);
		if (trace_bound__is_true(&t.c.bound[0], cases[i].no) ||
		    !trace_bound__is_true(&t.c.bound[0], cases[i].yes))
			fail_msg("'%s': limit %lld", cases[i].spec, t.c.bound[0].limit);
		free_conds(&t);
	}
}

static void test_slower_than(void **state)
{
	struct parse_error err = {};
	struct conds t = {};

	assert_int_equal(trace_conds__add_time(&t.c, "50us", &err), 0);
	resolve(&t, SYSFS);
	assert_string_equal(t.c.bound[0].spec, "time>50us");
	assert_int_equal(t.events.cnt, 1);
	assert_int_equal(t.events.v[0].kind, EVENT_TIME);
	assert_true(trace_bound__is_true(&t.c.bound[0], 50001));
	assert_false(trace_bound__is_true(&t.c.bound[0], 50000));
	free_conds(&t);
	/* a bare number is in ms, as for every other time on the command line */
	t = (struct conds){};
	assert_int_equal(trace_conds__add_time(&t.c, "1.5", &err), 0);
	resolve(&t, SYSFS);
	assert_string_equal(t.c.bound[0].spec, "time>1.5ms");
	assert_true(trace_bound__is_true(&t.c.bound[0], 1500001));
	assert_false(trace_bound__is_true(&t.c.bound[0], 1500000));
	free_conds(&t);
}

static void test_percentile(void **state)
{
	struct parse_error err = {};
	struct conds t = {};

	add(&t, "cycles>5");
	assert_null(trace_conds__percentile(&t.c));
	assert_int_equal(trace_conds__add_time(&t.c, "p99.9", &err), 0);
	resolve(&t, SYSFS);
	assert_string_equal(t.c.bound[1].spec, "time>p99.9");
	assert_ptr_equal(trace_conds__percentile(&t.c), &t.c.bound[1]);
	assert_float_equal(t.c.bound[1].quantile, .999, 1e-12);
	assert_true(trace_bound__is_true(&t.c.bound[1], 0));
	free_conds(&t);
}

/* ---- which events the conditions add ---- */

static void test_events(void **state)
{
	struct conds t = {.events = parse(SYSFS, "{cycles,instructions},time")};

	add(&t, "instructions>5");
	add(&t, "time>5us");
	add(&t, "branches<9");
	add(&t, "instructions:k>7");
	resolve(&t, SYSFS);
	/* events that are in the list already, in any group, are not added again */
	assert_int_equal(t.c.bound[0].index, 1);
	assert_int_equal(t.c.bound[1].index, 2);
	assert_int_equal(t.events.cnt, 5);
	assert_int_equal(t.c.bound[2].index, 3);
	assert_string_equal(t.events.v[3].name, "branches");
	assert_int_equal(t.c.bound[3].index, 4);
	assert_string_equal(t.events.v[4].name, "instructions:k");
	free_conds(&t);
}

/* ---- which conditions are refused ---- */

static void test_bad_syntax(void **state)
{
	static const struct {
		const char *spec;
		size_t pos;
		const char *text;
	} cases[] = {
		{"instructions", 12, "no '>' or '<'"},
		{">5", 0, "no event"},
		{"  >5", 2, "no event"},
		{"instructions>", 13, "no value"},
		{"instructions>=", 14, "no value"},
		{"instructions>  ", 15, "no value"},
		{" > ", 1, "no event"},
		{"instructions>ten", 13, "not a number; write it as 10us or 150"},
		{"instructions>-5", 13, "not a number"},
		{"instructions>1e400", 13, "not a number"},
		{"instructions>5%", 14,
		 "unknown unit; use ns, us, ms or s, or none for the event's own unit"},
		{"time>5min", 6, "unknown unit"},
		{"time>p", 5, "no percentile: write p and a number between 0 and 100"},
		{"time>p100", 5, "no percentile"},
		{"time>p0", 5, "no percentile"},
		{"time>p9.9.9", 5, "no percentile"},
		{"time>p99us", 5, "no percentile"},
		{"time<p1", 5, "a percentile goes with '>' only"},
	};
	struct parse_error err;
	struct trace_conds c = {};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		memset(&err, 0, sizeof(err));
		assert_int_equal(trace_conds__add_event(&c, cases[i].spec, &err), -EINVAL);
		if (err.pos != cases[i].pos || !strstr(err.text, cases[i].text))
			fail_msg("'%s' at %zu: %s", cases[i].spec, err.pos, err.text);
	}
	assert_int_equal(trace_conds__add_time(&c, "soon", &err), -EINVAL);
	assert_int_equal(err.pos, 0);
	assert_int_equal(trace_conds__add_time(&c, "", &err), -EINVAL);
	assert_int_equal(err.pos, 0);
	assert_int_equal(trace_conds__add_time(&c, "5us>3", &err), -EINVAL);
	assert_int_equal(trace_conds__add_time(&c, "pp", &err), -EINVAL);
	assert_int_equal(err.pos, 0);
	assert_int_equal(err.len, 2);
	assert_int_equal(c.bound_cnt, 0);
}

static void test_not_together(void **state)
{
	static const struct {
		const char *first, *second, *text;
		bool whole;
	} cases[] = {
		{"instructions>5", "instructions>7", "one of the two is enough", true},
		{"instructions<5", "instructions<=5", "one of the two is enough", true},
		{"instructions>5", "instructions<7", "true for every invocation", true},
		{"instructions<=5", "instructions>5", "true for every invocation", true},
		{"instructions>p99", "cycles>p99", "one condition can be a percentile", true},
		{"instructions>p99", "instructions<7", "has no other condition", true},
		{"instructions>7", "instructions>p99.9", "has no other condition", true},
		{"cycles>5", "cycles>5us", "is not counted in ns"},
		{"cycles>5", "nosuch>5", ""},
		{"cycles>5", "cycles,instructions>5", "several events"},
		{"cycles>5", "instructions>9000000000000000000000", "not a number"},
		{"cycles>5", "instructions>5000000000000000000", "not a number"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct trace_bound *which = NULL;
		struct parse_error err = {};
		struct conds t = {};
		int ret;

		add(&t, cases[i].first);
		ret = trace_conds__add_event(&t.c, cases[i].second, &err)
			      ?: trace_conds__resolve(&t.c, &t.events, SYSFS, &which, &err);
		assert_int_equal(ret, -EINVAL);
		if (!strstr(err.text, cases[i].text))
			fail_msg("'%s': %s", cases[i].second, err.text);
		/* the whole of a condition that contradicts another one is marked */
		if (cases[i].whole && (err.pos || err.len != strlen(cases[i].second)))
			fail_msg("'%s' at %zu, %zu", cases[i].second, err.pos, err.len);
		free_conds(&t);
	}
}

/* The caret is under the token that is wrong, which may be inside of the event. */
static void test_carets(void **state)
{
	static const struct {
		const char *spec;
		size_t pos, len;
	} cases[] = {
		{"  nosuch>5", 2, 6},
		{"cpu/nosuch=1/>5", 4, 6},
		{" cycles,instructions>5", 1, 19},
		{"cycles>5us", 0, 10},
		{"time>9000000000s", 0, 16},
		{"instructions", 12, 1},
		{" >5", 1, 1},
		{"cycles>", 7, 1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct trace_bound *which;
		struct parse_error err = {};
		struct conds t = {};
		int ret = trace_conds__add_event(&t.c, cases[i].spec, &err)
				  ?: trace_conds__resolve(&t.c, &t.events, SYSFS, &which, &err);

		assert_int_equal(ret, -EINVAL);
		if (err.pos != cases[i].pos || err.len != cases[i].len)
			fail_msg("'%s' at %zu, %zu: %s", cases[i].spec, err.pos, err.len, err.text);
		free_conds(&t);
	}
}

/* Together, two bounds may exclude a single value: here, only runs with 6 are not recorded. */
static void test_both_sides(void **state)
{
	struct conds t = {};

	add(&t, "instructions<6");
	add(&t, "instructions>6");
	resolve(&t, SYSFS);
	assert_int_equal(t.events.cnt, 1);
	free_conds(&t);
}

static void test_retvals(void **state)
{
	struct trace_conds c = {};

	assert_int_equal(trace_conds__add_retval(&c, "XDP_DROP"), 0);
	assert_int_equal(trace_conds__add_retval(&c, "-1"), 0);
	assert_int_equal(trace_conds__add_retval(&c, "XDP_WHAT"), -EINVAL);
	for (int i = 2; i < BPROF_TRACE_RETVALS; i++)
		assert_int_equal(trace_conds__add_retval(&c, "7"), 0);
	assert_int_equal(trace_conds__add_retval(&c, "8"), -E2BIG);
}

/* A caller who wants no message passes NULL. */
static void test_no_message(void **state)
{
	const struct trace_bound *which = NULL;
	struct conds t = {};

	add(&t, "nosuch>5");
	assert_int_equal(trace_conds__resolve(&t.c, &t.events, SYSFS, &which, NULL), -EINVAL);
	free_conds(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bounds),	   cmocka_unit_test(test_slower_than),
		cmocka_unit_test(test_percentile), cmocka_unit_test(test_events),
		cmocka_unit_test(test_bad_syntax), cmocka_unit_test(test_not_together),
		cmocka_unit_test(test_both_sides), cmocka_unit_test(test_carets),
		cmocka_unit_test(test_retvals),	   cmocka_unit_test(test_no_message),
	};

	return cmocka_run_group_tests_name("trace_conds", tests, make_tree, remove_tree);
}
