// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the names of places in a program's code.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/util.h"
#include "target/call_sites.h"

static struct bpf_line lines[] = {
	{.insn_off = 0, .line = 10, .file = "/src/lb/lb.bpf.c"},
	{.insn_off = 4, .line = 12, .file = "./lb.h"},
	{.insn_off = 9, .line = 41, .file = "lb.bpf.c"},
};

static void assert_name(const struct call_sites *s, __u32 first, __u32 i, const char *want)
{
	char *name = call_sites__name(s, first, i);

	assert_string_equal(name, want);
	free(name);
}

static void test_names(void **state)
{
	const struct call_sites s = {.code = {.line = lines, .line_cnt = ARRAY_SIZE(lines)}},
				none = {};

	assert_name(&s, 0, 0, "lb.bpf.c:10");
	assert_name(&s, 0, 3, "lb.bpf.c:10");
	assert_name(&s, 0, 4, "lb.h:12");
	assert_name(&s, 0, 100, "lb.bpf.c:41");
	/* a function without lines does not have those of the one before it */
	assert_name(&s, 6, 7, "insn 7");
	assert_name(&s, 6, 9, "lb.bpf.c:41");
	assert_name(&none, 0, 17, "insn 17");
}

/* Without the program's code, no place is known. */
static void test_no_code(void **state)
{
	const struct call_sites none = {};
	const __u64 target[] = {4711, 4712};
	__u64 returns[] = {1, 2};

	call_sites__find(&none, 0, target, returns, ARRAY_SIZE(target));
	assert_int_equal(returns[0], 0);
	assert_int_equal(returns[1], 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_no_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
