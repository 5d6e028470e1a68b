// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the table of the kernel's bugs: that its rows are complete, and that docs/kernel-bugs.md has
 * them. With BPROF_GOLDEN_UPDATE set, writes the table into that page.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <linux/bpf.h>

#include "kernel/kernel_bugs.h"

#define PAGE "docs/kernel-bugs.md"
#define BEGIN "<!-- kernel-bugs: begin -->\n"
#define END "<!-- kernel-bugs: end -->\n"
#define MAX_PAGE (256 * 1024)

static void test_rows(void **state)
{
	for (int i = 0; i < KERNEL_BUG_CNT; i++) {
		const struct kernel_bug *b = kernel_bug__get(i);
		const char *const texts[] = {b->name,  b->what,	 b->effect, b->since,
					     b->fixed, b->check, b->bprof,  b->seen};

		for (size_t t = 0; t < sizeof(texts) / sizeof(texts[0]); t++) {
			assert_non_null(texts[t]);
			if (strpbrk(texts[t], "\n|") || strstr(texts[t], ". "))
				fail_msg("%s: not one phrase: %s", b->name, texts[t]);
		}
		assert_int_equal(strspn(b->name, "abcdefghijklmnopqrstuvwxyz0123456789_"),
				 strlen(b->name));
		assert_true(*b->name && *b->what && *b->effect && *b->fixed && *b->check);
		assert_true(*b->bprof && *b->seen);
		assert_non_null(b->find);
		for (int k = 0; k < i; k++)
			assert_string_not_equal(b->name, kernel_bug__get(k)->name);
	}
}

static void test_types(void **state)
{
	struct reason reason = {};

	/* No bug concerns all programs of these types, or of a type that is newer than the table. */
	assert_int_equal(kernel_bugs__check_type(BPF_PROG_TYPE_XDP, &reason), 0);
	assert_int_equal(kernel_bugs__check_type(64, &reason), 0);
	assert_int_equal(kernel_bugs__check_type(~0U, &reason), 0);
	assert_int_equal(reason.code, REASON_NONE);
}

static bool stuffs(const char *text)
{
	const char *path = "test_kernel_bugs.tmp";
	FILE *f = fopen(path, "w");
	bool found;

	assert_non_null(f);
	fprintf(f, "%s", text);
	fclose(f);
	found = kernel_bugs__stuffs(path);
	unlink(path);
	return found;
}

static void test_stuffs(void **state)
{
	assert_true(stuffs("Mitigation: Stuffing\n"));
	assert_false(stuffs("Mitigation: Enhanced IBRS\n"));
	assert_false(stuffs("Not affected\n"));
	assert_false(stuffs(""));
	assert_false(kernel_bugs__stuffs("/nonexistent/retbleed"));
}

static void print_table(FILE *out)
{
	fprintf(out, "%s",
		BEGIN "| bug | what is probed | the kernel | since | fixed | how bprof "
		      "checks | bprof | seen on |\n|---|---|---|---|---|---|---|---|\n");
	for (int i = 0; i < KERNEL_BUG_CNT; i++) {
		const struct kernel_bug *b = kernel_bug__get(i);

		fprintf(out, "| `%s` | %s | %s | %s | %s | %s | %s | %s |\n", b->name, b->what,
			b->effect, b->since, b->fixed, b->check, b->bprof, b->seen);
	}
}

static void test_page(void **state)
{
	char *page = calloc(1, MAX_PAGE), *table = NULL, *begin, *end;
	size_t len = 0;
	FILE *out = open_memstream(&table, &len), *f = fopen(PAGE, "r");

	assert_non_null(page);
	assert_non_null(out);
	assert_non_null(f);
	assert_true(fread(page, 1, MAX_PAGE - 1, f) > 0);
	fclose(f);
	print_table(out);
	fclose(out);
	begin = strstr(page, BEGIN);
	end = strstr(page, END);
	assert_true(begin && end && begin < end);
	if (getenv("BPROF_GOLDEN_UPDATE")) {
		f = fopen(PAGE, "w");
		assert_non_null(f);
		fprintf(f, "%.*s%s%s", (int)(begin - page), page, table, end);
		fclose(f);
	} else if ((size_t)(end - begin) != len || memcmp(begin, table, len)) {
		fail_msg("%s has another table: run this test with BPROF_GOLDEN_UPDATE=1", PAGE);
	}
	free(table);
	free(page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_stuffs),
		cmocka_unit_test(test_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
