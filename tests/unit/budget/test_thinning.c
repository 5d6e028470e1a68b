// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests thinning: the argument of --sample, and the choice of periods for made-up rates of runs. A
 * simulated probe uses period, quota and countdown as bpf/probe_frames.bpf.h does, and adds up the probe's
 * overhead.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "backend/probe_stat.h"
#include "base/random.h"
#include "base/util.h"
#include "budget/thinning.h"

#define MS 1000000ULL
#define INTERVAL (THINNING_ADJUST_MS * MS)
#define MEASURED_NS 600
#define SKIPPED_NS 30
#define MAX_TARGETS 100

/* A CPU with its targets, and the state of their probes. */
struct sim {
	struct thinning_cpu cpu;
	struct thinning_target t[MAX_TARGETS];
	int cnt;
	__u64 countdown[MAX_TARGETS], rest[MAX_TARGETS];
	__u64 random;
	__u64 counting_ns, measuring_ns; /* overhead of the probes in the last interval */
};

/*
 * Starts a simulation of cnt targets. The overhead may take a share of the CPU's time: "share" is
 * in hundredths of a percent.
 */
static struct sim *start(struct sim *s, int cnt, int share)
{
	memset(s, 0, sizeof(*s));
	s->cnt = cnt;
	s->cpu.share = THINNING_FULL_SHARE / 10000 * share;
	s->cpu.cost = (struct probe_cost){MEASURED_NS, SKIPPED_NS};
	thinning__plan(&s->cpu, s->t, cnt, 0, INTERVAL);
	return s;
}

/*
 * Simulates an interval of "ns" nanoseconds with runs[i] runs of target i, and then adjusts the
 * periods.
 */
static void pass(struct sim *s, const __u64 *runs, __u64 ns)
{
	__u64 over = thinning__over_period(&s->cpu);

	s->counting_ns = s->measuring_ns = 0;
	for (int i = 0; i < s->cnt; i++) {
		struct thinning_target *t = &s->t[i];
		__u64 period, place;

		t->seen = runs[i];
		t->measured = 0;
		for (__u64 run = 0; run < runs[i];) {
			if (s->countdown[i]) {
				__u64 skip = s->countdown[i] < runs[i] - run ? s->countdown[i]
									     : runs[i] - run;

				run += skip;
				s->countdown[i] -= skip;
				s->counting_ns += skip * SKIPPED_NS;
				continue;
			}
			period = t->measured < t->quota ? t->period : over;
			place = random__next(&s->random) % period;
			s->countdown[i] = s->rest[i] + place;
			s->rest[i] = period - 1 - place;
			t->measured++;
			s->measuring_ns += MEASURED_NS;
			run++;
		}
	}
	thinning__plan(&s->cpu, s->t, s->cnt, ns, INTERVAL);
	for (int i = 0; i < s->cnt; i++) {
		struct bprof_cpu_stat stat = {.countdown = s->countdown[i], .rest = s->rest[i]};

		if (s->t[i].quota)
			probe_stat__shorten_block(&stat, s->t[i].period);
		s->countdown[i] = stat.countdown;
		s->rest[i] = stat.rest;
	}
}

static __u64 share_ns(const struct sim *s, __u64 ns)
{
	return ns * s->cpu.share / THINNING_FULL_SHARE;
}

static __u64 added_ns(const struct sim *s)
{
	return s->counting_ns + s->measuring_ns;
}

/* ---- the argument of --sample ---- */

static void test_parse(void **state)
{
	static const struct {
		const char *arg;
		__u64 period;
		__u32 share;
	} good[] = {
		{"1", 1, 0},
		{"16", 16, 0},
		{"4294967296", 4294967296, 0},
		{"auto", 1, 10000},
		{"auto:1", 1, 10000},
		{"auto:1%", 1, 10000},
		{"auto:0.5%", 1, 5000},
		{"auto:2", 1, 20000},
		{"auto:12.3456%", 1, 123456},
		{"auto:0.01", 1, 100},
		{"auto:100%", 1, 1000000},
		{"auto:100.0000", 1, 1000000},
	};
	static const char *const bad[] = {
		"",
		"0",
		"-1",
		"x",
		"1.5",
		"4294967297",
		"auto:",
		"auto:%",
		"auto:0",
		"auto:0.009",
		"auto:0.0099%",
		"auto:.5",
		"auto:1.",
		"auto:-1",
		"auto:1e1",
		"auto:101",
		"auto:100.01",
		"autos",
		"auto 1",
		"Auto",
		"auto:1%%",
		"auto:1 %",
		"auto:nan",
		"auto:0x1",
		"auto:1.23456",
		"auto:99999999999999999999",
	};
	__u64 period;
	__u32 share;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		share = 77;
		assert_int_equal(thinning__parse(good[i].arg, &period, &share), 0);
		assert_int_equal(period, good[i].period);
		assert_int_equal(share, good[i].share);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		period = 5;
		share = 7;
		if (thinning__parse(bad[i], &period, &share) != -EINVAL)
			fail_msg("'%s' is taken", bad[i]);
		/* after an error, the earlier value is kept */
		assert_int_equal(period, 5);
		assert_int_equal(share, 7);
	}
}

/* ---- thinning of one target ---- */

/*
 * At these low rates, measuring every run from the first one on stays within the allowed share of
 * CPU time.
 */
static void test_low_rate(void **state)
{
	static const __u64 rates[] = {0, 1, 7, 100, 1000, 1250};
	struct sim s;

	for (size_t i = 0; i < ARRAY_SIZE(rates); i++) {
		start(&s, 1, 100);
		for (int k = 0; k < 50; k++) {
			assert_int_equal(s.t[0].period, 1);
			pass(&s, &rates[i], INTERVAL);
			assert_int_equal(s.t[0].measured, rates[i]);
			assert_true(added_ns(&s) <= share_ns(&s, INTERVAL));
		}
	}
}

/*
 * At these rates, merely counting the runs takes less than half of the allowed share of CPU time.
 * The overhead stays below the share, and most of the share is used. This holds from the second
 * interval on, because the first one starts without a known rate.
 */
static void test_constant_rate(void **state)
{
	static const int shares[] = {1, 50, 100, 500, 2000};
	struct sim s;

	for (size_t i = 0; i < ARRAY_SIZE(shares); i++) {
		for (__u64 runs = 1;
		     runs * SKIPPED_NS < share_ns(start(&s, 1, shares[i]), INTERVAL) / 2;
		     runs = runs * 3 / 2 + 1) {
			__u64 period = 0, all_ns = runs * MEASURED_NS;

			start(&s, 1, shares[i]);
			pass(&s, &runs, INTERVAL);
			for (int k = 0; k < 20; k++) {
				pass(&s, &runs, INTERVAL);
				if (added_ns(&s) > share_ns(&s, INTERVAL))
					fail_msg("%llu runs add %llu ns, of %llu", runs,
						 added_ns(&s), share_ns(&s, INTERVAL));
				/*
				 * at least a quarter of the allowed share is used, unless the
				 * period is at its minimum of 3
				 */
				if (4 * added_ns(&s) + 4 * MEASURED_NS < share_ns(&s, INTERVAL) &&
				    s.t[0].measured < runs)
					fail_msg("%llu runs of %llu measured, %llu ns of %llu",
						 s.t[0].measured, runs, added_ns(&s),
						 share_ns(&s, INTERVAL));
				/*
				 * at a constant rate the period does not change any more, once the
				 * overhead of the start has been compensated
				 */
				if (k > 10)
					assert_int_equal(s.t[0].period, period);
				period = s.t[0].period;
			}
			if (2 * all_ns < share_ns(&s, INTERVAL))
				assert_int_equal(period, 1);
		}
	}
}

/* If the rate varies by a tenth, the period stays within a narrow range. */
static void test_no_oscillation(void **state)
{
	static const __u64 runs[] = {10000, 11000, 9000, 10500, 9900, 11000, 9000, 9000};
	__u64 min = ~0ULL, max = 0;
	struct sim s;

	start(&s, 1, 100);
	for (int k = 0; k < 100; k++) {
		pass(&s, &runs[k % ARRAY_SIZE(runs)], INTERVAL);
		assert_true(k < 2 || added_ns(&s) <= share_ns(&s, INTERVAL));
		if (k < 10)
			continue;
		min = s.t[0].period < min ? s.t[0].period : min;
		max = s.t[0].period > max ? s.t[0].period : max;
	}
	assert_true(min >= 9 && max <= 15);
}

/*
 * If counting alone exceeds the allowed share of CPU time, a few runs are still measured. This
 * takes at most an eighth of the share.
 */
static void test_counting_is_too_much(void **state)
{
	static const __u64 runs[] = {50000, 1000000, 3000000};
	struct sim s;

	for (size_t i = 0; i < ARRAY_SIZE(runs); i++) {
		start(&s, 1, 100);
		for (int k = 0; k < 20; k++) {
			pass(&s, &runs[i], INTERVAL);
			if (!k)
				continue;
			assert_true(k < 5 || s.measuring_ns >= share_ns(&s, INTERVAL) / 16);
			assert_true(s.measuring_ns <= share_ns(&s, INTERVAL) / 8 + 2 * MEASURED_NS);
		}
	}
}

/* ---- bursts of runs ---- */

/*
 * In an unexpected burst, some runs are measured, and the overhead of measuring is within the
 * allowed share of CPU time.
 */
static void test_burst(void **state)
{
	static const __u64 none, some = 20;
	struct sim s;

	for (__u64 burst = 1000; burst <= INTERVAL / SKIPPED_NS; burst *= 3) {
		for (int idle = 0; idle < 3; idle++) {
			start(&s, 1, 100);
			for (int k = 0; k < 10 * idle; k++)
				pass(&s, idle == 1 ? &none : &some, INTERVAL);
			pass(&s, &burst, INTERVAL);
			if (s.measuring_ns > share_ns(&s, INTERVAL) + MEASURED_NS)
				fail_msg("a burst of %llu runs: %llu of them measured", burst,
					 s.t[0].measured);
			/* the period grows at once */
			assert_true(s.t[0].period * 100000 >= burst / 2);
		}
	}
}

/* After the burst the period falls gradually, until every run is measured again. */
static void test_after_a_burst(void **state)
{
	const __u64 burst = 100000, calm = 100;
	__u64 before;
	struct sim s;
	int intervals = 0;

	start(&s, 1, 500);
	for (int k = 0; k < 5; k++)
		pass(&s, &burst, INTERVAL);
	before = s.t[0].period;
	assert_true(before > 10);
	while (s.t[0].period > 1) {
		pass(&s, &calm, INTERVAL);
		/* in one interval, the period falls by a half at most */
		assert_true(s.t[0].period * 2 + 4 >= before);
		before = s.t[0].period;
		assert_true(++intervals < 30);
	}
	assert_true(intervals >= 5);
	pass(&s, &calm, INTERVAL);
	assert_int_equal(s.t[0].measured, calm);
}

/*
 * Bursts after pauses that are long enough for the expected rate to fall to 0: the first runs of a
 * burst are measured no more often than the last ones.
 */
static void test_bursts_after_pauses(void **state)
{
	static const __u64 sizes[] = {20000, 3000, 20000, 17000};
	struct sim s;

	start(&s, 5, 100);
	for (size_t k = 0; k < ARRAY_SIZE(sizes) * 10; k++) {
		__u64 runs[5] = {sizes[k % ARRAY_SIZE(sizes)]}, none[5] = {};

		for (int i = 0; i < 100; i++)
			pass(&s, none, INTERVAL);
		assert_int_equal(s.t[0].rate, 0);
		if (k) {
			assert_true(s.t[0].period > 10);
			/* the burst does not use up the quota */
			assert_true(s.t[0].quota * s.t[0].period >= runs[0] * 3 / 4);
		}
		/* other targets get as much as before the burst, and each of their runs is measured */
		assert_int_equal(s.t[1].period, 1);
		assert_true(s.t[1].quota >= s.t[0].quota);
		pass(&s, runs, INTERVAL);
	}
	/* after more than a minute, no burst is expected */
	for (int i = 0; i < 600; i++)
		pass(&s, (const __u64[5]){}, INTERVAL);
	assert_true(s.t[0].period > 1);
	for (int i = 0; i < 110; i++)
		pass(&s, (const __u64[5]){}, INTERVAL);
	assert_int_equal(s.t[0].period, 1);
}

/* Load and idle intervals alternate: the mean overhead is below the allowed share of CPU time. */
static void test_on_and_off(void **state)
{
	static const __u64 runs[] = {40000, 0, 0};
	__u64 added = 0;
	struct sim s;

	start(&s, 1, 200);
	for (int k = 0; k < 300; k++) {
		pass(&s, &runs[k % ARRAY_SIZE(runs)], INTERVAL);
		added += added_ns(&s);
	}
	assert_true(added <= 300 * share_ns(&s, INTERVAL));
	assert_true(added >= 300 * share_ns(&s, INTERVAL) / 10);
}

/*
 * At the start the probe may use up part of the CPU time that is allowed for a full interval. If
 * the first adjustment comes before the end of that interval, this is too much, and later intervals
 * use less to compensate.
 */
static void test_early_first_adjustment(void **state)
{
	const __u64 per_ms = 1000;
	__u64 added = 0, runs = per_ms * THINNING_FIRST_ADJUST_MS;
	struct sim s;

	start(&s, 1, 500);
	pass(&s, &runs, THINNING_FIRST_ADJUST_MS * MS);
	added = added_ns(&s);
	runs = per_ms * THINNING_ADJUST_MS;
	for (int k = 0; k < 3; k++) {
		pass(&s, &runs, INTERVAL);
		added += added_ns(&s);
	}
	assert_true(added <= share_ns(&s, THINNING_FIRST_ADJUST_MS * MS + 3 * INTERVAL));
}

/* A few runs in a very short interval do not show a rate, so every run is still measured. */
static void test_no_time(void **state)
{
	static const __u64 runs = 20;
	struct sim s;

	start(&s, 1, 100);
	for (int k = 0; k < 10; k++) {
		pass(&s, &runs, MS / 10);
		assert_int_equal(s.t[0].measured, runs);
		assert_int_equal(s.t[0].period, 1);
	}
}

/*
 * The periods are adjusted much more often than usual, each time before the previous quota of runs
 * is used up. The overhead must stay near the allowed share of CPU time.
 */
static void test_short_repeats(void **state)
{
	__u64 added = 0, runs = 10000;
	struct sim s;

	start(&s, 1, 500);
	for (int k = 0; k < 100; k++) {
		pass(&s, &runs, INTERVAL / 10);
		added += added_ns(&s);
	}
	/* the allowed share is 5 %, and counting alone takes 3 % */
	assert_true(added <= share_ns(&s, 10 * INTERVAL) * 5 / 4);
}

/*
 * A late adjustment finds more runs. Their overhead is below the allowed share of the longer time.
 */
static void test_late_adjustment(void **state)
{
	__u64 runs = 20000, before;
	struct sim s;

	start(&s, 1, 100);
	for (int k = 0; k < 5; k++)
		pass(&s, &runs, INTERVAL);
	before = s.t[0].period;
	assert_true(before > 10);
	runs *= 20;
	pass(&s, &runs, 20 * INTERVAL);
	assert_true(s.measuring_ns <= share_ns(&s, 20 * INTERVAL));
	/* the period does not change, because the rate was the same as before */
	assert_int_equal(s.t[0].period, before);
}

/* ---- thinning of several targets ---- */

/*
 * Rarely run targets beside busy ones are measured on every run, and the overhead of all targets is
 * within the allowed share of CPU time.
 */
static void test_rare_and_frequent(void **state)
{
	static const __u64 runs[] = {15000, 3, 5000, 0, 100};
	struct sim s;

	start(&s, ARRAY_SIZE(runs), 100);
	for (int k = 0; k < 20; k++) {
		pass(&s, runs, INTERVAL);
		if (k < 2)
			continue;
		assert_true(added_ns(&s) <= share_ns(&s, INTERVAL));
		assert_int_equal(s.t[1].measured, 3);
		assert_int_equal(s.t[4].measured, 100);
		/* the two busy targets are measured about equally often */
		assert_true(s.t[0].period > s.t[2].period);
		assert_true(s.t[0].measured * 3 > s.t[2].measured * 2 &&
			    s.t[2].measured * 3 > s.t[0].measured * 2);
	}
}

/*
 * Part of the allowed share of CPU time is reserved for the first runs of a target that was idle.
 */
static void test_rare_wakes_up(void **state)
{
	static const __u64 before[] = {15000, 0}, then[] = {15000, 30};
	struct sim s;

	start(&s, 2, 100);
	for (int k = 0; k < 10; k++)
		pass(&s, before, INTERVAL);
	pass(&s, then, INTERVAL);
	assert_int_equal(s.t[1].measured, 30);
	assert_true(added_ns(&s) <= share_ns(&s, INTERVAL));
}

/*
 * If many targets have a burst at once, the overhead of all targets together stays near the allowed
 * share of CPU time.
 */
static void test_all_burst(void **state)
{
	__u64 runs[MAX_TARGETS];
	struct sim s;

	start(&s, MAX_TARGETS, 100);
	for (int i = 0; i < MAX_TARGETS; i++)
		runs[i] = 300;
	pass(&s, runs, INTERVAL);
	/* each target's first run is always measured */
	assert_true(s.measuring_ns <= share_ns(&s, INTERVAL) + MAX_TARGETS * MEASURED_NS);
	for (int k = 0; k < 5; k++)
		pass(&s, runs, INTERVAL);
	assert_true(added_ns(&s) <= share_ns(&s, INTERVAL) * 11 / 8);
}

/*
 * If the part of the allowed CPU time that a target gets is too small for one run in each interval,
 * the parts add up until they allow a run.
 */
static void test_small_parts_add_up(void **state)
{
	__u64 runs[MAX_TARGETS], measured = 0, added = 0;
	struct sim s;

	/* an allowed share of 0.01 %: 100 ns for each target in each interval */
	start(&s, MAX_TARGETS, 1);
	for (int i = 0; i < MAX_TARGETS; i++)
		runs[i] = 1;
	for (int k = 0; k < 100; k++) {
		pass(&s, runs, INTERVAL);
		added += added_ns(&s);
		for (int i = 0; k >= 20 && i < MAX_TARGETS; i++)
			measured += s.t[i].measured;
	}
	assert_true(measured >= MAX_TARGETS);
	assert_true(added <= 100 * share_ns(&s, INTERVAL) + MAX_TARGETS * MEASURED_NS);
}

/* ---- extreme rates and shares ---- */

static void test_extremes(void **state)
{
	static const struct probe_cost costs[] = {{2, 1}, {1000000, 1}, {1000000, 999999}};
	static const __u64 runs[] = {0, 1, 1ULL << 40, ~0ULL >> 30};
	static const __u64 elapsed[] = {1, INTERVAL, 1ULL << 42};

	for (size_t c = 0; c < ARRAY_SIZE(costs); c++)
		for (size_t r = 0; r < ARRAY_SIZE(runs); r++)
			for (size_t e = 0; e < ARRAY_SIZE(elapsed); e++) {
				struct thinning_cpu cpu = {.share = 100, .cost = costs[c]};
				struct thinning_target t = {.seen = runs[r]};

				thinning__plan(&cpu, &t, 1, elapsed[e], INTERVAL);
				assert_true(t.period >= 1);
				assert_true(t.period == 1 || runs[r]);
				assert_true(thinning__over_period(&cpu) >= 1);
			}
	/* without targets, nothing happens */
	thinning__plan(&(struct thinning_cpu){.share = 100, .cost = costs[0]}, NULL, 0, INTERVAL,
		       INTERVAL);
}

/*
 * If an adjustment takes long, adjustments are made rarely, so that they take at most a sixteenth
 * of the allowed share of CPU time.
 */
static void test_min_interval(void **state)
{
	assert_int_equal(thinning__min_interval(10000, 0), INTERVAL);
	assert_int_equal(thinning__min_interval(10000, 62500), INTERVAL);
	assert_int_equal(thinning__min_interval(10000, 1000000), 1600 * MS);
	assert_int_equal(thinning__min_interval(1000000, 1000000), INTERVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_low_rate),
		cmocka_unit_test(test_constant_rate),
		cmocka_unit_test(test_no_oscillation),
		cmocka_unit_test(test_counting_is_too_much),
		cmocka_unit_test(test_burst),
		cmocka_unit_test(test_after_a_burst),
		cmocka_unit_test(test_bursts_after_pauses),
		cmocka_unit_test(test_on_and_off),
		cmocka_unit_test(test_early_first_adjustment),
		cmocka_unit_test(test_no_time),
		cmocka_unit_test(test_short_repeats),
		cmocka_unit_test(test_late_adjustment),
		cmocka_unit_test(test_rare_and_frequent),
		cmocka_unit_test(test_rare_wakes_up),
		cmocka_unit_test(test_all_burst),
		cmocka_unit_test(test_small_parts_add_up),
		cmocka_unit_test(test_extremes),
		cmocka_unit_test(test_min_interval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
