// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests when a report notes that too many samples of a program were lost, when the cost of a sample
 * is known, and on which CPUs an event was not always sampled.
 */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>

#include "sampling/record_target.h"
#include "sampling/sampling.h"

static void test_note_losses(void **state)
{
	static const struct {
		const char *type;
		__u64 own, lost;
		int notes;
	} cases[] = {
		{"tracepoint", 0, 0, 0},   {"tracepoint", 0, 1, 1},	{"tracepoint", 99, 1, 1},
		{"tracepoint", 100, 1, 0}, {"tracepoint", 4000, 40, 0}, {"tracepoint", 4000, 41, 1},
		{"kprobe", 10, 5000, 1},   {"perf_event", 10, 5000, 1}, {"xdp", 10, 5000, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct report_notes notes = {};

		sampling__note_losses(cases[i].type, cases[i].own, cases[i].lost, &notes);
		if (notes.cnt != cases[i].notes)
			fail_msg("case %zu: %d notes", i, notes.cnt);
		for (int k = 0; k < notes.cnt; k++)
			free(notes.text[k]);
		free(notes.text);
	}
}

static void test_estimate_lost(void **state)
{
	static const struct {
		__u64 value, running_ns, samples, weight, last, period, lost;
	} cases[] = {
		{1000, 1e9, 10, 1000, 100, 100, 0},
		{1399, 1e9, 10, 1000, 100, 100, 3},
		{500, 1e9, 0, 0, 0, 100, 5},
		{0, 1e9, 0, 0, 0, 100, 0},
		/* With a frequency: the CPU is idle in a long period; it never had a sample. */
		{90000, 1e9, 100, 20000, 80000, 0, 0},
		{190000, 1e9, 100, 20000, 80000, 0, 2},
		{30, 1e9, 0, 0, 0, 0, 30},
		{1000000, 1e9, 0, 0, 0, 0, 4000},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sample_count event = {.value = cases[i].value,
					     .running_ns = cases[i].running_ns};
		struct bprof_ip_cpu cpu = {.samples = cases[i].samples,
					   .weight = cases[i].weight,
					   .period = cases[i].last};

		if (sampling__estimate_lost(&event, &cpu, cases[i].period, 4000) != cases[i].lost)
			fail_msg("case %zu", i);
	}
}

static void test_lost_too_many(void **state)
{
	static const struct {
		const char *type;
		__u64 own, lost, taken;
		bool too_many;
	} cases[] = {
		{"xdp", 10, 0, 10000, false},
		{"xdp", 10, 100, 10000, false},
		{"xdp", 10000, 101, 10000, true},
		{"xdp", 0, 3, 8, false},
		{"xdp", 0, 4, 8, true},
		{"kprobe", 99, 1, 10000, true},
		{"kprobe", 5000, 50, 10000, false},
		{"kprobe", 10000, 101, 10000, true},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct record_samples all = {.taken = cases[i].taken, .lost = cases[i].lost};

		if (sampling__lost_too_many(cases[i].type, cases[i].own, &all) != cases[i].too_many)
			fail_msg("case %zu", i);
	}
}

/*
 * Returns the cost of a sample that bprof calculates from cnt pairs of loops, around 4000 ns each.
 * In "with" of ten pairs, another task ran in the loop with samples; in "without" of ten, in the
 * other loop.
 */
static double settle(int cnt, int with, int without)
{
	double v[200];

	for (int i = 0; i < cnt; i++)
		v[i] = i % 10 < with ? 200000 : i % 10 < with + without ? -200000 : 4000 + i % 7;
	return sample_cost__settle(v, cnt);
}

static void test_cost(void **state)
{
	double noise[200];

	assert_true(isnan(settle(0, 0, 0)));
	assert_true(isnan(settle(10, 0, 0)));
	/* If other tasks ran in many of the loops, the cost is the same, or it is not known. */
	assert_true(fabs(settle(50, 0, 0) - 4003) <= 3);
	assert_true(fabs(settle(200, 2, 2) - 4003) <= 3);
	assert_true(fabs(settle(200, 4, 1) - 4003) <= 3);
	assert_true(isnan(settle(200, 5, 0)));
	assert_true(isnan(settle(200, 0, 6)));
	/* 100 costs of -2000 to 9900 ns are too few, 200 with half of this spread are enough. */
	for (int i = 0; i < 200; i++)
		noise[i] = -2000 + i * 37 % 100 * 120;
	assert_true(isnan(sample_cost__settle(noise, 100)));
	for (int i = 0; i < 200; i++)
		noise[i] = 1000 + i * 37 % 100 * 60;
	assert_true(fabs(sample_cost__settle(noise, 200) - 4000) <= 60);
}

static void test_gaps(void **state)
{
	static const struct {
		const char *sampled, *online, *gaps;
		__u64 enabled_ns[4];
	} cases[] = {
		{"0-3", "0-3", "", {}}, /* not enabled yet */
		{"0-3", "0-3", "", {1000e6, 990e6, 980e6, 920e6}},
		{"0-3", "0-3", "1,3", {1000e6, 890e6, 1000e6, 0}},
		{"0-3", "0-2", "1", {1000e6, 890e6, 1000e6, 0}},
		{"0,2", "0-5", "1,3-5", {1000e6, 1000e6}},
		{"4-7", "0-7", "0-3", {1000e6, 1000e6, 1000e6, 1000e6}},
		/* a busy machine enabled it late on CPU 1 for a short command */
		{"0-3", "0-3", "3", {20e6, 12e6, 20e6, 0}},
	};
	char text[64];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cpus sampled, online, gaps = {};

		assert_int_equal(cpus__parse(cases[i].sampled, &sampled, NULL), 0);
		assert_int_equal(cpus__parse(cases[i].online, &online, NULL), 0);
		sampling__find_gaps(&sampled, cases[i].enabled_ns, NULL, &online, &gaps);
		assert_string_equal(cpus__format(&gaps, text, sizeof(text)), cases[i].gaps);
		cpus__free(&sampled);
		cpus__free(&online);
		cpus__free(&gaps);
	}
}

/* On CPU 2, the event stopped a moment ago, after a long time. */
static void test_new_gap(void **state)
{
	static const __u64 before[] = {90000, 90000, 91000}, now[] = {91000, 91001, 91000};
	static const __u64 before_suspend[] = {90e9, 90e9, 90e9},
			   resumed[] = {91e9, 90.3e9, 90.95e9};
	static int id[] = {0, 1, 2};
	const struct cpus cpus = {id, 3};
	struct cpus gaps = {};

	sampling__find_gaps(&cpus, now, before, &cpus, &gaps);
	assert_int_equal(gaps.cnt, 1);
	assert_int_equal(gaps.id[0], 2);
	cpus__free(&gaps);
	/* it was offline for most of this interval, and is online again */
	sampling__find_gaps(&cpus, resumed, before_suspend, &cpus, &gaps);
	assert_int_equal(gaps.cnt, 1);
	assert_int_equal(gaps.id[0], 1);
	cpus__free(&gaps);
	/* nothing was sampled in between */
	sampling__find_gaps(&cpus, now, now, &cpus, &gaps);
	assert_int_equal(gaps.cnt, 0);
	cpus__free(&gaps);
}

/* A CPU with a gap that is offline when another one has a gap stays among the gaps. */
static void test_gap_of_offline_cpu(void **state)
{
	static const __u64 enabled_ns[][3] = {
		{900e6, 300e6, 900e6}, {1900e6, 300e6, 1000e6}, {2900e6, 300e6, 1000e6}};
	static const char *const online[] = {"0-2", "0,2", "0-2"};
	static const char *const want[] = {"1", "1-2", "1-2"};
	static int id[] = {0, 1, 2};
	const struct cpus sampled = {id, 3};
	struct cpus gaps = {}, now;
	char text[64];

	for (int i = 0; i < 3; i++) {
		assert_int_equal(cpus__parse(online[i], &now, NULL), 0);
		sampling__find_gaps(&sampled, enabled_ns[i], NULL, &now, &gaps);
		assert_string_equal(cpus__format(&gaps, text, sizeof(text)), want[i]);
		cpus__free(&now);
	}
	cpus__free(&gaps);
}

/* bprof record: each program's note names the CPUs on which runs were not sampled. */
static void test_note_gaps(void **state)
{
	static int id[] = {2, 3, 7};
	const struct cpus none = {}, gaps = {id, 3};
	struct record *r = record__new();

	r->event = strdup("cycles");
	for (int i = 0; i < 2; i++)
		record__add_prog(r);
	record__note_gaps(r, &none);
	assert_int_equal(r->prog[0].notes.cnt, 0);
	record__note_gaps(r, &gaps);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(r->prog[i].notes.cnt, 1);
		assert_string_equal(r->prog[i].notes.text[0],
				    "cycles was not always sampled on CPU 2-3,7: samples of runs "
				    "there are missing");
	}
	record__free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_note_gaps),     cmocka_unit_test(test_note_losses),
		cmocka_unit_test(test_lost_too_many), cmocka_unit_test(test_estimate_lost),
		cmocka_unit_test(test_cost),	      cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_new_gap),	      cmocka_unit_test(test_gap_of_offline_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
