/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From snapshots of a session to the report of what happened between them.
 */
#ifndef BPROF_RESULT_H
#define BPROF_RESULT_H

#include "report/report.h"
#include "session/session.h"

/* What was counted between two snapshots. */
struct result_span {
	const char *input; /* the case that the programs were run with; NULL: none */
	const struct snapshot *from, *to;
};

struct result_opts {
	char **command; /* argv, NULL-terminated, for the report */
	bool per_cpu;	/* rows for each CPU too */
	bool buckets;	/* the distributions themselves, too */
	bool driven;	/* we made the runs: how many a second, says nothing */
	bool intervals; /* it is one of several of a session, which all have the same statistics */
	struct timespec started;
	/* Has that program a row for that span (NULL: for any)? NULL: all have. */
	bool (*wants)(void *arg, __u32 prog_id, const struct result_span *span);
	void *arg;
};

/*
 * A row of each target for each span, of which there is at least one. The caller frees *out with
 * report__free(). 0 or -ENOMEM (reported).
 */
int result__report(const struct session *s, const struct result_span *spans, int cnt,
		   const struct result_opts *o, struct report **out);

#endif
