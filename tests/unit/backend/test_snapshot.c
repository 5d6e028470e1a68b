// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests snapshots of sessions whose targets change. Snapshots with different targets are added and
 * subtracted, and a target's final counts are copied.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "backend/snapshot.h"

enum { ROWS = 3 };

static struct snapshot *make(int targets, __u64 runs)
{
	struct snapshot *snap = snapshot__new(targets, ROWS - 1, 0);

	assert_non_null(snap);
	for (int i = 0; i < targets * ROWS; i++)
		snapshot__at(snap, i / ROWS, i % ROWS)->measured = runs + i;
	return snap;
}

/* A target that was added later is not in the earlier snapshot. Its counts were 0 at that time. */
static void test_later_target(void **state)
{
	struct snapshot *before = make(1, 10), *now = make(3, 100);

	assert_true(snapshot__has(before, 0));
	assert_false(snapshot__has(before, 1));
	assert_true(snapshot__has(now, 2));
	assert_int_equal(snapshot__before(before, 0, 2)->measured, 12);
	assert_int_equal(snapshot__before(before, 2, 0)->measured, 0);
	assert_int_equal(counts__runs(snapshot__before(before, 1, 1)), 0);
	snapshot__add(now, before, -1);
	assert_int_equal(snapshot__at(now, 0, 1)->measured, 90);
	assert_int_equal(snapshot__at(now, 1, 0)->measured, 103);
	assert_int_equal(snapshot__at(now, 2, 2)->measured, 108);
	snapshot__add(before, now, 1);
	assert_int_equal(snapshot__at(before, 0, 2)->measured, 102);
	snapshot__free(before);
	snapshot__free(now);
}

static void test_no_targets(void **state)
{
	struct snapshot *none = make(0, 0);

	assert_false(snapshot__has(none, 0));
	assert_int_equal(snapshot__before(none, 5, 1)->measured, 0);
	snapshot__free(none);
}

/* The copy has its own distributions, so the source may be freed. */
static void test_copy(void **state)
{
	const __u64 words[BPROF_HIST_BUCKETS] = {[3] = 7, [100] = 2};
	const __s64 min = 3, max = 100;
	const struct hist *copy;
	struct counts *from = counts__new(2), *to = counts__new(2);

	from[1].thinned_out = 4;
	from[1].lost[LOST_ENTRY] = 3;
	from[1].measured = 9;
	from[1].event[0].max = 99;
	hist__copy(words, 0, &min, &max, &from[1].event[0].hist);
	counts__copy(to, from, 2);
	counts__free(from, 2);
	assert_int_equal(counts__runs(&to[1]), 16);
	assert_int_equal(to[1].event[0].max, 99);
	assert_int_equal(to[0].event[0].min, INT64_MAX);
	copy = &to[1].event[0].hist;
	assert_int_equal(copy->cnt, 2);
	assert_int_equal(copy->bucket[0].count, 7);
	assert_int_equal(copy->bucket[1].index, 100);
	assert_int_equal(to[0].event[0].hist.cnt, 0);
	counts__free(to, 2);
}

/* Adds runs with a value to a part, on all CPUs. */
static void add_part(struct snapshot *snap, int part, __u64 retval, __u64 runs)
{
	for (int cpu = 0; cpu < snap->cpu_cnt; cpu++) {
		struct counts *c = snapshot__at(snap, 0, snapshot__part_row(snap, part, cpu));

		c->retval = retval ? retval | BPROF_RETVAL_USED : 0;
		c->measured = runs;
	}
}

static void assert_part(const struct snapshot *snap, int part, __u64 retval, __u64 runs)
{
	for (int cpu = 0; cpu < snap->cpu_cnt; cpu++) {
		const struct counts *c = snapshot__at(snap, 0, snapshot__part_row(snap, part, cpu));

		assert_int_equal(c->retval, retval ? retval | BPROF_RETVAL_USED : 0);
		assert_int_equal(c->measured, runs);
	}
}

/* Parts are merged by their values, which may be in another order in another session. */
static void test_merge_parts(void **state)
{
	struct snapshot *sum = snapshot__new(1, 2, BPROF_PARTS), *from;

	assert_non_null(sum);
	for (int i = 0; i < 3; i++) {
		from = snapshot__new(1, 2, BPROF_PARTS);
		assert_non_null(from);
		add_part(from, 0, 0, 1);
		add_part(from, i ? 2 : 1, 7, 10);
		add_part(from, i ? 1 : 5, 8, 100);
		/* the second and the third session each have six values more than the first */
		for (int v = 0; i && v < 6; v++)
			add_part(from, 3 + v, 20 + v + 10 * i, 1000);
		snapshot__merge(sum, from);
		snapshot__free(from);
	}
	assert_part(sum, 1, 7, 30);
	assert_part(sum, 2, 8, 300);
	assert_part(sum, 3, 30, 1000);
	assert_part(sum, 8, 35, 1000);
	/* there was no free part for the values of the third session: their runs are in part 0 */
	assert_part(sum, 0, 0, 3 + 6000);
	snapshot__free(sum);
}

/*
 * A key loses its part: its runs belong to part 0 in all snapshots, also in two that share rows. A
 * snapshot that is older than the target does not change.
 */
static void test_free_parts(void **state)
{
	const bool freed[BPROF_PARTS] = {[1] = true, [3] = true};
	struct snapshot *old = snapshot__new(0, 2, BPROF_PARTS), *a, *b, *c;

	a = snapshot__new(1, 2, BPROF_PARTS);
	b = snapshot__alloc(1, 2, BPROF_PARTS);
	c = snapshot__new(1, 2, BPROF_PARTS);
	b->target[0] = counts__share(a->target[0]);
	add_part(a, 0, 0, 1);
	add_part(a, 1, 7, 10);
	add_part(a, 2, 8, 100);
	add_part(c, 1, 7, 1000);
	snapshots__free_parts((struct snapshot *[]){a, NULL, b, old, c, c}, 6, 0, freed);
	assert_part(b, 0, 0, 11);
	assert_part(b, 1, 0, 0);
	assert_part(b, 2, 8, 100);
	assert_part(c, 0, 0, 1000);
	assert_part(c, 1, 0, 0);
	assert_true(snapshot__at(a, 0, snapshot__part_row(a, 1, 0))->reused);
	assert_false(snapshot__at(a, 0, snapshot__part_row(a, 2, 0))->reused);
	assert_int_equal(snapshot__at(a, 0, snapshot__part_row(a, 1, 1))->event[0].min, INT64_MAX);
	snapshot__free(old);
	snapshot__free(a);
	snapshot__free(b);
	snapshot__free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_free_parts),  cmocka_unit_test(test_later_target),
		cmocka_unit_test(test_no_targets),  cmocka_unit_test(test_copy),
		cmocka_unit_test(test_merge_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
