/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Made-up counts (run/counting.h) for tests of the code that drives a measurement. The counts are a
 * clock in ns: each snapshot advances the clock by 10, and each start by 1000 before it makes its
 * snapshot. A report's elapsed time is the difference of its snapshots.
 */
#ifndef BPROF_TEST_FAKE_COUNTING_H
#define BPROF_TEST_FAKE_COUNTING_H

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "run/counting.h"
#include "tests/unit/report_models.h"

struct fake_counting {
	__u64 now;
	int starts, stops, reads, ticks, readies;
	pid_t command;			      /* id of the command that was forked last */
	int over_at;			      /* number of the tick that ends the measurement */
	int stop_at;			      /* number of the start at which SIGTERM arrives */
	int fail_start, fail_read, fail_stop; /* number of the call that fails */
	int fail_report, report_cnt;
	bool nothing; /* there is nothing to count */
	int ready_fd; /* 0: none */
};

/* The number of snapshots that exist. It is global, as free() does not get the struct. */
static int live_snapshots;

static inline int fake_snap(struct fake_counting *f, void **at)
{
	__u64 *now = malloc(sizeof(*now));

	*now = f->now += 10;
	live_snapshots++;
	*at = now;
	return 0;
}

static inline int fake_forked(void *arg, pid_t command)
{
	struct fake_counting *f = arg;

	f->command = command;
	return 0;
}

static inline int fake_start(void *arg, void **at)
{
	struct fake_counting *f = arg;

	f->now += 1000;
	if (++f->starts == f->stop_at)
		raise(SIGTERM);
	if (f->starts == f->fail_start)
		return -EIO;
	return fake_snap(f, at);
}

static inline int fake_read(void *arg, void **at)
{
	struct fake_counting *f = arg;

	int err = fake_snap(f, at);

	/* like a real read, it fails after it has made the snapshot */
	return ++f->reads == f->fail_read ? -EIO : err;
}

static inline int fake_stop(void *arg, void **at)
{
	struct fake_counting *f = arg;

	return ++f->stops == f->fail_stop ? -EIO : fake_snap(f, at);
}

static inline void fake_free(void *at)
{
	live_snapshots -= !!at;
	free(at);
}

static inline int fake_report(void *arg, const void *from, const void *to, struct report **out)
{
	struct fake_counting *f = arg;

	if (++f->report_cnt == f->fail_report)
		return -ENOSPC;
	*out = make_base();
	(*out)->elapsed_ns = *(const __u64 *)to - *(const __u64 *)from;
	return 0;
}

static inline int fake_progress(void *arg, const void *start, char *line, size_t sz)
{
	return -ENODATA;
}

static inline int fake_tick(void *arg)
{
	struct fake_counting *f = arg;

	return ++f->ticks == f->over_at;
}

static inline int fake_why_none(const void *arg)
{
	return -ENODATA;
}

static inline bool fake_has_any(const void *arg)
{
	const struct fake_counting *f = arg;

	return !f->nothing;
}

static inline int fake_ready_fd(const void *arg)
{
	const struct fake_counting *f = arg;

	return f->ready_fd ?: -1;
}

/* Takes one byte from the descriptor. */
static inline int fake_ready(void *arg)
{
	struct fake_counting *f = arg;
	char c;

	f->readies += read(f->ready_fd, &c, 1) == 1;
	return 0;
}

static const struct counting_ops fake_counting_ops = {
	.has_any = fake_has_any,
	.why_none = fake_why_none,
	.forked = fake_forked,
	.start = fake_start,
	.stop = fake_stop,
	.read = fake_read,
	.free = fake_free,
	.report = fake_report,
	.progress = fake_progress,
	.tick = fake_tick,
	.ready_fd = fake_ready_fd,
	.ready = fake_ready,
};

#endif
