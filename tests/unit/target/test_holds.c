// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests how the results of the search for holders of programs are combined, and the unit of the JIT's memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>
#include <linux/bpf.h>

#include "target/holds_priv.h"
#include "target/jit_memory.h"

static void test_found_and_doubted(void **state)
{
	struct hold_prog progs[] = {
		{.id = 3, .type = BPF_PROG_TYPE_XDP, .open = true},
		{.id = 5, .type = BPF_PROG_TYPE_XDP, .open = true},
		{.id = 8, .type = BPF_PROG_TYPE_TRACING, .open = true},
		{.id = 9, .type = BPF_PROG_TYPE_TRACING, .own = true},
	};
	struct hold_search s = {progs, 4};

	(void)state;
	hold_search__found(&s, 3, "pin %s", "/a");
	hold_search__found(&s, 3, "pin %s", "/b"); /* the first one is enough */
	hold_search__found(&s, 4, NULL);	   /* was loaded later */
	assert_false(progs[0].open);
	assert_string_equal(progs[0].by, "pin /a");
	assert_true(hold_search__wants(&s, BPF_PROG_TYPE_XDP));
	hold_search__doubt(&s, BPF_PROG_TYPE_XDP, "namespace %d", 1);
	hold_search__doubt(&s, 0, "all");
	assert_null(progs[0].why);
	assert_string_equal(progs[1].why, "namespace 1");
	assert_string_equal(progs[2].why, "all");
	assert_null(progs[3].why);
	/* The holder of this program is known, although not everything could be searched. */
	hold_search__found(&s, 5, NULL);
	assert_false(hold_search__wants(&s, BPF_PROG_TYPE_XDP));
	assert_true(hold_search__wants(&s, 0));
	for (int i = 0; i < 4; i++) {
		free(progs[i].by);
		free(progs[i].why);
	}
}

static void test_sums(void **state)
{
	struct hold v[] = {{.prog_id = 3, .state = HOLD_UNHELD, .memory = 4096},
			   {.prog_id = 5, .state = HOLD_UNKNOWN, .memory = 1},
			   {.prog_id = 8, .state = HOLD_UNHELD, .memory = 8192}};
	struct holds h = {v, 3};
	__u64 memory;

	(void)state;
	assert_int_equal(holds__count(&h, HOLD_UNHELD, &memory), 2);
	assert_int_equal(memory, 12288);
	assert_int_equal(holds__count(&h, HOLD_OTHER, &memory), 0);
	assert_int_equal(memory, 0);
	assert_ptr_equal(holds__of(&h, 8), &v[2]);
	assert_null(holds__of(&h, 7));
	assert_null(holds__of(&h, 9));
}

/* The kernel's number is of pages (before Linux 5.17) or of bytes, and is never below what the code needs. */
static void test_jit_unit(void **state)
{
	(void)state;
	assert_int_equal(jit_memory__to_bytes(12, 5000), 12 * sysconf(_SC_PAGESIZE));
	assert_int_equal(jit_memory__to_bytes(5056, 5000), 5056);
	assert_int_equal(jit_memory__to_bytes(5000, 5000), 5000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found_and_doubted),
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_jit_unit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
