// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests what a terminal gets: colors if it supports them and the user has not disabled them, and no
 * line that is wider than it.
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
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

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

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_doctor),
					   cmocka_unit_test(test_width)};
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n < 0)
		return 1;
	path[n] = '\0';
	/* this test is build/ARCH/unit/cmd/test_cmd_color */
	snprintf(bprof, sizeof(bprof), "%s/../../bprof", dirname(path));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
