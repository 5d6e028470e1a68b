// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests how profiles are built, compressed and written.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <locale.h>

#include "pprof/pprof.h"
#include "tests/unit/pprof_text.h"

/* A profile of a function that two others call. */
static struct pprof *make(void)
{
	const struct timespec start = {.tv_sec = 1700000000, .tv_nsec = 5};
	struct pprof *p = pprof__new();
	__u64 mapping, leaf, path[3];

	pprof__set_time(p, &start, 2000000000);
	pprof__set_period(p, "cycles", "count", 1000);
	pprof__add_comment(p, "%d programs", 1);
	pprof__add_type(p, "samples", "count", false);
	pprof__add_type(p, "cycles", "count", true);
	mapping = pprof__add_mapping(p, "xdp_lb", "d4f8542f2b42fac5", 100);
	leaf = pprof__add_function(p, "parse", "lb.c");
	path[0] = pprof__add_location(p, mapping, 80, leaf, 7);
	path[2] = pprof__add_location(p, mapping, 0, pprof__add_function(p, "main", "lb.c"), 3);
	for (int i = 0; i < 2; i++) {
		const char *name = i ? "second" : "first";
		const __s64 values[] = {i + 1, 1000 * (i + 1)};

		path[1] = pprof__add_location(p, mapping, 40 + i,
					      pprof__add_function(p, name, "lb.c"), 20 + i);
		pprof__add_sample(p, path, 3, values);
		pprof__add_label(p, "program", "xdp_lb");
	}
	return p;
}

static void write_profile(const struct pprof *p, char **packed, size_t *sz)
{
	FILE *out = open_memstream(packed, sz);

	assert_non_null(out);
	pprof__write(p, out);
	assert_int_equal(fclose(out), 0);
}

static void test_profile(void **state)
{
	struct pprof *p;
	char *packed, *text;
	size_t sz;

	p = make();
	write_profile(p, &packed, &sz);
	pprof__free(p);
	text = pprof_text__make(packed, sz);
	assert_string_equal(text, "type samples/count\n"
				  "type cycles/count (default)\n"
				  "period 1000 cycles/count\n"
				  "start 1700000000000000005 duration 2000000000\n"
				  "# 1 programs\n"
				  "program xdp_lb, build id d4f8542f2b42fac5, 100 bytes\n"
				  "sample 1 1000 program=xdp_lb\n"
				  "  0x100000050 parse lb.c:7\n"
				  "  0x100000028 first lb.c:20\n"
				  "  0x100000000 main lb.c:3\n"
				  "sample 2 2000 program=xdp_lb\n"
				  "  0x100000050 parse lb.c:7\n"
				  "  0x100000029 second lb.c:21\n"
				  "  0x100000000 main lb.c:3\n");
	free(text);
}

/* The bytes depend on the profile only: the gzip header has no time, name or comment. */
static void test_same_bytes(void **state)
{
	static const char header[] = {0x1f, (char)0x8b, 8, 0, 0, 0, 0, 0};
	struct pprof *p;
	char *packed[2];
	size_t sz[2];

	for (int i = 0; i < 2; i++) {
		p = make();
		write_profile(p, &packed[i], &sz[i]);
		pprof__free(p);
	}
	assert_int_equal(sz[0], sz[1]);
	assert_memory_equal(packed[0], packed[1], sz[0]);
	assert_memory_equal(packed[0], header, sizeof(header));
	free(packed[0]);
	free(packed[1]);
}

/* A string or a function that the profile already has is not added again. */
static void test_no_doubles(void **state)
{
	struct pprof *p = pprof__new();
	Bprof__Profile *msg;
	char *packed;
	size_t sz;

	assert_int_equal(pprof__add_function(p, "parse", "a.c"), 1);
	assert_int_equal(pprof__add_function(p, "parse", "b.c"), 2);
	assert_int_equal(pprof__add_function(p, "a.c", "parse"), 3);
	assert_int_equal(pprof__add_function(p, "parse", "a.c"), 1);
	write_profile(p, &packed, &sz);
	msg = pprof_text__unpack(packed, sz);
	assert_int_equal(msg->n_function, 3);
	assert_int_equal(msg->n_string_table, 4);
	bprof__profile__free_unpacked(msg, NULL);
	free(packed);
	pprof__free(p);
}

/* Thousands of names of all lengths are each stored once, also when they are added again. */
static void test_many_names(void **state)
{
	struct pprof *p = pprof__new();
	Bprof__Profile *msg;
	char *packed, name[64];
	size_t sz;

	for (int i = 0; i < 6000; i++) {
		snprintf(name, sizeof(name), "%.*s%d", i % 40,
			 "a_function_with_a_name_of_many_characters", i % 3000);
		assert_int_equal(pprof__add_function(p, name, "file.c"), 1 + i % 3000);
	}
	write_profile(p, &packed, &sz);
	msg = pprof_text__unpack(packed, sz);
	assert_int_equal(msg->n_function, 3000);
	assert_int_equal(msg->n_string_table, 3002); /* with the empty string and file.c */
	bprof__profile__free_unpacked(msg, NULL);
	free(packed);
	pprof__free(p);
}

static void assert_stored_as(const char *s, const char *stored)
{
	struct pprof *p = pprof__new();
	Bprof__Profile *msg;
	char *packed;
	size_t sz;

	pprof__add_comment(p, "%s", s);
	write_profile(p, &packed, &sz);
	msg = pprof_text__unpack(packed, sz);
	assert_string_equal(msg->string_table[1], stored);
	bprof__profile__free_unpacked(msg, NULL);
	free(packed);
	pprof__free(p);
}

/* Strings are UTF-8 that cannot manipulate a terminal, whatever the locale. */
static void test_strings(void **state)
{
	static const char *const locales[] = {"C", "C.UTF-8"};

	for (int i = 0; i < 2; i++) {
		assert_non_null(setlocale(LC_ALL, locales[i]));
		assert_stored_as("na\xc3\xafve_\xe5\x8c\x85_\xf0\x9f\x90\x9d.c",
				 "na\xc3\xafve_\xe5\x8c\x85_\xf0\x9f\x90\x9d.c");
		assert_stored_as("\033[2J\n\x7f", "\\x1b[2J\\x0a\\x7f");
		assert_stored_as("\xc2\x9b", "\\xc2\\x9b");	     /* CSI, a control character */
		assert_stored_as("\xe2\x80\xae", "\\xe2\\x80\\xae"); /* right to left */
		assert_stored_as("\xff\xc3", "\\xff\\xc3");
		assert_stored_as("\xc0\x80", "\\xc0\\x80"); /* too long */
		assert_stored_as("\xe0\x80\xaf", "\\xe0\\x80\\xaf");
		assert_stored_as("\xed\xa0\x80", "\\xed\\xa0\\x80");	      /* a surrogate */
		assert_stored_as("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"); /* above U+10FFFF */
		assert_stored_as("\xfc\x80\x80\x80", "\\xfc\\x80\\x80\\x80");
		assert_stored_as("\xe5\x8c", "\\xe5\\x8c");
	}
	setlocale(LC_ALL, "C");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_profile),	   cmocka_unit_test(test_same_bytes),
		cmocka_unit_test(test_no_doubles), cmocka_unit_test(test_strings),
		cmocka_unit_test(test_many_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
