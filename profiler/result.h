/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From two snapshots of a session to the report of what happened between them.
 */
#ifndef BPROF_RESULT_H
#define BPROF_RESULT_H

#include "report.h"
#include "session.h"

struct result_opts {
	char **command; /* argv, NULL-terminated, for the report */
	bool per_cpu;	/* rows for each CPU too */
	bool buckets;	/* the distributions themselves, too */
	struct timespec started;
};

/* The caller frees *out with report__free(). 0 or -ENOMEM (reported). */
int result__report(const struct session *s, const struct snapshot *from, const struct snapshot *to,
		   const struct result_opts *o, struct report **out);

#endif
