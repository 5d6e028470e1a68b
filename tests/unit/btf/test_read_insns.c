// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tests which instructions bprof asks the kernel for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <unistd.h>

#include "btf/call_graph.h"
#include "btf/prog.h"

static int read_insns(__u32 cnt)
{
	struct prog p = {.fd = -1};
	struct bpf_insn *insns;

	p.info.xlated_prog_len = cnt * sizeof(*insns);
	return prog__read_insns(&p, &insns, &cnt);
}

/* -E2BIG means that bprof did not ask the kernel. If it asks, the call fails, because there is no such program. */
static void test_too_long(void **state)
{
	bool small_pages = sysconf(_SC_PAGESIZE) == 4096;

	assert_int_not_equal(read_insns(524288), -E2BIG);
	assert_int_equal(read_insns(524289) == -E2BIG, small_pages);
	assert_int_equal(read_insns(0), -EACCES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_too_long)};

	return cmocka_run_group_tests_name("read_insns", tests, NULL, NULL);
}
