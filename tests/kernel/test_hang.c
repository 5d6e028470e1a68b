// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests what happens if a test hangs: it fails with the command that hangs, and the tests after it
 * still run. Only tests/vm.sh runs this group, and expects the failures.
 */
#include "tests/kernel/harness.h"

static void test_command_hangs(void **state)
{
	command(*state, "sh -c 'echo before; exec sleep 1000000'");
}

static void test_condition_hangs(void **state)
{
	AWAIT(false);
}

static void test_after(void **state)
{
	assert_status(command(*state, "true"), 0);
}

KTEST_GROUP(hang, "a test that hangs, for tests/vm.sh", NULL, ON(ON_DEMAND),
	    KTEST(test_command_hangs), KTEST(test_condition_hangs), KTEST(test_after));
