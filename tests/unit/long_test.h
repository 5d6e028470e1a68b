/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How much a test that simulates many cases does: a sixth, or all of it with BPROF_TEST_LONG=1 in the
 * environment.
 */
#ifndef BPROF_TEST_LONG_TEST_H
#define BPROF_TEST_LONG_TEST_H

#include <stdbool.h>
#include <stdlib.h>

static inline bool is_long_test(void)
{
	return getenv("BPROF_TEST_LONG");
}

/* Returns how many of "all" cases the test simulates. */
static inline int case_cnt(int all)
{
	return is_long_test() ? all : (all + 5) / 6;
}

#endif
