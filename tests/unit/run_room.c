// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Runs the tests of a room, which are linked into one program: each file in a process of its own, so
 * that none finds what another one has left. TESTS is the list of their main functions (Makefile).
 * Arguments choose files: "all test_table test_log".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* The main functions of the tests have the arguments of main(), or none. */
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#define TEST(name) int name();
TESTS
#undef TEST

static const struct test {
	const char *name;
	int (*main)();
} tests[] = {
#define TEST(name) {#name, name},
	TESTS};

static int run(const struct test *t, char **argv)
{
	char *own[] = {argv[0], NULL};
	pid_t pid;
	int status;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_NAME, t->name);
		exit(t->main(1, own));
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid) {
		perror(t->name);
		return 1;
	}
	if (status)
		fprintf(stderr, "%s: %s %d\n", t->name, WIFSIGNALED(status) ? "signal" : "status",
			WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	return !!status;
}

static int is_wanted(const struct test *t, char **argv)
{
	for (int i = 1; argv[i]; i++)
		if (!strcmp(argv[i], t->name))
			return 1;
	return !argv[1];
}

int main(int argc, char **argv)
{
	int failed = 0, cnt = 0;

	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		if (is_wanted(&tests[i], argv)) {
			failed += run(&tests[i], argv);
			cnt++;
		}
	if (cnt)
		return failed > 0;
	fprintf(stderr, "%s: no such test\n", argv[0]);
	return 1;
}
