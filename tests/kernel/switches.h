/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a context switch costs while somebody counts it.
 */
#ifndef TESTS_SWITCHES_H
#define TESTS_SWITCHES_H

/* In the environment of users: the descriptor that a user who is ready writes a byte to. */
#define READY_FD_ENV "DRIVE_READY_FD"

struct switches {
	double before; /* instructions of one context switch with nobody counting */
	double after;  /* and with all users */
};

/*
 * Two processes that hand a byte to and fro through pipes, on one CPU; beside them, cnt users: argv,
 * in which "PIDS" is replaced by the ids of the two, and which is to run "drive ready" once it
 * counts. No users: after is NaN. 0 or -errno.
 */
int switches__measure(int cnt, char **argv, struct switches *result);

/* Says that the user counts now, and waits to be ended. Does not return but on failure, -errno. */
int switches__ready(void);

#endif
