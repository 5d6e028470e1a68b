// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests that a damaged object file ends at most a child of bprof: with a function that crashes, and
 * with a real object whose bits are flipped or whose end is cut off.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "bpf/bperf.h"
#include "bpf/bperf_leader.skel.h"
#include "kernel/log_libbpf.h"
#include "object/object_load.h"
#include "tests/unit/capture.h"
#include "tests/unit/long_test.h"

#define DAMAGED "the object file is damaged: "
#define MUTANTS 300

static int check(const char *path, void (*touch)(const char *path), char **text)
{
	const struct bench_load l = {.path = path};
	struct capture c;
	int err;

	capture__begin(&c, stderr);
	err = bench_load__check_open(&l, touch);
	*text = capture__end(&c);
	return err;
}

static void survive(const char *path)
{
}

static void crash(const char *path)
{
	raise(SIGSEGV);
}

static void hang(const char *path)
{
	raise(SIGALRM);
}

/* A sanitizer ends a process with a status, not with a signal. */
static void sanitize(const char *path)
{
	_exit(1);
}

static void test_child(void **state)
{
	static const struct {
		void (*touch)(const char *path);
		int err;
		const char *text;
	} cases[] = {
		{survive, 0, ""},
		{crash, -EINVAL, "bprof: x.o: " DAMAGED "libbpf crashes on it; compile it again\n"},
		{sanitize, -EINVAL,
		 "bprof: x.o: " DAMAGED "libbpf crashes on it; compile it again\n"},
		{hang, -EINVAL,
		 "bprof: x.o: " DAMAGED
		 "libbpf did not finish opening it in 60 s; compile it again\n"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text;

		assert_int_equal(check("x.o", cases[i].touch, &text), cases[i].err);
		assert_string_equal(text, cases[i].text);
		free(text);
	}
}

static void write_object(int fd, const char *data, size_t sz)
{
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(pwrite(fd, data, sz, 0), sz);
}

/* Damages a copy of the object: every third one is cut, the others have a few wrong bits. */
static size_t damage(char *data, size_t sz, int i)
{
	if (i % 3 == 0)
		return 64 + rand() % (sz - 64);
	for (int flips = i % 3 == 1 ? 1 : 16; flips; flips--)
		data[64 + rand() % (sz - 64)] ^= 1 << rand() % 8;
	return sz;
}

static void test_damaged(void **state)
{
	char path[] = "/tmp/bench_open.XXXXXX";
	size_t sz;
	const void *object = bperf_leader_bpf__elf_bytes(&sz);
	char *copy = malloc(sz), *text;
	int fd = mkstemp(path);

	assert_true(fd >= 0 && copy);
	log_libbpf__begin();
	srand(1);
	write_object(fd, object, sz);
	assert_int_equal(check(path, bench_load__touch, &text), 0);
	free(text);
	for (int i = 0; i < case_cnt(MUTANTS); i++) {
		int err;

		memcpy(copy, object, sz);
		write_object(fd, copy, damage(copy, sz, i));
		err = check(path, bench_load__touch, &text);
		assert_true(err == 0 || err == -EINVAL);
		assert_true(err ? !!strstr(text, DAMAGED) : !*text);
		free(text);
	}
	free(copy);
	close(fd);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_child),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
