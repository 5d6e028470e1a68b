/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Makes the report of what happened between snapshots of a session.
 */
#ifndef BPROF_RESULT_H
#define BPROF_RESULT_H

#include "report/report.h"
#include "session/session.h"

/* The span between two snapshots. */
struct result_span {
	const char *input; /* the case (input) of the runs; NULL: none */
	const struct snapshot *from, *to;
};

struct result_opts {
	char **command; /* argv, NULL-terminated, for the report */
	bool per_cpu;	/* add rows for each CPU */
	bool buckets;	/* include the distributions' buckets */
	bool driven;	/* bprof made the runs: rates mean nothing */
	bool intervals; /* one of several of a session, with the same statistics */
	struct timespec started;
	/* True if that program has a row for that span (NULL: for any). NULL: all have. */
	bool (*wants)(void *arg, __u32 prog_id, const struct result_span *span);
	void *arg;
};

/*
 * Makes a report with a row of each target for each span; there is at least one span. The caller
 * frees *out with report__free(). 0 or -ENOMEM (reported).
 */
int result__report(const struct session *s, const struct result_span *spans, int cnt,
		   const struct result_opts *o, struct report **out);

#endif
