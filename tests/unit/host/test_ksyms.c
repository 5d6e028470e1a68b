// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests that an address is resolved to the symbol before it, from a file like /proc/kallsyms.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "host/ksyms.h"

#define PATH "/tmp/bprof-test-ksyms"

static int read_text(const char *text, struct ksyms **k)
{
	FILE *f = fopen(PATH, "we");
	int err;

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	err = ksyms__read(PATH, k);
	unlink(PATH);
	return err;
}

static void assert_symbol(const struct ksyms *k, __u64 address, const char *want)
{
	char buf[64];

	assert_string_equal(ksyms__format(k, address, buf, sizeof(buf)), want);
}

static void test_symbols(void **state)
{
	struct ksyms *k;

	assert_int_equal(read_text("ffff800000002000 T second\n"
				   "ffff800000001000 t first\n"
				   "0000000000000000 A none\n"
				   "ffff900000000000 t bpf_prog_0123_xdp_lb\t[bpf]\n",
				   &k),
			 0);
	assert_symbol(k, 0xffff800000001000, "first+0x0");
	assert_symbol(k, 0xffff800000001fff, "first+0xfff");
	assert_symbol(k, 0xffff800000002000, "second+0x0");
	assert_symbol(k, 0xffff90000000001c, "bpf_prog_0123_xdp_lb+0x1c");
	assert_symbol(k, 0x1000, "0x1000");
	ksyms__free(k);
}

/* An unprivileged user sees names without addresses. */
static void test_hidden(void **state)
{
	struct ksyms *k;

	assert_int_equal(read_text("0000000000000000 T first\n0000000000000000 T second\n", &k),
			 -EPERM);
	assert_null(k);
	assert_int_equal(ksyms__read("/nonexistent/kallsyms", &k), -ENOENT);
	assert_symbol(NULL, 0xffff800000001000, "0xffff800000001000");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_symbols),
		cmocka_unit_test(test_hidden),
	};

	return cmocka_run_group_tests_name("ksyms", tests, NULL, NULL);
}
