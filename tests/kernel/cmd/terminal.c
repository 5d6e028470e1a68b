// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A terminal for tests: a pseudo terminal, and the part of the escape sequences of vt100 and xterm
 * that ncurses uses. Owns the screen; must not know what bprof shows.
 */
#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "tests/kernel/cmd/terminal.h"
#include "tests/kernel/harness.h"

/* ---- the screen ---- */

static void clear_cells(struct terminal *t, int from, int to)
{
	for (int i = from; i < to; i++)
		t->cell[i / t->cols][i % t->cols] = ' ';
}

static void move_lines(struct terminal *t, int to, int from, int clear)
{
	memmove(t->cell[to], t->cell[from], (t->bottom - t->top) * TERMINAL_COLS);
	clear_cells(t, clear * t->cols, (clear + 1) * t->cols);
}

static void line_feed(struct terminal *t)
{
	if (t->y == t->bottom)
		move_lines(t, t->top, t->top + 1, t->bottom);
	else if (t->y + 1 < t->rows)
		t->y++;
}

static void reverse_line_feed(struct terminal *t)
{
	if (t->y == t->top)
		move_lines(t, t->top + 1, t->top, t->top);
	else if (t->y)
		t->y--;
}

static void put(struct terminal *t, char c)
{
	if (t->x >= t->cols) {
		t->x = 0;
		line_feed(t);
	}
	t->cell[t->y][t->x++] = t->last = c;
}

static void clamp(struct terminal *t)
{
	t->x = t->x < 0 ? 0 : t->x >= t->cols ? t->cols - 1 : t->x;
	t->y = t->y < 0 ? 0 : t->y >= t->rows ? t->rows - 1 : t->y;
}

/* Shifts the part of the line that begins at the cursor by n columns. n may be negative. */
static void shift(struct terminal *t, int n)
{
	char *line = t->cell[t->y];
	int to = t->x + (n > 0 ? n : 0), from = t->x - (n < 0 ? n : 0);
	int rest = t->cols - (n > 0 ? to : from), here = t->y * t->cols;

	memmove(line + to, line + from, rest > 0 ? rest : 0);
	if (n > 0)
		clear_cells(t, here + t->x, here + to);
	else
		clear_cells(t, here + t->cols + n, here + t->cols);
}

/*
 * Carries out "ESC [ ? mode h" and "l". For a mode that bprof must reset, remembers whether it is
 * set.
 */
static void set_mode(struct terminal *t, int mode, bool on)
{
	switch (mode) {
	case 1: /* mode in which keys send the codes of an application */
		t->keypad = on;
		break;
	case 25: /* the cursor is visible */
		t->hidden = !on;
		break;
	case 1000: /* buttons of the mouse */
		t->mouse = on;
		break;
	case 1049: /* the alternate screen */
		t->alternate = on;
		break;
	}
}

/* Carries out "ESC [ a ; b final". */
static void obey(struct terminal *t, int a, int b, char final)
{
	int here = t->y * t->cols + t->x, n = a ?: 1;

	switch (final) {
	case 'H':
		t->y = n - 1;
		t->x = (b ?: 1) - 1;
		break;
	case 'A':
		t->y -= n;
		break;
	case 'B':
		t->y += n;
		break;
	case 'C':
		t->x += n;
		break;
	case 'D':
		t->x -= n;
		break;
	case 'd':
		t->y = n - 1;
		break;
	case 'G':
		t->x = n - 1;
		break;
	case 'X':
		clear_cells(t, here,
			    here + n > (t->y + 1) * t->cols ? (t->y + 1) * t->cols : here + n);
		break;
	case 'b':
		while (n--)
			put(t, t->last);
		return;
	case 'P':
		shift(t, -n);
		break;
	case '@':
		shift(t, n);
		break;
	case 'J':
		clear_cells(t, a == 2 ? 0 : here, t->rows * t->cols);
		break;
	case 'K':
		clear_cells(t, a == 1 ? t->y * t->cols : here,
			    a == 1 ? here + 1 : (t->y + 1) * t->cols);
		break;
	case 'S':
		while (n--)
			move_lines(t, t->top, t->top + 1, t->bottom);
		return;
	case 'T':
		while (n--)
			move_lines(t, t->top + 1, t->top, t->top);
		return;
	case 'r':
		t->top = n - 1;
		t->bottom = (b ?: t->rows) - 1;
		t->x = t->y = 0;
		break;
	case 'm':
	case 'h':
	case 'l':
	case 't':
		return;
	default:
		fail_test("the terminal does not know ESC [ %d;%d %c", a, b, final);
	}
	clamp(t);
}

/* Returns true if the escape sequence is complete. */
static bool take_escape(struct terminal *t, char c)
{
	int a = 0, b = 0;

	if (t->escape_len + 1 == sizeof(t->escape))
		fail_test("the terminal does not know ESC %s", t->escape + 1);
	t->escape[t->escape_len++] = c;
	t->escape[t->escape_len] = '\0';
	if (t->escape_len == 2 && c == 'M')
		reverse_line_feed(t);
	if (t->escape_len == 2 && c == 'D')
		line_feed(t);
	if (t->escape_len == 2)
		return !strchr("[()#", c);
	if (t->escape[1] != '[')
		return true;
	if (c < '@')
		return false;
	if (t->escape[2] != '?') {
		sscanf(t->escape + 2, "%d;%d", &a, &b);
		obey(t, a, b, c);
		return true;
	}
	sscanf(t->escape + 3, "%d;%d", &a, &b);
	set_mode(t, a, c == 'h');
	set_mode(t, b, c == 'h');
	return true;
}

static void take(struct terminal *t, char c)
{
	if (t->escape_len) {
		if (take_escape(t, c))
			t->escape_len = 0;
	} else if (c == '\033') {
		t->escape_len = 1;
	} else if (c == '\r') {
		t->x = 0;
	} else if (c == '\n') {
		line_feed(t);
	} else if (c == '\b') {
		t->x -= t->x > 0;
	} else if (c == '\t') {
		t->x = (t->x / 8 + 1) * 8;
		clamp(t);
	} else if ((unsigned char)c >= ' ') {
		put(t, c);
	}
}

static void print_screen(const struct terminal *t)
{
	for (int y = 0; y < t->rows; y++)
		fprintf(stderr, "|%.*s|\n", t->cols, t->cell[y]);
}

static bool find_text(const struct terminal *t, const char *text, int *x, int *y)
{
	char line[TERMINAL_COLS + 1];

	for (*y = 0; *y < t->rows; (*y)++) {
		snprintf(line, sizeof(line), "%.*s", t->cols, t->cell[*y]);
		*x = strstr(line, text) ? strstr(line, text) - line : -1;
		if (*x >= 0)
			return true;
	}
	return false;
}

bool terminal__shows(const struct terminal *t, const char *text)
{
	int x, y;

	return find_text(t, text, &x, &y);
}

void terminal__find(const struct terminal *t, const char *text, int *x, int *y)
{
	if (!find_text(t, text, x, y))
		fail_test("the screen does not show '%s'", text);
}

/* ---- input and output ---- */

/* Reads once. Returns false if bprof has ended. */
static bool read_some(struct terminal *t)
{
	char buf[4096];
	ssize_t n = read(t->fd, buf, sizeof(buf));

	for (ssize_t i = 0; i < n; i++)
		take(t, buf[i]);
	if (t->log && n > 0)
		fwrite(buf, 1, n, t->log);
	return n > 0;
}

static bool has_input(const struct terminal *t)
{
	struct pollfd p = {t->fd, POLLIN, 0};

	return poll(&p, 1, 0) == 1;
}

void terminal__drain(struct terminal *t)
{
	while (has_input(t) && read_some(t))
		;
}

static int wait_child(struct terminal *t)
{
	int status;

	assert_int_equal(waitpid(t->pid, &status, 0), t->pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void await(struct terminal *t, const char *text, bool shown)
{
	while (terminal__shows(t, text) != shown) {
		if (hang__await_input(t->fd) && read_some(t))
			continue;
		print_screen(t);
		/* a running bprof would keep the programs of other tests loaded */
		kill(t->pid, SIGKILL);
		wait_child(t);
		fail_test("the screen %s '%s'", shown ? "never showed" : "still shows", text);
	}
}

void terminal__await(struct terminal *t, const char *text)
{
	await(t, text, true);
}

void terminal__await_gone(struct terminal *t, const char *text)
{
	await(t, text, false);
}

void terminal__type(const struct terminal *t, const char *keys)
{
	size_t len = strlen(keys);

	assert_int_equal(write(t->fd, keys, len), len);
}

void terminal__click(const struct terminal *t, int button, int x, int y)
{
	char keys[64];

	assert_true(t->mouse);
	snprintf(keys, sizeof(keys), "\033[<%d;%d;%dM\033[<%d;%d;%dm", button, x + 1, y + 1, button,
		 x + 1, y + 1);
	terminal__type(t, keys);
}

static void set_size(struct terminal *t, int rows, int cols)
{
	struct winsize size = {.ws_row = rows, .ws_col = cols};

	assert_true(rows <= TERMINAL_ROWS && cols <= TERMINAL_COLS);
	t->rows = rows;
	t->cols = cols;
	t->x = t->y = t->top = 0;
	t->bottom = rows - 1;
	memset(t->cell, ' ', sizeof(t->cell));
	if (t->fd >= 0)
		assert_int_equal(ioctl(t->fd, TIOCSWINSZ, &size), 0);
}

void terminal__resize(struct terminal *t, int rows, int cols)
{
	/*
	 * If the size is the same, the kernel sends no signal, and bprof would not draw the screen
	 * again.
	 */
	if (rows == t->rows && cols == t->cols)
		return;
	set_size(t, rows, cols);
}

/* Returns the modes that a new terminal has. */
static struct termios default_modes(void)
{
	struct termios modes;
	int fd, other;

	assert_int_equal(openpty(&fd, &other, NULL, NULL, NULL), 0);
	assert_int_equal(tcgetattr(other, &modes), 0);
	close(fd);
	close(other);
	return modes;
}

void terminal__open_shell(struct terminal *t, int rows, int cols, const char *type,
			  const char *command)
{
	struct winsize size = {.ws_row = rows, .ws_col = cols};

	*t = (struct terminal){.fd = -1, .modes = default_modes()};
	set_size(t, rows, cols);
	t->pid = forkpty(&t->fd, NULL, &t->modes, &size);
	if (t->pid < 0)
		fail_test("forkpty: %s", strerror(errno));
	if (t->pid)
		return;
	setenv("TERM", type, 1);
	unsetenv("COLUMNS");
	unsetenv("LINES");
	execl("/bin/sh", "sh", "-c", command, NULL);
	_exit(127);
}

void terminal__open(struct terminal *t, int rows, int cols, const char *args)
{
	char line[512];

	snprintf(line, sizeof(line), "exec bprof %s", args);
	terminal__open_shell(t, rows, cols, "vt100", line);
}

/* ---- the end ---- */

void terminal__check_modes(const struct terminal *t)
{
	struct termios now;

	assert_int_equal(tcgetattr(t->fd, &now), 0);
	if (now.c_lflag != t->modes.c_lflag)
		print_screen(t);
	assert_int_equal(now.c_iflag, t->modes.c_iflag);
	assert_int_equal(now.c_oflag, t->modes.c_oflag);
	assert_int_equal(now.c_lflag, t->modes.c_lflag);
	assert_memory_equal(now.c_cc, t->modes.c_cc, sizeof(now.c_cc));
	assert_false(t->alternate || t->hidden || t->keypad || t->mouse);
}

int terminal__end(struct terminal *t)
{
	int status;

	while (hang__await_input(t->fd) && read_some(t))
		;
	status = wait_child(t);
	if (status)
		print_screen(t);
	terminal__check_modes(t);
	close(t->fd);
	return status;
}

int terminal__close(struct terminal *t)
{
	close(t->fd);
	t->fd = -1;
	return wait_child(t);
}
