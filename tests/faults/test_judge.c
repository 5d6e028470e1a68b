// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the verdicts of clean__judge() on made-up outputs of runs in which a call failed: for each kind of
 * error there is an output that has this error.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/faults/judge.h"

#define TABLE "NAME  RUNS\nxdp_lb  1,000\n"
#define USUAL "bprof: cannot follow moves between cgroups\n"
#define WHY "bprof: event cycles: out of memory\n"
#define WHOLE "{\"name\": \"xdp_lb\", \"runs\": 1000}"
#define EXITED(status) ((status) << 8)

static const struct {
	int status;
	char *out, *err, *file;
	enum verdict verdict;
} cases[] = {
	{EXITED(0), TABLE, USUAL, WHOLE, RUN_GOOD},
	{EXITED(0), "NAME  RUNS\nxdp_lb  7\n", USUAL, "{\"name\": \"xdp_lb\", \"runs\": 7}",
	 RUN_GOOD},
	{EXITED(1), "", USUAL WHY, AS_IT_WAS, RUN_GOOD},
	{EXITED(4), "", WHY, AS_IT_WAS, RUN_GOOD},
	{EXITED(1), TABLE, WHY, WHOLE, RUN_GOOD},
	/* without a message that clean runs do not print */
	{EXITED(1), "", "", AS_IT_WAS, RUN_SILENT},
	{EXITED(1), "", USUAL, AS_IT_WAS, RUN_SILENT},
	{EXITED(1), TABLE, USUAL, WHOLE, RUN_SILENT},
	/* less output, with and without a message */
	{EXITED(0), "NAME  RUNS\n", USUAL, WHOLE, RUN_MISSING},
	{EXITED(0), TABLE, USUAL, "{\"name\": \"xdp_lb\"}", RUN_MISSING},
	{EXITED(0), TABLE, USUAL, AS_IT_WAS, RUN_MISSING},
	{EXITED(0), "NAME  RUNS\n", WHY, WHOLE, RUN_DEGRADED},
	/* an output file that is neither complete nor unchanged */
	{EXITED(1), "", WHY, "{\"name\": \"xdp_lb\"", RUN_TORN_FILE},
	{EXITED(1), "", WHY, "", RUN_TORN_FILE},
	{EXITED(1), "", WHY, NULL, RUN_TORN_FILE},
	{EXITED(2), "", WHY, AS_IT_WAS, RUN_WRONG_STATUS},
	{EXITED(5), TABLE, WHY, WHOLE, RUN_WRONG_STATUS},
	{EXITED(99) /* the sanitizers */, "", WHY, AS_IT_WAS, RUN_CRASHED},
	{11, TABLE, WHY, WHOLE, RUN_CRASHED},
};

static void test_verdicts(void **state)
{
	struct output good = {.status = EXITED(0), .out = TABLE, .err = USUAL, .file = WHOLE};
	struct clean clean = {};

	assert_true(clean__add(&clean, &good));
	assert_true(clean__add(&clean, &good));
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct output o = {.status = cases[i].status,
				   .out = cases[i].out,
				   .err = cases[i].err,
				   .file = cases[i].file};
		const char *missing;
		int messages;
		enum verdict v = clean__judge(&clean, &o, false, &messages, &missing);

		if (v != cases[i].verdict)
			print_error("case %zu: %s, not %s\n", i, verdict_names[v],
				    verdict_names[cases[i].verdict]);
		assert_int_equal(v, cases[i].verdict);
	}
	clean__free(&clean);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_verdicts)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
