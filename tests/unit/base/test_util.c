// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests which input the small helpers accept and which they refuse.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/resource.h>

#include "base/util.h"

/*
 * Makes a file with this content, and sets path to the path at which the file can be opened. The
 * file is removed when it is closed.
 */
static FILE *make_file(const void *content, size_t sz, char path[64])
{
	FILE *f = tmpfile();

	assert_non_null(f);
	assert_int_equal(fwrite(content, 1, sz, f), sz);
	assert_int_equal(fflush(f), 0);
	snprintf(path, 64, "/proc/self/fd/%d", fileno(f));
	return f;
}

static void assert_reads(const char *content, const char *want)
{
	char path[64], *got;
	FILE *f = make_file(content, strlen(content), path);

	assert_int_equal(read_file(path, &got), 0);
	assert_string_equal(got, want);
	free(got);
	fclose(f);
}

static void test_read_file(void **state)
{
	assert_reads("", "");
	assert_reads("4", "4");
	assert_reads("0-3\n", "0-3");
	assert_reads("two\nlines\n\n\n", "two\nlines");
	assert_reads("\n\n", "");
	/* only newlines are removed */
	assert_reads("\n a \n", "\n a ");
}

/* Tests files that fill the buffer exactly, or nearly. */
static void test_read_file_large(void **state)
{
	static const size_t sizes[] = {4094, 4095, 4096, 4097, 8191, 8192, 100000};
	char path[64], *content, *got;

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		FILE *f;

		content = malloc(sizes[i]);
		assert_non_null(content);
		for (size_t k = 0; k < sizes[i]; k++)
			content[k] = 'a' + k % 23;
		f = make_file(content, sizes[i], path);
		assert_int_equal(read_file(path, &got), 0);
		assert_int_equal(strlen(got), sizes[i]);
		assert_memory_equal(got, content, sizes[i]);
		free(got);
		free(content);
		fclose(f);
	}
}

static void test_read_file_fails(void **state)
{
	char untouched, *got = &untouched;

	assert_int_equal(read_file("/nonexistent/file", &got), -ENOENT);
	assert_null(got);
	/* a directory can be opened but not read */
	got = &untouched;
	assert_true(read_file("/", &got) < 0);
	assert_null(got);
}

static void test_parse_u64_good(void **state)
{
	static const struct {
		const char *s;
		__u64 max, want;
	} good[] = {
		{"0", 0, 0},
		{"7", 7, 7},
		{"007", 7, 7},
		{"42", ~0ULL, 42},
		{"4294967296", ~0ULL, 1ULL << 32},
		{"18446744073709551615", ~0ULL, ~0ULL},
	};

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		__u64 v = 99;

		assert_int_equal(parse_u64(good[i].s, good[i].max, &v), 0);
		assert_int_equal(v, good[i].want);
	}
}

static void test_parse_u64_bad(void **state)
{
	static const struct {
		const char *s;
		__u64 max;
		int err;
	} bad[] = {
		{"", ~0ULL, -EINVAL},
		{" 1", ~0ULL, -EINVAL},
		{"1 ", ~0ULL, -EINVAL},
		{"+1", ~0ULL, -EINVAL},
		{"-1", ~0ULL, -EINVAL},
		{"0x10", ~0ULL, -EINVAL},
		{"1k", ~0ULL, -EINVAL},
		{"1.5", ~0ULL, -EINVAL},
		{"1e3", ~0ULL, -EINVAL},
		{"8", 7, -ERANGE},
		{"1", 0, -ERANGE},
		{"18446744073709551616", ~0ULL, -ERANGE},
		{"99999999999999999999999999", ~0ULL, -ERANGE},
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		__u64 v = 99;

		assert_int_equal(parse_u64(bad[i].s, bad[i].max, &v), bad[i].err);
		assert_int_equal(v, 99);
	}
	/* the errno of an earlier call has no effect */
	errno = ERANGE;
	assert_int_equal(parse_u64("1", 1, &(__u64){0}), 0);
}

struct element {
	__u64 a;
	char b[37];
};

static void test_array_add(void **state)
{
	struct element *v = NULL, *new;
	static const struct element zero;
	int cnt = 0;

	for (int i = 0; i < 100; i++) {
		new = array__add(&v, &cnt, sizeof(*v));
		assert_int_equal(cnt, i + 1);
		assert_ptr_equal(new, &v[i]);
		/* the memory is zero, whatever it had before */
		assert_memory_equal(new, &zero, sizeof(zero));
		memset(new, 0xff, sizeof(*new));
		new->a = i;
	}
	for (int i = 0; i < 100; i++)
		assert_int_equal(v[i].a, i);
	free(v);
}

static void test_close_fd(void **state)
{
	int input = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10), fd = STDIN_FILENO;

	assert_true(input >= 0);
	/* descriptor 0 is one like any other */
	close_fd(&fd);
	assert_int_equal(fd, -1);
	assert_int_equal(fcntl(STDIN_FILENO, F_GETFD), -1);
	dup2(input, STDIN_FILENO);
	errno = 0;
	close_fd(&fd);
	assert_int_equal(fd, -1);
	assert_int_equal(errno, 0);
	close_fd(&input);
	assert_int_equal(input, -1);
}

static void test_raise_fd_limit(void **state)
{
	struct rlimit old, low, before, now, high = {};
	char *nr_open;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	low = (struct rlimit){.rlim_cur = 64, .rlim_max = old.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	raise_fd_limit(&before);
	assert_int_equal(before.rlim_cur, 64);
	assert_int_equal(before.rlim_max, old.rlim_max);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &now), 0);
	/* With CAP_SYS_RESOURCE, raise_fd_limit() raises the limit to the kernel's maximum. */
	assert_int_equal(read_file("/proc/sys/fs/nr_open", &nr_open), 0);
	high.rlim_cur = high.rlim_max = strtoull(nr_open, NULL, 10);
	free(nr_open);
	if (setrlimit(RLIMIT_NOFILE, &high))
		high = old;
	assert_int_equal(now.rlim_cur, high.rlim_max);
	assert_int_equal(now.rlim_max, high.rlim_max);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
}

static __u64 to_ns(const struct timespec *ts)
{
	return ts->tv_sec * 1000000000ULL + ts->tv_nsec;
}

static void test_now_ns(void **state)
{
	struct timespec before, after;
	__u64 now;

	clock_gettime(CLOCK_MONOTONIC, &before);
	now = now_ns();
	clock_gettime(CLOCK_MONOTONIC, &after);
	assert_in_range(now, to_ns(&before), to_ns(&after));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read_file),	cmocka_unit_test(test_read_file_large),
		cmocka_unit_test(test_read_file_fails), cmocka_unit_test(test_parse_u64_good),
		cmocka_unit_test(test_parse_u64_bad),	cmocka_unit_test(test_array_add),
		cmocka_unit_test(test_close_fd),	cmocka_unit_test(test_raise_fd_limit),
		cmocka_unit_test(test_now_ns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
