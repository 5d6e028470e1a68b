/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A terminal of the type vt100 or xterm, in which bprof runs, and whose screen a test can read.
 */
#ifndef KTEST_TERMINAL_H
#define KTEST_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>
#include <termios.h>

#define TERMINAL_ROWS 80
#define TERMINAL_COLS 250

struct terminal {
	int fd; /* the other end of the terminal; -1: closed */
	pid_t pid;
	int rows, cols;
	int x, y;
	int top, bottom; /* the lines that scroll, inclusive */
	char cell[TERMINAL_ROWS][TERMINAL_COLS];
	/* The part of an escape sequence that has arrived so far. */
	char escape[32];
	int escape_len;
	char last;		/* the last character that was printed */
	struct termios modes;	/* the terminal's modes at the start */
	FILE *log;		/* gets a copy of all output; NULL: none */
	bool alternate, hidden; /* the alternate screen is shown; the cursor is not */
	bool keypad;		/* keys send the codes of an application */
	bool mouse;		/* clicks are reported, in the form of SGR */
};

/*
 * Runs "bprof ARGS" in a terminal of this size. The test must call terminal__end() or
 * terminal__close().
 */
void terminal__open(struct terminal *t, int rows, int cols, const char *args);
/* Runs a command of the shell in a terminal of this type. */
void terminal__open_shell(struct terminal *t, int rows, int cols, const char *type,
			  const char *command);
void terminal__type(const struct terminal *t, const char *keys);
/* Waits until the screen has this text. */
void terminal__await(struct terminal *t, const char *text);
/* Waits until the screen does not have this text. */
void terminal__await_gone(struct terminal *t, const char *text);
bool terminal__shows(const struct terminal *t, const char *text);
/* Sets *x and *y to the place of a text on the screen, counted from 0. */
void terminal__find(const struct terminal *t, const char *text, int *x, int *y);
/*
 * Reports a click of a mouse button at this place. button 0 is the left one; 64 and 65 are the
 * wheel, up and down.
 */
void terminal__click(const struct terminal *t, int button, int x, int y);
void terminal__resize(struct terminal *t, int rows, int cols);
/* Reads the output that has arrived, without waiting. */
void terminal__drain(struct terminal *t);
/* Checks that the terminal's modes are as they were at the start. */
void terminal__check_modes(const struct terminal *t);
/*
 * Waits until bprof ends, and checks that the terminal's modes are as they were at the start.
 * Returns the exit status, or 128 + signal.
 */
int terminal__end(struct terminal *t);
/*
 * Closes the other end of the terminal, and waits until bprof ends. Returns the same values as
 * terminal__end().
 */
int terminal__close(struct terminal *t);

#endif
