/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Restores the terminal of bprof top if a signal such as SIGSEGV kills the process.
 */
#ifndef BPROF_TOP_RESCUE_H
#define BPROF_TOP_RESCUE_H

#include <termios.h>

/*
 * Handles all signals that would kill the process and that have no other handler. modes: the modes
 * of the terminal before ncurses changed them. Call it after newterm().
 */
void top_rescue__begin(const struct termios *modes);
/* Restores the previous handling of the signals. */
void top_rescue__end(void);

#endif
