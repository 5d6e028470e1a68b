// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the pager: when bprof uses it, which text it gets, and that output is not lost if it cannot be
 * started.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/output.h"
#include "base/util.h"
#include "tests/unit/base/failing_calls.h"

/* The file to which the pager of a test writes. */
static char path[] = "/tmp/bprof-pager-XXXXXX";
static char command[64];

/* A terminal that takes the place of standard output, and of standard error if both. */
struct terminal {
	int pty, out, err;
};

static void terminal__begin(struct terminal *t, bool both)
{
	const struct winsize size = {.ws_row = 24, .ws_col = 91};
	int fd;

	fflush(stdout);
	fflush(stderr);
	t->pty = posix_openpt(O_RDWR | O_NOCTTY);
	if (t->pty < 0 || grantpt(t->pty) || unlockpt(t->pty) || ioctl(t->pty, TIOCSWINSZ, &size))
		abort();
	fd = open(ptsname(t->pty), O_RDWR | O_NOCTTY | O_CLOEXEC);
	t->out = dup(STDOUT_FILENO);
	t->err = dup(STDERR_FILENO);
	if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0 || dup2(both ? fd : t->err, STDERR_FILENO) < 0)
		abort();
	close(fd);
}

/* Returns what the terminal shows, which is valid until the next call. */
static const char *terminal__end(struct terminal *t)
{
	static char text[4096];
	size_t len = 0;
	ssize_t more;

	fflush(stdout);
	dup2(t->out, STDOUT_FILENO);
	dup2(t->err, STDERR_FILENO);
	close(t->out);
	close(t->err);
	/* Reading ends when no process has the terminal open. */
	while ((more = read(t->pty, text + len, sizeof(text) - 1 - len)) > 0)
		len += more;
	text[len] = '\0';
	close(t->pty);
	return text;
}

static const char *pager_text(void)
{
	static char *text;

	free(text);
	assert_int_equal(read_file(path, &text), 0);
	return text;
}

/* The output of a command, and how it is written. */
struct shown {
	bool drafted; /* written in one piece, as a struct draft */
	bool paged, err_paged, in_use;
	struct screen screen;
	int err;
};

static void show(struct shown *s, const char *text)
{
	struct output o;
	struct draft d;

	s->err = output__open(NULL, OUTPUT_PAGER, &o);
	s->paged = o.pager.pid;
	s->err_paged = o.pager.err_fd >= 0;
	s->in_use = getenv(PAGER_IN_USE);
	s->screen = screen__of(stdout);
	if (s->drafted) {
		draft__begin(&d);
		fputs(text, d.mem);
		s->err = draft__end(&d, s->err, o.file);
	} else {
		fputs(text, o.file);
	}
	s->err = output__close(&o, output__commit(&o, s->err));
}

static const char *show_in_terminal(struct shown *s, const char *text, bool both)
{
	struct terminal t;

	if (truncate(path, 0))
		fail();
	terminal__begin(&t, both);
	show(s, text);
	return terminal__end(&t);
}

static void test_paged(void **state)
{
	struct shown s = {};

	setenv("BPROF_PAGER", command, 1);
	setenv("PAGER", "exit 1", 1);
	for (int both = 0; both < 2; both++) {
		assert_string_equal(show_in_terminal(&s, "text\n", both), "");
		assert_string_equal(pager_text(), "text");
		assert_int_equal(s.err, 0);
		assert_true(s.paged && s.in_use && s.err_paged == both);
		/* colors, and lines as wide as in the terminal */
		assert_true(s.screen.color);
		assert_int_equal(s.screen.width, 91);
		assert_null(getenv(PAGER_IN_USE));
		unsetenv("COLUMNS");
	}
	unsetenv("BPROF_PAGER");
	setenv("PAGER", command, 1);
	assert_string_equal(show_in_terminal(&s, "again\n", false), "");
	assert_string_equal(pager_text(), "again");
	unsetenv("COLUMNS");
}

static void test_not_paged(void **state)
{
	static const struct {
		const char *term, *bprof_pager, *pager;
	} cases[] = {
		{"xterm", "", NULL},	{"xterm", "cat", NULL}, {"xterm", "", "less"},
		{"xterm", NULL, "cat"}, {"dumb", "less", NULL}, {NULL, "less", NULL},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct shown s = {};

		unsetenv("TERM");
		unsetenv("BPROF_PAGER");
		unsetenv("PAGER");
		if (cases[i].term)
			setenv("TERM", cases[i].term, 1);
		if (cases[i].bprof_pager)
			setenv("BPROF_PAGER", cases[i].bprof_pager, 1);
		if (cases[i].pager)
			setenv("PAGER", cases[i].pager, 1);
		assert_string_equal(show_in_terminal(&s, "text\n", false), "text\r\n");
		assert_false(s.paged || s.in_use);
		assert_int_equal(s.err, 0);
	}
	setenv("TERM", "xterm", 1);
}

/* Without BPROF_PAGER and PAGER, less or cat shows the text in the terminal. */
static void test_default(void **state)
{
	struct shown s = {};

	unsetenv("BPROF_PAGER");
	unsetenv("PAGER");
	assert_non_null(strstr(show_in_terminal(&s, "text\n", false), "text"));
	assert_true(s.paged);
	assert_int_equal(s.err, 0);
	unsetenv("COLUMNS");
}

/* The user may end the pager before the end of a long text. */
static void test_ended(void **state)
{
	static char text[1 << 20];
	struct shown s = {.drafted = true};

	memset(text, 'x', sizeof(text) - 1);
	setenv("BPROF_PAGER", "exit 0", 1);
	assert_string_equal(show_in_terminal(&s, text, false), "");
	assert_true(s.paged);
	assert_int_equal(s.err, 0);
	unsetenv("COLUMNS");
}

/* If no pager starts because a call fails, the terminal shows the text. */
static void test_each_call(void **state)
{
	int not_paged = 0;

	setenv("BPROF_PAGER", command, 1);
	call_failed = true;
	for (int n = 0; call_failed; n++) {
		const char *screen;
		struct terminal t;
		struct shown s = {};

		if (truncate(path, 0))
			fail();
		terminal__begin(&t, true);
		call_failed = false;
		calls_left = n;
		show(&s, "text\n");
		calls_left = -1;
		screen = terminal__end(&t);
		assert_null(getenv(PAGER_IN_USE));
		if (!s.paged)
			assert_string_equal(screen, "text\r\n");
		/* without an error, the text must not be lost */
		else if (!s.err)
			assert_true(strstr(screen, "text") || strstr(pager_text(), "text"));
		assert_true(call_failed || (s.paged && !s.err));
		not_paged += !s.paged;
		unsetenv("COLUMNS");
	}
	assert_true(not_paged >= 4);
}

static int setup(void **state)
{
	int fd = mkstemp(path);

	setenv("TERM", "xterm", 1);
	unsetenv("NO_COLOR");
	unsetenv("COLUMNS");
	snprintf(command, sizeof(command), "cat >%s", path);
	return fd < 0 || close(fd);
}

static int teardown(void **state)
{
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paged),	  cmocka_unit_test(test_not_paged),
		cmocka_unit_test(test_default),	  cmocka_unit_test(test_ended),
		cmocka_unit_test(test_each_call),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
