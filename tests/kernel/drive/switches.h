/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Measures how many instructions a context switch takes while bperf users count.
 */
#ifndef TESTS_SWITCHES_H
#define TESTS_SWITCHES_H

#include <stdbool.h>

/*
 * The environment variable with the descriptor to which a bperf user writes a byte once it counts.
 */
#define READY_FD_ENV "DRIVE_READY_FD"

struct switches_effort {
	/*
	 * Number of pairs of processes that are tried. Each pair takes one of two paths through the
	 * scheduler, which differ by 45 instructions. The pair with the fewest instructions is
	 * used.
	 */
	int pairs;
	/*
	 * Each try does `rounds` rounds of two switches. The try with the fewest instructions is
	 * used.
	 */
	int tries, rounds;
	/*
	 * Before each bperf user, the first process of the pair forks a child that stays, so that
	 * each bperf user counts other children.
	 */
	bool fork;
};

/*
 * Measures two processes that send a byte back and forth through pipes on one CPU, while bperf
 * users count. Each bperf user executes argv, and must run "drive ready" once it counts. "PIDS" at
 * the beginning of an argument is replaced by the ids of the two processes.
 *
 * users[] has cnt numbers of bperf users, in ascending order. Sets per_switch[0] to the
 * instructions of one context switch without bperf users, and per_switch[1 + i] to the instructions
 * with users[i] bperf users, or to NaN if that many could not be started. Returns 0; -ECHILD if a
 * bperf user ended by itself; or another -errno.
 */
int switches__measure(const struct switches_effort *effort, const int *users, int cnt, char **argv,
		      double *per_switch);

/*
 * Tells switches__measure() that the bperf user counts now, and waits for a signal. Returns only on
 * failure, with -errno.
 */
int switches__ready(void);

#endif
