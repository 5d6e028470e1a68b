// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tests how old the snapshots are from which bprof top shows slices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "backend/snapshot.h"
#include "top/top_older.h"

#define SEC (1000 * NSEC_PER_MSEC)

static struct top_older older;

/* Adds the snapshots of some intervals of a second. */
static void pass(int from, int to, bool turns)
{
	for (int sec = from; sec < to; sec++) {
		struct snapshot *past = snapshot__new(1, 1, 0);

		past->ns = sec * SEC;
		top_older__add(&older, past, turns);
	}
}

static void test_turns(void **state)
{
	pass(1, 20, false);
	assert_null(top_older__first(&older));
	pass(20, 60, true);
	assert_true(top_older__first(&older)->ns == 40 * SEC);
	top_older__free(&older);
	assert_null(top_older__first(&older));
}

/* Turns that begin an hour after the last ones show slices of the last 20 s, not those of the hour before. */
static void test_turns_again(void **state)
{
	pass(20, 40, true);
	pass(40, 3600, false);
	pass(3600, 3601, true);
	assert_true(top_older__first(&older)->ns >= 3580 * SEC);
	top_older__free(&older);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_turns),
		cmocka_unit_test(test_turns_again),
	};

	return cmocka_run_group_tests_name("top_older", tests, NULL, NULL);
}
