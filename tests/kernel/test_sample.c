// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * --sample: every run is counted, one in so many is measured, and what it cost is as right as if
 * all were. On the exact machine: one vCPU, icount.
 */
#include "harness.h"
#include "ktest.h"

/* The first run is measured, then each N-th: on one CPU that is exact. */
static void assert_sampled(const struct run *r, __u32 id, json_int_t runs, json_int_t n)
{
	json_int_t measured = (runs + n - 1) / n;
	json_t *row = row_of(r, id);

	assert_status(r, 0);
	assert_int_equal(num(r->json, "sample"), n);
	if (num(row, "runs") != runs || num(row, "measured") != measured ||
	    num(row, "sampled_out") != runs - measured)
		fail_test("%lld runs, one in %lld measured: %s", (long long)runs, (long long)n,
			  r->out);
	assert_int_equal(num(event_of(row, exact_event()), "measured"), measured);
}

static void test_counts(void **state)
{
	static const struct {
		int runs, n;
	} cases[] = {
		{1000, 1}, {1000, 2}, {1000, 7}, {1000, 16}, {5, 16}, {1, 1000000}, {64, 64},
	};
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_7");

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run *r = bprof(f, "-j --sample %d -b %u -e %s -- drive testrun %u:%d",
				      cases[i].n, t.id, exact_event(), t.id, cases[i].runs);

		assert_sampled(r, t.id, cases[i].runs, cases[i].n);
	}
}

/* Each target has its own turns: one that runs between another's takes none of them. */
static void test_two_targets(void **state)
{
	struct fixture *f = *state;
	struct target a = load_target(f, "alu", "xdp_alu_7");
	struct target b = load_target(f, "alu", "xdp_alu_64");
	struct run *r;

	r = bprof(f, "-j --sample 10 -b %u,%u -e %s -- drive testrun %u:15 %u:33 %u:16 %u:1", a.id,
		  b.id, exact_event(), a.id, b.id, a.id, b.id);
	assert_sampled(r, a.id, 31, 10);
	assert_sampled(r, b.id, 34, 10);
}

/* The cost of K instructions is K, with and without a distribution. */
static void test_cost(void **state)
{
	static const int steps[] = {0, 7, 100, 1000};
	static const char *const options[] = {"", "--no-hist"};
	struct fixture *f = *state;
	struct target t[4];
	char name[32];

	for (int i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), "xdp_alu_%d", steps[i]);
		t[i] = load_target(f, "alu", name);
	}
	for (int o = 0; o < 2; o++) {
		struct run *r = bprof(f,
				      "-j --sample 10 %s -b %u,%u,%u,%u -e %s,time -- drive "
				      "testrun %u:400 %u:400 %u:400 %u:400",
				      options[o], t[0].id, t[1].id, t[2].id, t[3].id, exact_event(),
				      t[0].id, t[1].id, t[2].id, t[3].id);

		for (int i = 0; i < 4; i++) {
			assert_sampled(r, t[i].id, 400, 10);
			if (num(event_of(row_of(r, t[i].id), exact_event()), "per_run.min") !=
			    steps[i])
				fail_test("%d instructions cost: %s", steps[i], r->out);
		}
	}
}

/* The turns go on from one repeat to the next, and the runs of all are counted. */
static void test_repeats(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_7");
	struct run *r;

	r = bprof(f, "-j --sample 8 -r 3 -b %u -e %s -- drive testrun %u:20", t.id, exact_event(),
		  t.id);
	assert_sampled(r, t.id, 60, 8);
}

int run_sample(void)
{
	const struct CMUnitTest tests[] = {
		KTEST(test_counts),
		KTEST(test_two_targets),
		KTEST(test_cost),
		KTEST(test_repeats),
	};

	return cmocka_run_group_tests_name("sample", tests, NULL, NULL);
}
