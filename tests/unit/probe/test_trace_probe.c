// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests which records of the ring buffers bprof trace takes, and which it counts as lost.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "backend/backend_env.h"
#include "probe/trace_probe.h"
#include "target/target.h"

struct seen {
	int taken;
	__u64 lost;
};

static int take(void *arg, int cpu, const struct bprof_record *r, size_t sz)
{
	struct seen *seen = arg;

	assert_int_equal((uintptr_t)r % _Alignof(struct bprof_record), 0);
	seen->taken++;
	return 0;
}

static void lose(void *arg, int cpu, __u64 cnt)
{
	struct seen *seen = arg;

	seen->lost += cnt;
}

/*
 * Gives the probe, which records stacks of two targets, the first sz bytes of the record. They are
 * aligned as in a ring buffer of perf.
 */
static struct seen give(const struct bprof_record *record, size_t sz)
{
	struct target_list targets = {.cnt = 2};
	const struct backend_env env = {.targets = &targets};
	struct seen seen = {};
	struct trace_probe probe = {.take = take, .lost = lose, .arg = &seen, .env = &env};
	char *copy = calloc(1, sz + 4);

	assert_non_null(copy);
	memcpy(copy + 4, record, sz < sizeof(*record) ? sz : sizeof(*record));
	probe.config.stack_sz = BPROF_TRACE_STACK_SZ;
	trace_probe__take(&probe, 3, copy + 4, sz);
	free(copy);
	free(probe.copy);
	return seen;
}

static void assert_taken(const struct bprof_record *record, size_t sz, bool taken)
{
	struct seen seen = give(record, sz);

	assert_int_equal(seen.taken, taken);
	assert_int_equal(seen.lost, !taken);
}

static void test_whole(void **state)
{
	const size_t sz = sizeof(struct bprof_record) + BPROF_TRACE_STACK_SZ;
	const struct bprof_record r = {.target = 1, .snapped = 20, .stack_sz = 24};

	assert_taken(&r, sz + 20, true);
	assert_taken(&r, sz + 24, true); /* padded */
	assert_taken(&r, sz + 19, false);
	assert_taken(&r, 8, false);
}

static void test_foreign(void **state)
{
	const size_t sz = sizeof(struct bprof_record) + BPROF_TRACE_STACK_SZ;
	const struct bprof_record other_target = {.target = 2};
	const struct bprof_record long_stack = {.stack_sz = BPROF_TRACE_STACK_SZ + 8};
	const struct bprof_record long_packet = {.snapped = ~0U};

	assert_taken(&other_target, sz, false);
	assert_taken(&long_stack, sz + 64, false);
	assert_taken(&long_packet, sz + 64, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_foreign),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
