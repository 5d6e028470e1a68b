// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests that a process without memory ends with one message and a status of its own, and leaves no
 * temporary file.
 */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "base/exit_status.h"
#include "base/memory.h"
#include "base/output.h"

/* Makes a failed allocation return NULL under AddressSanitizer, too. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

/* More bytes than an address space has. The compiler must not know the value, or it would warn. */
static volatile size_t huge = SIZE_MAX / 4;

static void fail_malloc(void)
{
	free(xmalloc(huge));
}

static void fail_array(void)
{
	free(xreallocarray(NULL, huge, 16));
}

static void fail_output(void)
{
	struct output o;

	if (output__open("memory.txt", 0, &o))
		_exit(99);
	fail_malloc();
}

/* Runs fn in a process of its own, and checks its message and its exit status. */
static void assert_ends(void (*fn)(void))
{
	static const char message[] = "bprof: out of memory\n";
	char said[512];
	ssize_t len;
	int fds[2], status;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (!pid) {
		dup2(fds[1], STDERR_FILENO);
		fn();
		_exit(98);
	}
	close(fds[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	len = read(fds[0], said, sizeof(said) - 1);
	close(fds[0]);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), EXIT_NO_MEMORY);
	/* AddressSanitizer adds a line before the message. */
	assert_true(len >= (ssize_t)strlen(message));
	said[len] = '\0';
	assert_string_equal(said + len - strlen(message), message);
}

static void test_ends(void **state)
{
	assert_ends(fail_malloc);
	assert_ends(fail_array);
}

/* The old output file stays, and no temporary file is left beside it. */
static void test_output(void **state)
{
	char dir[] = "/tmp/bprof-memory.XXXXXX";
	glob_t found;

	assert_non_null(mkdtemp(dir));
	assert_int_equal(chdir(dir), 0);
	fclose(fopen("memory.txt", "w"));
	assert_ends(fail_output);
	assert_int_equal(glob("*", 0, NULL, &found), 0);
	assert_int_equal(found.gl_pathc, 1);
	assert_string_equal(found.gl_pathv[0], "memory.txt");
	globfree(&found);
	unlink("memory.txt");
	assert_int_equal(chdir("/"), 0);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_output),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
