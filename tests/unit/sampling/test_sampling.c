// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests when a report notes that too many samples of a program were lost, and when the cost of a sample
 * is known.
 */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <setjmp.h>
#include <cmocka.h>

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

/*
 * Makes the cost of cnt pairs of loops: around 4000 ns. Of ten pairs, "with" contain another task in the
 * loop with samples, and "without" contain one in the other loop.
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
	/* Tasks in many of the loops change nothing, or the cost is not known. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_note_losses),
		cmocka_unit_test(test_cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
