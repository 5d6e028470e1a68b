// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests Linux 5.10, which crashes if a probe is attached to some kinds of programs. bprof counts
 * such programs with the kernel's own statistics instead, and reports why.
 */
#include "tests/kernel/harness.h"
#include "tests/kernel/ktest.h"

static void measure(struct fixture *f, struct target t, const char *drive, json_int_t runs)
{
	struct target probed = load_target(f, "xdp", "xdp_pass");
	struct run *r;

	r = bprof(f, "-j -b %u,%u -e time -- sh -c '%s && drive testrun %u:7'", t.id, probed.id,
		  drive, probed.id);
	assert_status(r, 0);
	assert_string_equal(str(row_of(r, t.id), "method"), "run_stats");
	assert_int_equal(num(row_of(r, t.id), "runs"), runs);
	assert_contains(r->err, "would crash this kernel");
	assert_counted(r, probed.id, 7);

	r = command(f, "bprof list -j");
	assert_status(r, 0);
	assert_string_equal(str(row_of(r, t.id), "method"), "run_stats");
	assert_string_equal(str(row_of(r, t.id), "reason"), "kernel_bug");
}

static void test_lsm(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "lsm", "lsm_getsid");

	assert_non_null(try_attach(f, t));
	measure(f, t, "drive getsid 300", 300);
}

static void test_struct_ops(void **state)
{
	struct fixture *f = *state;

	measure(f, load_struct_ops(f), "drive tcpcc bprof_test 200", 200);
}

int run_old(void)
{
	const struct CMUnitTest tests[] = {
		KTEST(test_lsm),
		KTEST(test_struct_ops),
	};

	return cmocka_run_group_tests_name("old", tests, NULL, NULL);
}
