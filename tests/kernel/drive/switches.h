/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The cost of a context switch while users count it.
 */
#ifndef TESTS_SWITCHES_H
#define TESTS_SWITCHES_H

/* The environment variable that tells a user the descriptor to write a byte to when it is ready. */
#define READY_FD_ENV "DRIVE_READY_FD"

struct switches_effort {
	/*
	 * A pair takes one of two ways through the scheduler, 45 instructions apart: the cheapest
	 * pair is used.
	 */
	int pairs;
	/* The minimum of the tries is used; each try has that many rounds of two switches. */
	int tries, rounds;
};

/*
 * Measures two processes that send a byte back and forth through pipes on one CPU. Beside them run
 * users: argv, in which "PIDS" is replaced by the ids of the two, and which must run "drive ready"
 * once it counts. per_switch[0] is set to the instructions of one context switch without users, [1
 * + i] to those with users[i] users (ascending, cnt of them); NaN where that many could not be
 * started. Returns 0; -ECHILD if a user ended by itself; or -errno.
 */
int switches__measure(const struct switches_effort *effort, const int *users, int cnt, char **argv,
		      double *per_switch);

/* Reports that the user counts now, and waits to be ended. Returns only on failure, -errno. */
int switches__ready(void);

#endif
