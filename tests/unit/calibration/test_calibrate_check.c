// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the verdict of the calibration's check: which numbers of a program of known cost show that a
 * bias is wrong, and which ones noise explains.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/perf_event.h>
#include <cmocka.h>

#include "backend/backend_env.h"
#include "bpf/probe.h"
#include "calibration/calibrate_check.h"
#include "probe/probes.h"

#define K BPROF_CHECK_INSNS

static double error(enum check_kind kind, double min, double median)
{
	const struct check_numbers n = {min, median, .bias = 300, .stddev = 0};

	return calibrate__error(&n, kind);
}

static void assert_error(double actual, double expected)
{
	assert_true(actual == expected);
}

static void test_exact(void **state)
{
	assert_error(error(CHECK_EXACT, K, K), 0);
	/* one instruction more or less is no error: a map's address may take it */
	assert_error(error(CHECK_EXACT, K + 1, K + 1), 0);
	assert_error(error(CHECK_EXACT, K - 1, K - 1), 0);
	/* a bias that is wrong by eleven */
	assert_error(error(CHECK_EXACT, K + 11, K + 11.5), 11);
	assert_error(error(CHECK_EXACT, K - 11, K - 11), -11);
	/*
	 * interrupts in most runs; or also in those of the calibration, so that its minimum is too
	 * high
	 */
	assert_error(error(CHECK_EXACT, K, K + 5000), 0);
	assert_error(error(CHECK_EXACT, K - 3, K), 0);
}

/* Tests a counter that varies, and one that does not count where the programs run. */
static void test_noisy_instructions(void **state)
{
	struct check_numbers n = {K + 5, K + 6, .bias = 300, .stddev = 1};

	assert_error(calibrate__error(&n, CHECK_EXACT), 0);
	n.stddev = 0;
	assert_error(calibrate__error(&n, CHECK_EXACT), 5);
	/* QEMU without -icount, on a busy machine */
	n = (struct check_numbers){-77, -42, .bias = 927, .stddev = 13.5};
	assert_error(calibrate__error(&n, CHECK_EXACT), 0);
	n.median = -600;
	assert_error(calibrate__error(&n, CHECK_EXACT), -600);
	n = (struct check_numbers){};
	assert_error(calibrate__error(&n, CHECK_EXACT), 0);
}

static void test_noisy(void **state)
{
	assert_error(error(CHECK_NOISY, 0, 0), 0);
	assert_error(error(CHECK_NOISY, -50, 3), 0);
	/* colder code, and a CPU that has become faster */
	assert_error(error(CHECK_NOISY, 150, 190), 0);
	assert_error(error(CHECK_NOISY, -160, -150), 0);
	/* no better than without calibration */
	assert_error(error(CHECK_NOISY, K + 300, K + 310), 300);
	assert_error(error(CHECK_NOISY, -310, -300), -300);
}

static struct event cycles = {.kind = EVENT_PERF,
			      .base = "cycles",
			      .type = PERF_TYPE_HARDWARE,
			      .config = PERF_COUNT_HW_CPU_CYCLES};
static struct event insns = {.kind = EVENT_PERF,
			     .base = "instructions",
			     .type = PERF_TYPE_HARDWARE,
			     .config = PERF_COUNT_HW_INSTRUCTIONS};
static struct event clock_event = {.kind = EVENT_TIME};

static void test_kinds(void **state)
{
	struct event ev = insns;

	assert_int_equal(calibrate__check_kind(&cycles), CHECK_NOISY);
	assert_int_equal(calibrate__check_kind(&insns), CHECK_EXACT);
	assert_int_equal(calibrate__check_kind(&clock_event), CHECK_NOISY);
	ev.exclude_kernel = true;
	assert_int_equal(calibrate__check_kind(&ev), CHECK_NONE);
	ev = insns;
	ev.exclude_host = true; /* instructions:G */
	assert_int_equal(calibrate__check_kind(&ev), CHECK_NONE);
	ev = cycles;
	ev.base = "cycles:H"; /* the user gave it a name */
	assert_int_equal(calibrate__check_kind(&ev), CHECK_NOISY);
	ev.base = "branch-misses";
	ev.config = PERF_COUNT_HW_BRANCH_MISSES;
	assert_int_equal(calibrate__check_kind(&ev), CHECK_NONE);
}

#define BIT(n) (1U << (n))

/* Functions whose check would show nothing new are left out. */
static void test_checks(void **state)
{
	struct event v[] = {insns, cycles};
	struct event_list events = {.v = v, .cnt = 2};
	struct event_fds fds = {};
	struct backend_env env = {.events = &events, .fds = &fds};
	struct probes probes = {.env = &env};
	struct calibration c = {.probes = &probes};

	assert_int_equal(calibrate__checks(&c), 0); /* --no-calibrate */
	c.empties = BIT(EMPTY_PROG) | BIT(EMPTY_ARGS) | BIT(EMPTY_IRQ);
	assert_int_equal(calibrate__checks(&c), BIT(CHECK_PROG) | BIT(CHECK_ARGS) | BIT(CHECK_IRQ));
	c.empties |= BIT(EMPTY_RAW) | BIT(EMPTY_SYSCALL);
	assert_int_equal(calibrate__checks(&c),
			 BIT(CHECK_RAW) | BIT(CHECK_SYSCALL) | BIT(CHECK_IRQ));
	fds.multiplexed = true;
	assert_int_equal(calibrate__checks(&c), BIT(CHECK_PROG));
	fds.multiplexed = false;
	/* This machine cannot count instructions; slot 0 is that of cycles. */
	fds.state[0].status = EVENT_NOT_SUPPORTED;
	assert_int_equal(calibrate__checks(&c), BIT(CHECK_PROG));
	fds.state[1].status = EVENT_NOT_SUPPORTED;
	assert_int_equal(calibrate__checks(&c), 0);
	fds.state[0].status = fds.state[1].status = EVENT_OK;
	v[0] = clock_event;
	assert_int_equal(calibrate__checks(&c), BIT(CHECK_PROG));
	v[0] = v[1] = (struct event){.kind = EVENT_PERF, .base = "msr/tsc/", .type = 9};
	assert_int_equal(calibrate__checks(&c), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact),  cmocka_unit_test(test_noisy_instructions),
		cmocka_unit_test(test_noisy),  cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_checks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
