/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The exit statuses of bprof.
 */
#ifndef BPROF_EXIT_STATUS_H
#define BPROF_EXIT_STATUS_H

#include <errno.h>

/* If the measured COMMAND ran and failed, bprof exits with the status of COMMAND instead. */
enum exit_status {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_REGRESSION = 3,
	EXIT_NOTHING = 4,
	EXIT_INCONCLUSIVE = 5,
	EXIT_NO_MEMORY = 6, /* base/memory.h */
	EXIT_NOT_ALLOWED = 7,
	EXIT_NO_SUCH = 8, /* the program, process or cgroup to measure does not exist */
	/* COMMAND could not be run; shells, env and timeout use these statuses, too */
	EXIT_NOT_EXECUTABLE = 126,
	EXIT_NOT_FOUND = 127,
};

/*
 * Returns the exit status of a command that failed with -errno: -EPERM or -EACCES: the user lacks a
 * permission; -ESRCH: no such program exists; -ENOTUNIQ: several programs have the name that the user
 * gave; -ENODATA: nothing could be measured.
 */
static inline enum exit_status exit_status__of_error(int err)
{
	switch (err) {
	case -EPERM:
	case -EACCES:
		return EXIT_NOT_ALLOWED;
	case -ESRCH:
		return EXIT_NO_SUCH;
	case -ENOTUNIQ:
		return EXIT_USAGE;
	case -ENODATA:
		return EXIT_NOTHING;
	default:
		return EXIT_FAILED;
	}
}

/*
 * Returns the exit status of a command that ends after parsing its options. err is the parser's
 * result: 1 for --help, -EINVAL or -E2BIG for wrong arguments, another -errno for other failures.
 */
static inline enum exit_status exit_status__of_options(int err)
{
	if (err > 0)
		return EXIT_DONE;
	return err == -EINVAL || err == -E2BIG ? EXIT_USAGE : exit_status__of_error(err);
}

#endif
