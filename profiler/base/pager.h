/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The pager that shows long output on a terminal, as in git.
 */
#ifndef BPROF_PAGER_H
#define BPROF_PAGER_H

#include <sys/types.h>

struct pager {
	pid_t pid;	    /* 0: no pager runs */
	int out_fd, err_fd; /* the terminal; err_fd is -1 if standard error is something else */
};

/*
 * If standard output is a terminal, starts the pager of BPROF_PAGER or PAGER, or else less.
 * Redirects standard output to the pager, and also standard error if it is a terminal. screen__of()
 * still describes the terminal. Does nothing if there is no pager, if the variable is empty or
 * "cat", or if TERM is "dumb".
 */
void pager__start(struct pager *p);
/* Waits until the user ends the pager, and undoes pager__start(). */
void pager__end(struct pager *p);

#endif
