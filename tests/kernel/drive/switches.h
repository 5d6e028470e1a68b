/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a context switch costs while somebody counts it.
 */
#ifndef TESTS_SWITCHES_H
#define TESTS_SWITCHES_H

/* In the environment of users: the descriptor that a user who is ready writes a byte to. */
#define READY_FD_ENV "DRIVE_READY_FD"

struct switches_effort {
	/* A pair takes one of two ways through the scheduler, 45 instructions apart: the cheapest is taken. */
	int pairs;
	/* The least of so many tries counts, each of so many rounds of two switches. */
	int tries, rounds;
};

/*
 * Two processes that hand a byte to and fro through pipes, on one CPU; beside them, users: argv, in
 * which "PIDS" is replaced by the ids of the two, and which is to run "drive ready" once it counts.
 * Into per_switch[0] the instructions of one context switch with nobody counting, into [1 + i] those
 * with users[i] users (ascending, cnt of them); NaN where that was not reached. 0; -ECHILD: a user
 * ended by itself; -errno.
 */
int switches__measure(const struct switches_effort *effort, const int *users, int cnt, char **argv,
		      double *per_switch);

/* Says that the user counts now, and waits to be ended. Does not return but on failure, -errno. */
int switches__ready(void);

#endif
