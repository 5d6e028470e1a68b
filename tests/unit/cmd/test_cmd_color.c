// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests what a terminal gets: colors if it supports them and the user has not disabled them, no
 * line that is wider than it, and a pager.
 * Runs the bprof that was built beside this test.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <libgen.h>
#include <pty.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <sys/ioctl.h>

static char bprof[4096];

/* True if the output of "bprof doctor" on a terminal of this type has escape sequences. */
static bool has_escapes(const char *term, const char *no_color)
{
	bool found = false, any = false;
	int terminal;
	pid_t pid = forkpty(&terminal, NULL, NULL, NULL);
	char buf[4096];
	ssize_t n;

	assert_true(pid >= 0);
	if (!pid) {
		setenv("TERM", term, 1);
		setenv("BPROF_PAGER", "", 1);
		if (no_color)
			setenv("NO_COLOR", no_color, 1);
		else
			unsetenv("NO_COLOR");
		execl(bprof, "bprof", "doctor", (char *)NULL);
		_exit(127);
	}
	while ((n = read(terminal, buf, sizeof(buf))) > 0) {
		found |= memchr(buf, '\033', n) != NULL;
		any = true;
	}
	close(terminal);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_true(any);
	return found;
}

static void test_doctor(void **state)
{
	assert_true(has_escapes("xterm", NULL));
	assert_true(has_escapes("xterm", ""));
	assert_false(has_escapes("xterm", "1"));
	assert_false(has_escapes("dumb", NULL));
}

/* Returns the greatest number of characters in a line of "bprof doctor" on a terminal. */
static int widest_line(int columns)
{
	const struct winsize size = {.ws_row = 24, .ws_col = columns};
	int terminal, widest = 0, width = 0;
	pid_t pid = forkpty(&terminal, NULL, NULL, &size);
	char c;

	assert_true(pid >= 0);
	if (!pid) {
		setenv("TERM", "dumb", 1);
		setenv("LC_ALL", "C", 1);
		unsetenv("COLUMNS");
		execl(bprof, "bprof", "doctor", (char *)NULL);
		_exit(127);
	}
	while (read(terminal, &c, 1) == 1) {
		width = c == '\n' || c == '\r' ? 0 : width + 1;
		widest = width > widest ? width : widest;
	}
	close(terminal);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return widest;
}

static void test_width(void **state)
{
	assert_in_range(widest_line(60), 40, 60);
	assert_in_range(widest_line(80), 60, 80);
}

/* Runs "bprof doctor OPTION" on a terminal with these pagers, and returns its output. */
static char *run_paged(const char *term, const char *bprof_pager, const char *pager,
		       const char *option)
{
	int terminal, status;
	pid_t pid = forkpty(&terminal, NULL, NULL, NULL);
	char *text = calloc(1, 1 << 16);
	size_t len = 0;
	ssize_t n;

	assert_true(pid >= 0 && text);
	if (!pid) {
		setenv("TERM", term, 1);
		unsetenv("NO_COLOR");
		unsetenv("BPROF_PAGER");
		setenv("PAGER", pager, 1);
		if (bprof_pager)
			setenv("BPROF_PAGER", bprof_pager, 1);
		execl(bprof, "bprof", "doctor", option, (char *)NULL);
		_exit(127);
	}
	while (len < (1 << 16) - 1 && (n = read(terminal, text + len, (1 << 16) - 1 - len)) > 0)
		len += n;
	close(terminal);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 4));
	return text;
}

static void assert_paged(const char *term, const char *bprof_pager, const char *pager,
			 const char *option, const char *prefix)
{
	char *text = run_paged(term, bprof_pager, pager, option);

	if (prefix)
		assert_non_null(strstr(text, prefix));
	else
		assert_null(strstr(text, "paged:"));
	assert_non_null(strstr(text, "bperf"));
	free(text);
}

static void test_pager(void **state)
{
	char *text;

	assert_paged("xterm", NULL, "sed s/^/paged:/", NULL, "paged:");
	assert_paged("xterm", "sed s/^/ours-paged:/", "false", NULL, "ours-paged:");
	assert_paged("xterm", NULL, "sed s/^/paged:/", "--no-pager", NULL);
	assert_paged("xterm", NULL, "", NULL, NULL);
	assert_paged("xterm", NULL, "cat", NULL, NULL);
	assert_paged("dumb", NULL, "sed s/^/paged:/", NULL, NULL);
	/* The colors of the terminal stay. */
	text = run_paged("xterm", NULL, "sed s/^/paged:/", NULL);
	assert_non_null(strchr(text, '\033'));
	free(text);
	/*
	 * The user ends the pager before the output has been written: this does not change bprof's
	 * status.
	 */
	text = run_paged("xterm", NULL, "true", NULL);
	assert_null(strstr(text, "Broken pipe"));
	free(text);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_doctor),
					   cmocka_unit_test(test_width),
					   cmocka_unit_test(test_pager)};
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n < 0)
		return 1;
	path[n] = '\0';
	/* this test is build/ARCH/unit/cmd/test_cmd_color */
	snprintf(bprof, sizeof(bprof), "%s/../../bprof", dirname(path));
	/* tests/faults looks for leaks of each command, which takes half of the time of a call */
	setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
