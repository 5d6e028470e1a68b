// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests that a text is written completely or not at all, and in which cases colors are used.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>

#include "base/output.h"

/*
 * Writes text as a draft (struct draft), as if printing it into the draft had returned err. Returns
 * draft__end()'s result, and the written text in *got, which the caller frees.
 */
static int write_draft(const char *text, int err, char **got)
{
	struct draft d;
	size_t sz;
	FILE *out = open_memstream(got, &sz);

	draft__begin(&d);
	fputs(text, d.mem);
	err = draft__end(&d, err, out);
	fclose(out);
	return err;
}

static void test_draft(void **state)
{
	char *got;

	assert_int_equal(write_draft("one\ntwo\n", 0, &got), 0);
	assert_string_equal(got, "one\ntwo\n");
	free(got);
	assert_int_equal(write_draft("", 0, &got), 0);
	assert_string_equal(got, "");
	free(got);
	assert_int_equal(write_draft("half", -EINVAL, &got), -EINVAL);
	assert_string_equal(got, "");
	free(got);
}

static void test_draft_full(void **state)
{
	FILE *full = fopen("/dev/full", "w");
	struct draft d;

	assert_non_null(full);
	draft__begin(&d);
	fputs("text", d.mem);
	assert_int_equal(draft__end(&d, 0, full), -ENOSPC);
	fclose(full);
}

static ssize_t write_nothing(void *cookie, const char *text, size_t len)
{
	return 0;
}

/* Tests a stream that fails without setting errno. */
static void test_draft_lost(void **state)
{
	FILE *out = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_nothing});
	struct draft d;

	assert_non_null(out);
	draft__begin(&d);
	fputs("text", d.mem);
	assert_int_equal(draft__end(&d, 0, out), -EIO);
	fclose(out);
}

/*
 * Only standard output can be a terminal. If it leads to a pager, its text is colored as in a
 * terminal.
 */
static void test_terminal(void **state)
{
	int pty = posix_openpt(O_RDWR | O_NOCTTY), saved = dup(STDOUT_FILENO), terminal;
	FILE *file = tmpfile();

	assert_true(pty >= 0 && !grantpt(pty) && !unlockpt(pty));
	terminal = open(ptsname(pty), O_WRONLY | O_NOCTTY);
	assert_true(saved >= 0 && terminal >= 0);
	fflush(stdout);
	dup2(terminal, STDOUT_FILENO);
	assert_true(output__is_terminal(NULL) && output__is_terminal("-"));
	assert_false(output__is_terminal("out"));
	dup2(fileno(file), STDOUT_FILENO);
	assert_false(output__is_terminal(NULL) || output__is_terminal("out"));
	unsetenv("NO_COLOR");
	setenv("TERM", "xterm", 1);
	assert_false(screen__of(stdout).color);
	setenv(PAGER_IN_USE, "1", 1);
	assert_true(screen__of(stdout).color);
	assert_false(screen__of(file).color);
	unsetenv(PAGER_IN_USE);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	close(terminal);
	close(pty);
	fclose(file);
}

static void test_color(void **state)
{
	int pty = posix_openpt(O_RDWR | O_NOCTTY);
	FILE *terminal, *file = tmpfile();

	assert_true(pty >= 0 && !grantpt(pty) && !unlockpt(pty));
	terminal = fopen(ptsname(pty), "w");
	assert_non_null(terminal);
	unsetenv("NO_COLOR");
	setenv("TERM", "xterm", 1);
	assert_true(screen__of(terminal).color);
	assert_false(screen__of(file).color);
	setenv("NO_COLOR", "1", 1);
	assert_false(screen__of(terminal).color);
	setenv("NO_COLOR", "", 1); /* by no-color.org, an empty value has no effect */
	assert_true(screen__of(terminal).color);
	setenv("TERM", "dumb", 1);
	assert_false(screen__of(terminal).color);
	unsetenv("TERM");
	assert_false(screen__of(terminal).color);
	fclose(file);
	fclose(terminal);
	close(pty);
}

/* A terminal has a width; a file has none. COLUMNS is for standard output alone. */
static void test_width(void **state)
{
	const struct winsize size = {.ws_row = 24, .ws_col = 100};
	int pty = posix_openpt(O_RDWR | O_NOCTTY);
	FILE *terminal, *file = tmpfile();

	assert_true(pty >= 0 && !grantpt(pty) && !unlockpt(pty));
	terminal = fopen(ptsname(pty), "w");
	assert_non_null(terminal);
	unsetenv("COLUMNS");
	assert_int_equal(screen__of(terminal).width, 0);
	assert_int_equal(ioctl(pty, TIOCSWINSZ, &size), 0);
	assert_int_equal(screen__of(terminal).width, 100);
	assert_int_equal(screen__of(file).width, 0);
	setenv("COLUMNS", "60", 1);
	assert_int_equal(screen__of(terminal).width, 100);
	assert_int_equal(screen__of(file).width, 0);
	assert_int_equal(screen__of(stdout).width, 60);
	setenv("COLUMNS", "nonsense", 1);
	assert_int_not_equal(screen__of(stdout).width, 60);
	unsetenv("COLUMNS");
	fclose(file);
	fclose(terminal);
	close(pty);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_draft),	   cmocka_unit_test(test_draft_full),
		cmocka_unit_test(test_draft_lost), cmocka_unit_test(test_terminal),
		cmocka_unit_test(test_color),	   cmocka_unit_test(test_width),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
