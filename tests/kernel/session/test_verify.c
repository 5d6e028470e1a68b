// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests stat --verify. On a machine that counts each instruction, a run costs the same whether or
 * not the run before it was measured. If that is not true for a program, --verify finds this.
 */
#include <string.h>

#include "tests/kernel/harness.h"

#define RATES 3

static json_t *verify_of(const struct run *r, const struct target *t, const char *event)
{
	json_t *verify = json_object_get(event_of(row_of(r, t->id), event), "verify");

	assert_non_null(verify);
	assert_int_equal(json_array_size(json_object_get(verify, "rates")), RATES);
	printf("# %s\n", json_dumps(verify, JSON_COMPACT));
	return verify;
}

static double mean_at(json_t *verify, int rate)
{
	return real(json_array_get(json_object_get(verify, "rates"), rate), "mean");
}

/*
 * Measures while a program runs in bursts. The bursts are so short that few timer interrupts hit a
 * run. On Linux 7, there is an interrupt every millisecond: some interrupts hit runs that are
 * measured at 1/1, and at most one hits a run that is measured at 1/256.
 */
static struct run *verify_paced(struct fixture *f, const struct target *t, const char *event)
{
	struct run *r = bprof(f,
			      "-j -b %u -e %s --verify -- sh -c 'drive pace %u 256 1250 6500 "
			      ">/dev/null'",
			      t->id, event, t->id);

	assert_status(r, 0);
	return r;
}

/*
 * At all rates (one measured run in 1, in 16, in 256), the mean is the cost of the program plus the
 * cost of timer interrupts. The reported error includes the interrupts.
 */
static void test_exact(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_100");
	struct run *r = verify_paced(f, &t, exact_event());
	json_t *verify = verify_of(r, &t, exact_event());

	assert_string_equal(str(verify, "verdict"), "none");
	assert_int_equal(num(verify, "use_sample"), 1);
	assert_true(real(verify, "added_error") < 5);
	for (int i = 0; i < RATES; i++)
		if (mean_at(verify, i) < 100 || mean_at(verify, i) > 105)
			fail_test("%g", mean_at(verify, i));
}

static void test_pollution(void **state)
{
	struct fixture *f = *state;
	struct target t = load_full_length(f, "pollution", "xdp_pollution");
	struct run *r = verify_paced(f, &t, exact_event());
	json_t *verify = verify_of(r, &t, exact_event());

	assert_string_equal(str(verify, "verdict"), "more");
	assert_int_equal(num(verify, "use_sample"), 16);
	assert_true(real(verify, "added") > 20);
	assert_true(mean_at(verify, 0) > mean_at(verify, 1) + 20);
}

/* Samples, which need no probe, show the same cost as the probes. */
static void test_by_samples(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "loops", "xdp_helper");
	struct run *r = bprof(f,
			      "-j -b %u -e time --verify --timeout 4000 -- drive testrun %u:300000",
			      t.id, t.id);
	json_t *by = json_object_get(verify_of(r, &t, "time"), "by_samples");

	assert_status(r, 0);
	assert_non_null(by);
	assert_string_equal(str(by, "verdict"), "agree");
	assert_true(num(by, "samples") > 500);
	assert_contains(r->out, "samples, which need no probe, agree");
}

/* If a measurement is too short to measure one run in 256 often enough, bprof says so. */
static void test_few(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_100");
	struct run *r = bprof(f, "-b %u -e %s --verify -o - -- drive testrun %u:1000", t.id,
			      exact_event(), t.id);

	assert_status(r, 0);
	assert_contains(r->out, "too few runs for --verify");
	r = bprof(f, "-j -b 4000000000 -e %s --verify --timeout 10", exact_event());
	assert_status(r, 8);
}

static void test_verify_refused(void **state)
{
	static const char *const options[][2] = {
		{"--sample 4", "--verify sets how many runs are measured"},
		{"--max-overhead 1%%", "--verify sets how many runs are measured"},
		{"--by retval", "it compares the runs of each program"},
		{"-A", "it compares the runs of each program"},
		{"-I 100", "one report has all its turns"},
		{"--method run_stats", "--verify needs probes"},
		{"--no-hist", "its errors come from how much the runs differ"},
	};
	struct fixture *f = *state;

	for (int i = 0; i < (int)(sizeof(options) / sizeof(options[0])); i++) {
		char args[128];
		struct run *r;

		snprintf(args, sizeof(args), "--all --verify --timeout 10 %s", options[i][0]);
		r = bprof(f, args);
		assert_status(r, 2);
		assert_contains(r->err, options[i][1]);
	}
}

KTEST_GROUP(verify, "stat --verify", NULL, ON(EXACT, ALSO_X86), KTEST(test_exact),
	    KTEST(test_pollution), KTEST(test_by_samples), KTEST(test_few),
	    KTEST(test_verify_refused));
