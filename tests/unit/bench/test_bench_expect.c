// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests --expect-retval: which runs an expected value applies to, and how runs that returned
 * another value are reported.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <linux/bpf.h>

#include "bench/bench.h"
#include "bench/bench_expect.h"
#include "tests/unit/capture.h"

/* Two programs with two input cases. The second case has two packets. */
struct fixture {
	struct bench_case cases[2];
	struct bench_input input;
	struct bench_outcome outcome[2][2];
	struct bench_prog prog[2];
	struct bench bench;
	struct bench_expects expects;
	__u32 retval[2][2][2];
};

static int setup(void **state)
{
	static char *const names[] = {"syn.bin", "all.pcap"};
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	f->input = (struct bench_input){.v = f->cases, .cnt = 2};
	f->bench = (struct bench){.input = &f->input, .prog = f->prog, .prog_cnt = 2};
	f->prog[0] = (struct bench_prog){.id = 7, .type = BPF_PROG_TYPE_XDP, .name = "lb"};
	f->prog[1] = (struct bench_prog){.id = 8, .type = BPF_PROG_TYPE_SCHED_CLS, .name = "mark"};
	for (int i = 0; i < 2; i++) {
		f->cases[i] = (struct bench_case){.name = names[i], .packet_cnt = i + 1};
		f->prog[i].outcome = f->outcome[i];
		for (int c = 0; c < 2; c++)
			f->outcome[i][c].retval = f->retval[i][c];
	}
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	bench_expects__free(&f->expects);
	free(f);
	return 0;
}

/*
 * Compares the returned values with the expected ones. Returns the printed text, which the caller
 * frees, and the result of the comparison in *bad.
 */
static char *check(struct fixture *f, int *bad)
{
	struct capture c;

	capture__begin(&c, stderr);
	*bad = bench_expects__check(&f->expects, &f->bench);
	return capture__end(&c);
}

static void assert_checked(struct fixture *f, int want, const char *printed)
{
	int bad;
	char *text = check(f, &bad);

	assert_string_equal(text, printed);
	assert_int_equal(bad, want);
	free(text);
}

static void expect(struct fixture *f, const char *spec)
{
	assert_int_equal(bench_expects__add(&f->expects, spec), 0);
}

static void test_all_are_met(void **state)
{
	struct fixture *f = *state;

	assert_checked(f, 0, "");
	f->retval[0][0][0] = f->retval[0][1][0] = f->retval[0][1][1] = XDP_TX;
	expect(f, "lb=XDP_TX");
	expect(f, "mark=0");
	assert_checked(f, 0, "");
}

static void test_others_are_reported(void **state)
{
	struct fixture *f = *state;

	/* only the second packet of the second case returns a value that is not expected */
	f->retval[0][0][0] = f->retval[0][1][0] = XDP_PASS;
	f->retval[0][1][1] = XDP_DROP;
	expect(f, "lb=XDP_PASS");
	assert_checked(f, 1,
		       "bprof: program 7 lb [all.pcap]: returned XDP_DROP, expected XDP_PASS\n");
	/* a run that failed is not also reported as a wrong return value */
	f->outcome[0][1].err = -EINVAL;
	assert_checked(f, 0, "");
}

/* The first run returned the expected value, but a measured run did not. */
static void test_measured_runs(void **state)
{
	struct fixture *f = *state;
	struct capture c;
	char *text;
	int bad;

	f->retval[0][0][0] = f->retval[0][1][0] = f->retval[0][1][1] = XDP_TX;
	expect(f, "lb=XDP_TX");
	f->outcome[0][1].varied = f->outcome[1][0].varied = true;
	assert_checked(f, 0, "");
	capture__begin(&c, stderr);
	bad = bench_expects__check_measured(&f->expects, &f->bench);
	text = capture__end(&c);
	assert_string_equal(text, "bprof: program 7 lb [all.pcap]: measured runs returned other "
				  "values than XDP_TX\n");
	assert_int_equal(bad, 1);
	free(text);
}

/* If several expected values apply to the same run, the last one counts. */
static void test_last_counts(void **state)
{
	struct fixture *f = *state;

	f->retval[0][0][0] = XDP_TX;
	f->retval[0][1][0] = f->retval[0][1][1] = XDP_DROP;
	expect(f, "*=0");
	expect(f, "l?=XDP_DROP");
	expect(f, "lb/syn*=xdp_tx");
	assert_checked(f, 0, "");
	f->retval[0][0][0] = XDP_DROP;
	assert_checked(f, 1, "bprof: program 7 lb [syn.bin]: returned XDP_DROP, expected XDP_TX\n");
}

static void test_wrong_ones(void **state)
{
	static const char *const wrong[] = {"", "=2", "lb=", "XDP_NOTHING", "lb=4294967296"};
	struct fixture *f = *state;
	int bad;
	char *text;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct capture c;
		int err;

		capture__begin(&c, stderr);
		err = bench_expects__add(&f->expects, wrong[i]);
		text = capture__end(&c);
		assert_int_equal(err, -EINVAL);
		assert_non_null(strstr(text, "[PROGRAM[/CASE]=]VALUE"));
		free(text);
	}
	expect(f, "nobody=0");
	assert_checked(f, -EINVAL,
		       "bprof: --expect-retval nobody=0: matches no program or case that is run\n");
	bench_expects__free(&f->expects);
	/* XDP_DROP is a return value of another program type */
	expect(f, "mark=XDP_DROP");
	text = check(f, &bad);
	assert_int_equal(bad, -EINVAL);
	assert_non_null(strstr(text, "program 8 mark has type sched_cls, whose values are"));
	assert_non_null(strstr(text, "TC_ACT_OK"));
	free(text);
}

#define EXPECT_TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EXPECT_TEST(test_all_are_met),	 EXPECT_TEST(test_others_are_reported),
		EXPECT_TEST(test_measured_runs), EXPECT_TEST(test_last_counts),
		EXPECT_TEST(test_wrong_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
