// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests how many runs are reported as lost by recursion. The kernel counts how often it skipped a
 * program. An fsession is one program for entry and return, so a run may be skipped twice.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "backend/backend_env.h"
#include "backend/probe_stat.h"
#include "probe/probes.h"
#include "target/target.h"

enum { CPUS = 2 };

/* Returns the lost runs of a target, for these counts of the kernel and of the probe. */
static __u64 lost_thinned(bool fsession, __u64 misses, __u64 no_entry, __u64 stale, int period)
{
	const struct backend_env env = {.cpu_limit = CPUS, .opts.thin_period = period};
	struct bprof_cpu_stat stat[CPUS] = {[1] = {.no_entry = no_entry, .stale = stale}};
	struct probes set = {.env = &env};
	struct probe p = {.set = &set,
			  .prog_fd = {-1, -1},
			  .stats = {.mem = stat},
			  .pool = {.mem = fsession ? stat : NULL},
			  .stat_sz = sizeof(stat[0]),
			  .cpu_limit = CPUS,
			  .detached.misses = misses};
	struct target t = {.priv = &p};
	struct counts no_cpu = {};

	assert_int_equal(probe__read(&t, false, NULL, &no_cpu), 0);
	return no_cpu.lost[LOST_RECURSION];
}

static __u64 lost(bool fsession, __u64 misses, __u64 no_entry, __u64 stale)
{
	return lost_thinned(fsession, misses, no_entry, stale, 1);
}

/* For a pair, the kernel's count is that of the exit program: one for each skipped run. */
static void test_pair(void **state)
{
	assert_int_equal(lost(false, 0, 0, 0), 0);
	assert_int_equal(lost(false, 7, 0, 0), 7);
	assert_int_equal(lost(false, 7, 0, 2), 7);
}

/* Runs that may be two runs: no more than skipped exits, and than skipped entries, that were not noticed. */
static void test_merged(void **state)
{
	static const struct {
		__u64 exits, stale, entries, noticed, merged;
	} cases[] = {{0, 0, 0, 0, 0},	{9, 5, 20, 0, 4}, {9, 5, 20, 17, 3},
		     {9, 5, 20, 21, 0}, {9, 9, 20, 0, 0}, {9, 0, 0, 0, 0}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct backend_env env = {.cpu_limit = CPUS};
		struct bprof_cpu_stat stat[CPUS] = {
			[0].lost_entry = cases[i].noticed, [1].stale = cases[i].stale};
		struct probes set = {.env = &env};
		struct probe p = {
			.set = &set,
			.prog_fd = {-1, -1},
			.stats = {.mem = stat},
			.stat_sz = sizeof(stat[0]),
			.cpu_limit = CPUS,
			.detached = {.misses = cases[i].exits, .entry_misses = cases[i].entries}};
		struct target t = {.priv = &p};
		struct counts no_cpu = {};

		assert_int_equal(probe__read(&t, false, NULL, &no_cpu), 0);
		assert_int_equal(no_cpu.merged, cases[i].merged);
	}
}

/*
 * With thinning, the kernel's count is that of the entry program, and the probe counts the skipped exits
 * of measured runs.
 */
static void test_thinned_pair(void **state)
{
	assert_int_equal(lost_thinned(false, 7, 0, 0, 4), 7);
	assert_int_equal(lost_thinned(false, 7, 0, 2, 4), 7 + 2);
}

/*
 * For a kernel function, the kernel's count is that of both programs. It includes the calls that the exit
 * probe has counted itself.
 */
static void test_called(void **state)
{
	static const struct {
		__u64 misses, noticed, lost;
	} cases[] = {{0, 0, 0}, {7, 0, 7}, {7, 3, 4}, {7, 7, 0}, {2, 3, 0}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct backend_env env = {.cpu_limit = CPUS};
		struct bprof_cpu_stat stat[CPUS] = {[1] = {.lost_entry = cases[i].noticed}};
		struct probes set = {.env = &env};
		struct probe p = {.set = &set,
				  .prog_fd = {-1, -1},
				  .stats = {.mem = stat},
				  .stat_sz = sizeof(stat[0]),
				  .cpu_limit = CPUS,
				  .called = true,
				  .detached.misses = cases[i].misses};
		struct target t = {.priv = &p};
		struct counts no_cpu = {};

		assert_int_equal(probe__read(&t, false, NULL, &no_cpu), 0);
		assert_int_equal(no_cpu.lost[LOST_RECURSION], cases[i].lost);
	}
}

static void test_fsession(void **state)
{
	assert_int_equal(lost(true, 0, 0, 0), 0);
	/* the kernel skipped the entry and the return of four runs */
	assert_int_equal(lost(true, 8, 0, 0), 4);
	/* only the entry of two runs, which are lost for another reason */
	assert_int_equal(lost(true, 2, 2, 0), 0);
	/* only the return of three runs */
	assert_int_equal(lost(true, 3, 0, 3), 3);
	/* all of that */
	assert_int_equal(lost(true, 8 + 2 + 3, 2, 3), 4 + 3);
	/* the return of one run whose frame no other run has found yet */
	assert_int_equal(lost(true, 8 + 1, 0, 0), 4 + 1);
}

/*
 * The kernel counts at once that it skipped an entry, and the probe counts it when the run ends. The
 * number of lost runs must not fall meanwhile: the difference of two snapshots would be negative.
 */
static void test_run_in_progress(void **state)
{
	const struct backend_env env = {.cpu_limit = 1};
	struct bprof_cpu_stat stat = {};
	struct probes set = {.env = &env};
	struct probe p = {.set = &set,
			  .prog_fd = {-1, -1},
			  .stats = {.mem = &stat},
			  .pool = {.mem = &stat},
			  .stat_sz = sizeof(stat),
			  .cpu_limit = 1,
			  .detached.misses = 8 + 1};
	struct target t = {.priv = &p};
	struct counts before = {}, after = {};

	assert_int_equal(probe__read(&t, false, NULL, &before), 0);
	stat.no_entry = 1;
	assert_int_equal(probe__read(&t, false, NULL, &after), 0);
	assert_int_equal(after.lost[LOST_RECURSION], before.lost[LOST_RECURSION]);
	p.detached.misses += 2 * 2;
	assert_int_equal(probe__read(&t, false, NULL, &after), 0);
	assert_int_equal(after.lost[LOST_RECURSION], 4 + 2);
}

/* The kernel times each of the two programs of a pair once in a run, and an fsession twice. */
static void test_slowed(void **state)
{
	struct probe p = {.prog_fd = {-1, -1}, .detached.timed = 8};
	const struct backend_env env = {};
	struct probes set = {.env = &env};
	struct target t = {.priv = &p};
	struct counts no_cpu = {};

	p.set = &set;
	/* not calibrated: the numbers are raw */
	assert_int_equal(probe__read(&t, false, NULL, &no_cpu), 0);
	assert_int_equal(no_cpu.slowed, 0);
	p.biased = true;
	assert_int_equal(probe__read(&t, false, NULL, &no_cpu), 0);
	assert_int_equal(no_cpu.slowed, 8);
	p.pool.mem = &no_cpu;
	assert_int_equal(probe__read(&t, false, NULL, &no_cpu), 0);
	assert_int_equal(no_cpu.slowed, 4);
	/* the bias contains the kernel's timing */
	no_cpu.slowed = 0;
	set.timed = true;
	assert_int_equal(probe__read(&t, false, NULL, &no_cpu), 0);
	assert_int_equal(no_cpu.slowed, 0);
}

/* A run also leaves its frame in use if the kernel replaced its trampoline meanwhile. */
static void test_stale_frames(void **state)
{
	assert_int_equal(lost(true, 0, 0, 5), 0);
	assert_int_equal(lost(true, 2, 2, 5), 0);
}

/*
 * A run that got no frame is lost if the probe has seen its end. Otherwise, it has not ended yet,
 * or the kernel counts it as skipped.
 */
static void test_overflow(void **state)
{
	struct bprof_cpu_stat stat = {};

	assert_int_equal(probe_stat__lost_overflow(&stat), 0);
	stat.overflows = stat.lost_overflow = 3;
	assert_int_equal(probe_stat__lost_overflow(&stat), 0);
	stat.overflow_exits = 2;
	assert_int_equal(probe_stat__lost_overflow(&stat), 2);
	/* runs that began before the gate opened, and end first */
	stat = (struct bprof_cpu_stat){.overflows = 6, .lost_overflow = 4, .overflow_exits = 1};
	assert_int_equal(probe_stat__lost_overflow(&stat), 0);
	stat.overflow_exits = 6;
	assert_int_equal(probe_stat__lost_overflow(&stat), 4);
	/* nested targets: runs that lost their struct bprof_run */
	stat.lost_overflow += 5;
	assert_int_equal(probe_stat__lost_overflow(&stat), 9);
}

/*
 * Runs that begin after the gate was closed may get no frame, either. Until they end, they must not make
 * the number of lost runs fall below that of an earlier reading.
 */
static void test_closed_gate(void **state)
{
	const struct backend_env env = {.cpu_limit = 1, .cpus = {.id = (int[]){0}, .cnt = 1}};
	/* the frames come before the counts */
	struct {
		char front[BPROF_FRONT_SZ];
		struct bprof_cpu_stat stat;
	} mem = {.stat = {.overflows = 6,
			  .lost_overflow = 6,
			  .overflow_exits = 6,
			  .clock_slot = BPROF_CLOCK_SLOT}};
	struct bprof_cpu_stat *stat = &mem.stat;
	struct probes set = {.env = &env};
	struct probe p = {.set = &set,
			  .prog_fd = {-1, -1},
			  .stats = {.mem = &mem},
			  .stat_sz = sizeof(mem),
			  .front_sz = BPROF_FRONT_SZ,
			  .cpu_limit = 1,
			  .lost_overflow = (__u64[1]){}};
	struct target t = {.priv = &p};
	struct counts v[2] = {};

	assert_int_equal(probe__read(&t, false, &v[0], &v[1]), 0);
	assert_int_equal(v[0].lost[LOST_OVERFLOW], 6);
	stat->overflows += 3;
	assert_int_equal(probe__read(&t, false, &v[0], &v[1]), 0);
	assert_int_equal(v[0].lost[LOST_OVERFLOW], 6);
	/* they end; then the gate opens, and another run is lost */
	stat->overflow_exits += 3;
	stat->lost_overflow++;
	stat->overflows++;
	stat->overflow_exits++;
	assert_int_equal(probe__read(&t, false, &v[0], &v[1]), 0);
	assert_int_equal(v[0].lost[LOST_OVERFLOW], 7);
	probe__reset(&t, 0);
	assert_int_equal(probe__read(&t, false, &v[0], &v[1]), 0);
	assert_int_equal(v[0].lost[LOST_OVERFLOW], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pair),
		cmocka_unit_test(test_thinned_pair),
		cmocka_unit_test(test_called),
		cmocka_unit_test(test_fsession),
		cmocka_unit_test(test_merged),
		cmocka_unit_test(test_slowed),
		cmocka_unit_test(test_stale_frames),
		cmocka_unit_test(test_overflow),
		cmocka_unit_test(test_run_in_progress),
		cmocka_unit_test(test_closed_gate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
