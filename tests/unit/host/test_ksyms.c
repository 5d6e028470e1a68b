// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests that an address is resolved to the function that contains it, from a file like /proc/kallsyms,
 * which has no sizes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
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

static void assert_symbol(struct ksyms *k, __u64 address, const char *want, __u64 offset)
{
	struct ksym_place place = ksyms__find(k, address);

	if (!want) {
		assert_null(place.name);
		return;
	}
	assert_string_equal(place.name, want);
	assert_int_equal(place.offset, offset);
	assert_int_equal(place.is_bpf, !strncmp(want, "bpf_trampoline", 14));
}

static void test_symbols(void **state)
{
	struct ksyms *k;

	assert_int_equal(read_text("ffff800000010000 T second\n"
				   "ffff800000001000 t first\n"
				   "ffff800000001000 t alias\n"
				   "0000000000000000 A none\n",
				   &k),
			 0);
	assert_symbol(k, 0xffff800000001000, "first", 0);
	assert_symbol(k, 0xffff80000000ffff, "first", 0xefff);
	assert_symbol(k, 0xffff800000010000, "second", 0);
	assert_symbol(k, 0xffff800000010fff, "second", 0xfff);
	assert_symbol(k, 0xffff800000011000, NULL, 0);
	assert_symbol(k, 0x1000, NULL, 0);
	ksyms__free(k);
}

/* An address after the end of the kernel's code or of a module does not get the name of the last symbol there. */
static void test_ends(void **state)
{
	__u64 start, end;
	struct ksyms *k;

	assert_int_equal(read_text("ffff800000000000 T last\n"
				   "ffff800000000080 T bpf_prog_test_run_xdp\n"
				   "ffff800000000100 T _etext\n"
				   "ffff800000000200 D data\n"
				   "ffff800000000300 B _end\n"
				   "ffff900000000000 t one\t[mod_a]\n"
				   "ffff900000000040 t two\t[mod_a]\n"
				   "ffff900000008000 t three\t[mod_b]\n"
				   "ffffa00000000000 t bpf_trampoline_1\t[bpf]\n"
				   "ffffa00000000200 t bpf_prog_0123_xdp_lb\t[bpf]\n"
				   "ffffa00000000400 t bpf_trampoline_2\t[bpf]\n"
				   "ffffa00000008000 t bpf_trampoline_3\t[bpf]\n",
				   &k),
			 0);
	assert_symbol(k, 0xffff8000000000ff, "bpf_prog_test_run_xdp", 0x7f);
	assert_symbol(k, 0xffff800000000100, NULL, 0);
	assert_symbol(k, 0xffff800000000210, NULL, 0);
	assert_symbol(k, 0xffff800000000300, NULL, 0);
	assert_symbol(k, 0xffff80000011ac08, NULL, 0);
	assert_symbol(k, 0xffff90000000003f, "one", 0x3f);
	assert_symbol(k, 0xffff900000000100, "two", 0xc0);
	assert_symbol(k, 0xffff900000001040, NULL, 0);
	assert_symbol(k, 0xffff900000008010, "three", 0x10);
	assert_symbol(k, 0xffffa0000000001c, "bpf_trampoline_1", 0x1c);
	assert_symbol(k, 0xffffa0000000021c, NULL, 0);
	assert_symbol(k, 0xffffa00000000410, "bpf_trampoline_2", 0x10);
	assert_symbol(k, 0xffffa00000001c51, NULL, 0);
	assert_int_equal(ksyms__address(k, "two"), 0xffff900000000040);
	assert_int_equal(ksyms__address(k, "four"), 0);
	assert_true(ksyms__range(k, "bpf_prog_test_run_xdp", &start, &end));
	assert_int_equal(start, 0xffff800000000080);
	assert_int_equal(end, 0xffff800000000100);
	assert_false(ksyms__range(k, "four", &start, &end));
	ksyms__free(k);
}

/* An unprivileged user sees names without addresses. */
static void test_hidden(void **state)
{
	__u64 start, end;
	struct ksyms *k;

	assert_int_equal(read_text("0000000000000000 T first\n0000000000000000 T second\n", &k),
			 -EPERM);
	assert_null(k);
	assert_int_equal(ksyms__read("/nonexistent/kallsyms", &k), -ENOENT);
	assert_symbol(NULL, 0xffff800000001000, NULL, 0);
	assert_int_equal(ksyms__address(NULL, "first"), 0);
	assert_false(ksyms__range(NULL, "first", &start, &end));
}

#define TEXT 0xffff800000000000
#define FUNCS 20000

/*
 * Writes a file of a megabyte: FUNCS functions of the kernel, and functions of a module and of BPF
 * at lower addresses. cut: then cuts off the end of the file.
 */
static int read_long(struct ksyms **k, bool cut)
{
	FILE *f = fopen(PATH, "we");
	int err;

	assert_non_null(f);
	for (unsigned i = 0; i < FUNCS; i++)
		fprintf(f, "%lx t function_%06d_of_the_kernel\n", TEXT + 64UL * i, i);
	fputs("ffff800000900000 D data\n"
	      "ffff700000000000 t function_019999_of_the_kernel\t[mod]\n"
	      "ffff700000000040 t behind\t[mod]\n"
	      "ffff600000000000 t bpf_trampoline_1\t[bpf]\n",
	      f);
	fclose(f);
	err = ksyms__read(PATH, k);
	if (cut)
		assert_int_equal(truncate(PATH, 400000), 0);
	else
		unlink(PATH);
	return err;
}

/* Of a long file, bprof reads no more than an answer needs: here, the rest is no longer there. */
static void test_long(void **state)
{
	__u64 start, end;
	struct ksyms *k;
	char name[64];

	assert_int_equal(read_long(&k, true), 0);
	for (unsigned i = 0; i < 8000; i += 97) {
		sprintf(name, "function_%06d_of_the_kernel", i);
		assert_symbol(k, TEXT + 64UL * i + i % 64, name, i % 64);
		assert_int_equal(ksyms__address(k, name), TEXT + 64UL * i);
		assert_true(ksyms__range(k, name, &start, &end));
		assert_int_equal(end, TEXT + 64UL * (i + 1));
	}
	assert_int_equal(ksyms__address(k, "function_019999_of_the_kernel"), 0);
	ksyms__free(k);
	unlink(PATH);
}

/* Symbols that follow those of the kernel, at lower addresses. */
static void test_rest(void **state)
{
	__u64 start, end;
	struct ksyms *k;

	assert_int_equal(read_long(&k, false), 0);
	assert_symbol(k, 0xffff600000000004, "bpf_trampoline_1", 4);
	assert_symbol(k, 0xffff700000000004, "function_019999_of_the_kernel", 4);
	assert_symbol(k, 0xffff600000001000, NULL, 0);
	assert_symbol(k, TEXT, "function_000000_of_the_kernel", 0);
	assert_symbol(k, TEXT + 64UL * FUNCS, "function_019999_of_the_kernel", 64);
	ksyms__free(k);
	assert_int_equal(read_long(&k, false), 0);
	/* The kernel's own function comes first, wherever a module is. */
	assert_int_equal(ksyms__address(k, "function_019999_of_the_kernel"),
			 TEXT + 64UL * (FUNCS - 1));
	assert_int_equal(ksyms__address(k, "behind"), 0xffff700000000040);
	assert_int_equal(ksyms__address(k, "function_019999_of_the_kernel"),
			 TEXT + 64UL * (FUNCS - 1));
	assert_true(ksyms__range(k, "function_019999_of_the_kernel", &start, &end));
	assert_int_equal(end, 0xffff800000900000);
	ksyms__free(k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_symbols), cmocka_unit_test(test_ends),
		cmocka_unit_test(test_long),	cmocka_unit_test(test_rest),
		cmocka_unit_test(test_hidden),
	};

	return cmocka_run_group_tests_name("ksyms", tests, NULL, NULL);
}
