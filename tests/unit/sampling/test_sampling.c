// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests when a report notes that too many samples of a program were lost.
 */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_note_losses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
