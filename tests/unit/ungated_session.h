/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A made-up session that can be started and stopped, whose backend counts all the time, as the
 * kernel's run statistics do. The session's messages are dropped.
 */
#ifndef BPROF_TEST_UNGATED_SESSION_H
#define BPROF_TEST_UNGATED_SESSION_H

#include "tests/unit/made_session.h"

#include <errno.h>

#include "base/log.h"

/* The counters of a backend that counts all the time. */
struct ungated {
	__u64 runs;
	int reads_left; /* number of readings that succeed before one fails */
};

static inline int read_ungated(const void *state, struct target *t, bool hists,
			       struct counts *per_cpu, struct counts *no_cpu)
{
	struct ungated *u = (struct ungated *)state;

	if (!u->reads_left--)
		return -EIO;
	no_cpu->measured = u->runs;
	return 0;
}

static const struct counter_ops ungated_ops = {.method = "ungated", .read_target = read_ungated};

static inline void drop(void *arg, enum log_level level, const char *message)
{
}

static const struct log_sink silent = {.write = drop, .max = LOG_LEVEL_ERROR};

struct ungated_session {
	struct fixture *f;
	struct ungated u;
	struct backend b;
};

static inline int setup_ungated(void **state)
{
	struct ungated_session *us = calloc(1, sizeof(*us));

	if (!us || setup((void **)&us->f))
		return -1;
	us->u.reads_left = 1000;
	us->b = (struct backend){.ops = &ungated_ops, .state = &us->u};
	us->f->target[0].backend = &us->b;
	us->f->s.foreign.unknown = true;
	for (int i = 0; i < BACKEND_CNT; i++)
		us->f->s.backend[i] = (struct backend){.ops = &ungated_ops};
	log__set_sink(&silent);
	*state = us;
	return 0;
}

static inline int teardown_ungated(void **state)
{
	struct ungated_session *us = *state;

	log__set_sink(NULL);
	snapshot__free(us->f->s.closed);
	snapshot__free(us->f->s.stopped);
	teardown((void **)&us->f);
	free(us);
	return 0;
}

#endif
