/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef BPROF_STOPWATCH_H
#define BPROF_STOPWATCH_H

#include <stdbool.h>
#include <linux/types.h>

#include "base/util.h"

/* Measures how long a measurement has lasted, without the times between a stop and the next start. */
struct stopwatch {
	__u64 started_ns;  /* CLOCK_MONOTONIC of the last start */
	__u64 measured_ns; /* sum of the times from each start to its stop */
	bool running;
};

static inline void stopwatch__start(struct stopwatch *w)
{
	w->started_ns = now_ns();
	w->running = true;
}

static inline __u64 stopwatch__elapsed_ns(const struct stopwatch *w)
{
	return w->measured_ns + (w->running ? now_ns() - w->started_ns : 0);
}

static inline void stopwatch__stop(struct stopwatch *w)
{
	w->measured_ns = stopwatch__elapsed_ns(w);
	w->running = false;
}

#endif
