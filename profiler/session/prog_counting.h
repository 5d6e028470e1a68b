/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counts programs: implements struct counting_ops by a session, with or without following.
 */
#ifndef BPROF_PROG_COUNTING_H
#define BPROF_PROG_COUNTING_H

#include "engine/counting.h"
#include "session/follow.h"
#include "session/result.h"

/* The caller opens and closes the session and follow. */
struct prog_counting {
	struct session *s;
	struct result_opts result;
	struct follow *follow; /* or NULL */
	/* With follow: the tag of the version that others are compared with, or NULL. */
	const char *vs;
};

extern const struct counting_ops prog_counting_ops; /* arg: struct prog_counting */

#endif
