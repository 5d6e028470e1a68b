/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs a command in a terminal of its own.
 */
#ifndef KTEST_PTY_H
#define KTEST_PTY_H

/*
 * Runs the command in a pseudo terminal of this size, and copies the output from the terminal to
 * standard output. Returns the command's exit status, 128 + signal, or -errno.
 */
int pty__run(int rows, int cols, char **argv);

#endif
