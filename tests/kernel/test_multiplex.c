// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * More events than the PMU has counters: what could not be counted is left out and said to be, and
 * what was counted is right. On the exact machine, arm64: it has a PMU, of 6 counters and one for
 * cycles.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "ktest.h"

#define RUNS 20000 /* over many turns of the kernel's rotation, which are milliseconds long */
/* Runs in which a turn ended between the reading of one member of a group and of the next. */
#define EDGES (RUNS / 1000)

static struct run *measure(struct fixture *f, struct target t, const char *events)
{
	struct run *r =
		bprof(f, "-j -b %u -e '%s' -- drive testrun %u:%d", t.id, events, t.id, RUNS);

	assert_status(r, 0);
	assert_counted(r, t.id, RUNS);
	return r;
}

/* Every event is read that way, and none that could be counted is left without a run. */
static void assert_read(const struct run *r, __u32 id, const char *how, size_t cnt)
{
	json_t *events = json_object_get(row_of(r, id), "events"), *ev;

	assert_int_equal(json_array_size(events), cnt);
	for (size_t i = 0; (ev = json_array_get(events, i)); i++) {
		assert_string_equal(str(ev, "read"), how);
		assert_string_equal(str(ev, "status"), "ok");
		if (num(ev, "measured") < 1 || num(ev, "measured") > RUNS)
			fail_test("%s: %lld runs: %s", str(ev, "name"),
				  (long long)num(ev, "measured"), r->out);
	}
}

static void test_pinned(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_100");
	struct run *r;

	r = measure(f, t, "cycles,instructions,r8:k,r8:u,r11:k,r23,r24");
	assert_read(r, t.id, "pinned", 7);
	for (size_t i = 0; i < 7; i++)
		assert_int_equal(num(json_array_get(json_object_get(row_of(r, t.id), "events"), i),
				     "measured"),
				 RUNS);
}

/* The total is that of the runs that were counted, and no extrapolation to all. */
static void assert_unscaled(json_t *ev, const char *out)
{
	double mean = real(ev, "per_run.mean"), total = real(ev, "total");

	if (fabs(mean * num(ev, "measured") - total) > 1e-3 * fabs(total) + 1e-3)
		fail_test("%s: %lld runs of %f are not %f: %s", str(ev, "name"),
			  (long long)num(ev, "measured"), mean, total, out);
}

static void test_eight(void **state)
{
	static const char events[] = "r8,r11:k,r8:k,r8:u,r11:u,r23,instructions:k,instructions";
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_100");
	struct run *r = measure(f, t, events);
	json_t *row = row_of(r, t.id), *ev;
	int partly = 0;

	assert_read(r, t.id, "multiplexed", 8);
	for (size_t i = 0; (ev = json_array_get(json_object_get(row, "events"), i)); i++) {
		partly += num(ev, "measured") < num(row, "measured");
		assert_unscaled(ev, r->out);
	}
	/* There are six counters, and turns are taken. */
	assert_true(partly > 6);
	assert_int_equal(num(event_of(row, "r8:u"), "per_run.max"), 0);
	assert_int_equal(num(event_of(row, "r11:u"), "per_run.max"), 0);
}

/* The members of a group have counted in the same runs, or their ratios would mean nothing. */
static void test_group(void **state)
{
	static const char events[] = "{r8,r11:k,r23},r8:k,r11:u,r8:u,{r24,instructions:k}";
	static const char *const groups[][3] = {{"r8", "r11:k", "r23"}, {"r24", "instructions:k"}};
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_100");
	struct run *r;

	r = measure(f, t, events);
	assert_read(r, t.id, "multiplexed", 8);
	for (int g = 0; g < 2; g++) {
		json_int_t runs = num(event_of(row_of(r, t.id), groups[g][0]), "measured");

		if (runs == RUNS)
			fail_test("the group of %s was never off: %s", groups[g][0], r->out);
		for (int i = 1; i < 3 && groups[g][i]; i++)
			if (llabs(num(event_of(row_of(r, t.id), groups[g][i]), "measured") - runs) >
			    EDGES)
				fail_test("%s and %s are a group: %s", groups[g][0], groups[g][i],
					  r->out);
	}
}

/* The clock is no event of the PMU: it has every run. */
static void test_clock(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_100");
	struct run *r;

	r = measure(f, t, "r8,r8:k,r8:u,r23,r24,r23:k,r24:k,r11:k,time");
	assert_string_equal(str(event_of(row_of(r, t.id), "r8"), "read"), "multiplexed");
	assert_string_equal(str(event_of(row_of(r, t.id), "time"), "read"), "clock");
	assert_int_equal(num(event_of(row_of(r, t.id), "time"), "measured"), RUNS);
}

/* All of them need it: one skip tells it. */
static void test_pmu(void **state)
{
	if (!arch_is("aarch64"))
		skip_test("multiplex", "there is no PMU");
}

int run_multiplex(void)
{
	const struct CMUnitTest none[] = {
		KTEST(test_pmu),
	};
	const struct CMUnitTest tests[] = {
		KTEST(test_pinned),
		KTEST(test_eight),
		KTEST(test_group),
		KTEST(test_clock),
	};

	if (!arch_is("aarch64"))
		return cmocka_run_group_tests_name("multiplex", none, NULL, NULL);
	return cmocka_run_group_tests_name("multiplex", tests, NULL, NULL);
}
