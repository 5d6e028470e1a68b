// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests what is read from the verifier's log. The texts are those of real kernels.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/util.h"
#include "btf/call_graph.h"
#include "kernel/verifier_log.h"

static void test_stats(void **state)
{
	static const struct {
		const char *log;
		long insns, peak_states, usec;
		int func_cnt;
		__u32 first, last;
	} cases[] = {
		{"verification time 52 usec\nstack depth 8+16+0\nprocessed 1234 insns (limit "
		 "1000000) max_states_per_insn 1 total_states 3 peak_states 3 mark_read 1\n",
		 1234, 3, 52, 3, 8, 0},
		{"verification time 52 usec\nstack depth 512\nprocessed 2 insns (limit 1)\n", 2, -1,
		 52, 1, 512, 512},
		{"stack depth 8 max 24\nprocessed 2 insns", 2, -1, -1, 1, 8, 8},
		{"", -1, -1, -1, 0, 0, 0},
		{"stack depth \nprocessed insns\n", -1, -1, -1, 0, 0, 0},
		{"stack depth 8+\n", -1, -1, -1, 0, 0, 0},
		{"stack depth", -1, -1, -1, 0, 0, 0},
		/* this text is not at the beginning of a line */
		{"; stack depth 9\n; processed 3 insns\n", -1, -1, -1, 0, 0, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct verifier_stats stats;

		verifier_log__read_stats(cases[i].log, &stats);
		assert_int_equal(stats.insns, cases[i].insns);
		assert_int_equal(stats.peak_states, cases[i].peak_states);
		assert_int_equal(stats.usec, cases[i].usec);
		assert_int_equal(stats.func_cnt, cases[i].func_cnt);
		if (!stats.func_cnt)
			continue;
		assert_int_equal(stats.stack[0], cases[i].first);
		assert_int_equal(stats.stack[stats.func_cnt - 1], cases[i].last);
	}
}

/* If the log has too many functions, no function is reported, instead of only some. */
static void test_many_funcs(void **state)
{
	struct verifier_stats stats;
	char log[2048] = "stack depth 0";

	for (int i = 1; i < VERIFIER_MAX_FUNCS; i++)
		strcat(log, "+8");
	verifier_log__read_stats(log, &stats);
	assert_int_equal(stats.func_cnt, VERIFIER_MAX_FUNCS);
	strcat(log, "+8");
	verifier_log__read_stats(log, &stats);
	assert_int_equal(stats.func_cnt, 0);
}

/* Function 0 calls 1 and 2, 1 calls 3, and 2 calls 4. 5 is a callback that runs later. */
static void test_deepest(void **state)
{
	struct verifier_stats stats = {
		.stack = {8, 16, 64, 256, 128, 512},
		.func_cnt = 6,
	};
	__u8 calls[6][6] = {};

	calls[0][1] = calls[0][2] = calls[1][3] = calls[2][4] = CALL_NOW;
	calls[0][5] = CALL_LATER; /* on a stack of its own */
	assert_int_equal(verifier_stats__deepest(&stats, calls[0]), 8 + 16 + 256);
	stats.stack[1] = 0;
	stats.stack[3] = 0;
	assert_int_equal(verifier_stats__deepest(&stats, calls[0]), 8 + 64 + 128);
	/* The verifier refuses recursion. If the log still shows it, the search must end. */
	calls[4][4] = CALL_NOW;
	assert_true(verifier_stats__deepest(&stats, calls[0]) > 8 + 64 + 128);
}

/* Tests eight nested calls, which is the maximum. */
static void test_longest(void **state)
{
	struct verifier_stats stats = {.func_cnt = 8};
	__u8 calls[8][8] = {};

	for (int i = 0; i < 8; i++) {
		stats.stack[i] = 1 << i;
		if (i)
			calls[i - 1][i] = CALL_NOW;
	}
	assert_int_equal(verifier_stats__deepest(&stats, calls[0]), 255);
}

static void join(const char *line, size_t len, void *arg)
{
	char *text = arg;

	sprintf(text + strlen(text), "%.*s|", (int)len, line);
}

/* From Linux 7.3, shortened. */
#define REPORT                                                               \
	"0: (bf) r0 = r5\n"                                                  \
	"R5 !read_ok\n\n"                                                    \
	"Verification failed: Register Type Safety: Unreadable register\n\n" \
	"Reason:\n"                                                          \
	"  R5 has never been initialized on this path\n\n"                   \
	"Suggestion:\n"                                                      \
	"  Initialize R5 on every path before this instruction.\n\n"         \
	"processed 1 insns (limit 1000000) max_states_per_insn 0 total_states 0\n"

static void test_tail(void **state)
{
	static const struct {
		const char *log;
		int cnt;
		const char *want;
	} cases[] = {
		{"1\n2\n\n3\nprocessed 3 insns (limit 1)\n\n", 2, "2|3|"},
		{"1\n2\n\n3\nprocessed 3 insns (limit 1)\n", 3, "1|2|3|"},
		{"1\n2", 10, "1|2|"},
		{"\n \n1\n", 1, "1|"},
		{"\n1\n", 2, "1|"},
		{"", 10, ""},
		{"\n", 10, ""},
		{"processed 3 insns", 10, ""},
		{REPORT, 1, "R5 !read_ok|"},
		{REPORT, 10, "0: (bf) r0 = r5|R5 !read_ok|"},
		{"\nVerification failed: 1\n2\n", 10, "Verification failed: 1|2|"},
		{"1 Verification failed: 2\n", 1, "1 Verification failed: 2|"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char text[256] = "";

		verifier_log__tail(cases[i].log, cases[i].cnt, join, text);
		assert_string_equal(text, cases[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stats),	cmocka_unit_test(test_many_funcs),
		cmocka_unit_test(test_deepest), cmocka_unit_test(test_longest),
		cmocka_unit_test(test_tail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
