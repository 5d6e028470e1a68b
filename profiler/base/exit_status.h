/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The exit statuses of bprof.
 */
#ifndef BPROF_EXIT_STATUS_H
#define BPROF_EXIT_STATUS_H

/* A COMMAND that ran and failed passes on its own status instead. */
enum exit_status {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_REGRESSION = 3,
	EXIT_NOTHING = 4,
	EXIT_INCONCLUSIVE = 5,
};

#endif
