// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests how often bprof top marks a change where there is none, and how soon it finds one. Drives
 * top_judge__changes() as the screen does, with simulated costs of programs on noisy machines. With
 * BPROF_TEST_LONG=1, simulates six times as many sessions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "tests/unit/long_test.h"
#include "top/top_judge.h"

#define MAX_ROWS 200
#define MINUTE 60 /* intervals */

/* Has a fixed value at first, so that all runs of the test have the same random numbers. */
static __u64 seed;

static double uniform(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return ((seed >> 11) + 0.5) * 0x1p-53;
}

static double gauss(void)
{
	double radius = sqrt(-2 * log(uniform()));

	return radius * cos(2 * M_PI * uniform());
}

/* The causes of varying costs. Standard deviations are those of the logarithm, so 0.05 means 5 %. */
struct noise {
	const char *name;
	double white;	  /* of each interval by itself */
	double slow, rho; /* autocorrelated, with this factor from interval to interval */
	double spikes;	  /* the share of intervals that cost 5 times as much */
	double few;	  /* the share of intervals with few runs: 10 times the white noise */
	double drift;	  /* of all programs, for minutes */
	double job,
		differ; /* all programs cost more by this for 2 of 5 minutes; each differs by so much */
};

static const struct noise noises[] = {
	{"white", .white = 0.05},
	{"autocorrelated", .slow = 0.05, .rho = 0.9},
	{"heavy tails", .slow = 0.05, .rho = 0.5, .spikes = 0.03},
	{"few runs", .white = 0.02, .few = 0.5},
};

/* Noise that all programs have in common. If there are no other programs to compare with, it counts as a change. */
static const struct noise machine_noises[] = {
	{"machine drifts", .slow = 0.03, .rho = 0.5, .drift = 0.15},
	{"other jobs", .slow = 0.03, .rho = 0.5, .job = 0.4, .differ = 0.5},
};

struct row {
	struct top_series before, since;
	double state, response, change;
};

static struct row rows[MAX_ROWS];
static struct top_judged judged[MAX_ROWS];
static double drift, machine;
static int row_cnt, second;

static void add(struct top_series *s, double cost)
{
	if (s->cnt == TOP_SERIES_MAX)
		memmove(s->cost, s->cost + 1, --s->cnt * sizeof(*s->cost));
	s->cost[s->cnt++] = cost;
}

static double next_cost(const struct noise *n, struct row *r)
{
	double white = n->white * gauss();

	r->state = n->rho * r->state + sqrt(1 - n->rho * n->rho) * gauss();
	if (uniform() < n->few)
		white *= 10;
	return 5 + white + n->slow * r->state + (uniform() < n->spikes ? log(5) : 0) + drift +
	       (second / MINUTE % 5 >= 3 ? n->job * r->response : 0) + r->change;
}

/* One interval of all programs. */
static void step(const struct noise *n, bool compared)
{
	second++;
	drift = 0.995 * drift + n->drift * sqrt(1 - 0.995 * 0.995) * gauss();
	for (int i = 0; i < row_cnt; i++) {
		struct row *r = &rows[i];

		add(compared ? &r->since : &r->before, next_cost(n, r));
	}
}

/* Begins to watch this many programs, and sets the baseline after some intervals. */
static void begin(const struct noise *n, int cnt, int before)
{
	row_cnt = cnt;
	second = 0;
	drift = n->drift * gauss();
	for (int i = 0; i < cnt; i++) {
		rows[i].before.cnt = rows[i].since.cnt = 0;
		rows[i].state = gauss();
		rows[i].response = 1 + n->differ * (2 * uniform() - 1);
		rows[i].change = 0;
		judged[i] = (struct top_judged){&rows[i].before, &rows[i].since, true,
						VERDICT_INCONCLUSIVE};
	}
	for (int i = 0; i < before; i++)
		step(n, false);
}

static bool is_marked(int row)
{
	return judged[row].verdict == VERDICT_WORSE || judged[row].verdict == VERDICT_BETTER;
}

/* Returns in how many minutes of all rows there was a mark. */
static int watch(const struct noise *n, int minutes)
{
	int marks = 0;

	for (int m = 0; m < minutes; m++) {
		bool marked[MAX_ROWS] = {};

		for (int i = 0; i < MINUTE; i++) {
			step(n, true);
			/* Marks come and go slowly, so checking each second would find hardly more of them. */
			if (i % 15)
				continue;
			top_judge__changes(judged, row_cnt, &machine);
			for (int k = 0; k < row_cnt; k++)
				marked[k] |= is_marked(k);
		}
		for (int k = 0; k < row_cnt; k++)
			marks += marked[k];
	}
	return marks;
}

#define ROW_MINUTES 21000
#define SESSION 7 /* minutes until the user sets the next baseline */

static void check_marks(const struct noise *n, int cnt, int before)
{
	int marks = 0, all = case_cnt(ROW_MINUTES);

	seed = 1;
	for (int total = 0; total < all; total += SESSION * cnt) {
		begin(n, cnt, before);
		marks += watch(n, SESSION);
	}
	print_message("%-15s %3d rows, %3d s before: %d of %d row-minutes\n", n->name, cnt, before,
		      marks, all);
	if (marks * 1000 > all)
		fail_msg("%s: marks in %d of %d row-minutes", n->name, marks, all);
}

static void test_no_change(void **state)
{
	static const int cnt[] = {1, 21, 200}, before[] = {30, 60, 120};

	for (size_t i = 0; i < ARRAY_SIZE(noises); i++)
		for (size_t k = 0; k < ARRAY_SIZE(cnt); k++)
			check_marks(&noises[i], cnt[k], before[k]);
	for (size_t i = 0; i < ARRAY_SIZE(machine_noises); i++)
		for (size_t k = 1; k < ARRAY_SIZE(cnt); k++)
			check_marks(&machine_noises[i], cnt[k], before[k]);
}

static const struct noise realistic = {"realistic", .slow = 0.05, .rho = 0.5};

/* A change of 20 % of one program is found within a minute, and no other one is marked. */
static void test_change(void **state)
{
	static const int cnt[] = {1, 21};
	int sessions = case_cnt(200), found = 0, others = 0;

	seed = 1;
	for (int i = 0; i < sessions; i++) {
		begin(&realistic, cnt[i % ARRAY_SIZE(cnt)], 120);
		rows[0].change = i & 2 ? log(1.2) : log(0.8);
		for (int s = 0; s < MINUTE && !is_marked(0); s++) {
			step(&realistic, true);
			top_judge__changes(judged, row_cnt, &machine);
		}
		found += judged[0].verdict == (i & 2 ? VERDICT_WORSE : VERDICT_BETTER);
		for (int k = 1; k < row_cnt; k++)
			others += is_marked(k);
		assert_true(machine == 0);
	}
	print_message("20 %%: found %d of %d\n", found, sessions);
	assert_true(found >= 0.95 * sessions);
	assert_int_equal(others, 0);
}

/*
 * If all programs cost 20 % more, the machine is slower, and no program is marked. Three programs
 * are too few to show this, so they are marked.
 */
static void test_machine(void **state)
{
	static const int cnt[] = {5, 21, 200};
	int sessions = case_cnt(60), marks = 0, found = 0;

	seed = 1;
	for (int i = 0; i < sessions; i++) {
		begin(&realistic, cnt[i % ARRAY_SIZE(cnt)], 120);
		for (int k = 0; k < row_cnt; k++)
			rows[k].change = log(1.2);
		marks += watch(&realistic, 1);
		found += fabs(machine - 0.2) < 0.05;
	}
	assert_int_equal(marks, 0);
	assert_int_equal(found, sessions);
	begin(&realistic, 3, 120);
	for (int k = 0; k < row_cnt; k++)
		rows[k].change = log(1.2);
	assert_true(watch(&realistic, 1) > 0);
	assert_true(machine == 0);
}

/* If all programs were replaced, their costs show nothing about the machine, so all of them are marked. */
static void test_replaced(void **state)
{
	seed = 1;
	begin(&realistic, 9, 120);
	for (int k = 0; k < row_cnt; k++) {
		judged[k].untouched = false;
		rows[k].change = log(1.4);
	}
	assert_int_equal(watch(&realistic, 1), 9);
	assert_true(machine == 0);
}

/* No mark after too few intervals, or for a change of at most 2 %. Costs never vary in this test. */
static void test_limits(void **state)
{
	static const struct noise none = {};

	begin(&none, 1, 9);
	rows[0].change = log(1.4);
	assert_int_equal(watch(&none, 3), 0);
	assert_int_equal(judged[0].verdict, VERDICT_INCONCLUSIVE);
	begin(&none, 1, 30);
	rows[0].change = log(1.015);
	assert_int_equal(watch(&none, 3), 0);
	assert_int_equal(judged[0].verdict, VERDICT_SAME);
	begin(&none, 1, 30);
	rows[0].change = log(1.03);
	assert_int_equal(watch(&none, 1), 1);
	assert_int_equal(judged[0].verdict, VERDICT_WORSE);
	assert_true(fabs(judged[0].share - 0.03) < 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_change), cmocka_unit_test(test_change),
		cmocka_unit_test(test_machine),	  cmocka_unit_test(test_replaced),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
