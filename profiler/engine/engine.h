/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The parts that every measurement of programs or of the system needs: CPUs, events and time.
 */
#ifndef BPROF_ENGINE_H
#define BPROF_ENGINE_H

#include <stdbool.h>
#include <linux/types.h>

#include "base/util.h"

struct cpus;
struct event_list;
struct event_state;

/*
 * Chooses the CPUs of a measurement. *possible and *online are the given CPUs (-C) or, if none are
 * given, all possible and all online CPUs. *limit is the highest possible CPU id + 1. possible and
 * limit may be NULL. The caller frees both sets. Returns 0 or -errno (reported).
 */
int engine__choose_cpus(const struct cpus *given, struct cpus *possible, struct cpus *online,
			int *limit);

/*
 * Checks that at least one event can be counted. state[i] is the state of event i of the list.
 * Events that cannot be counted are no error as long as one can be: reports show them with the
 * reason. Returns 0 or -ENODATA (reported).
 */
int engine__check_events(const struct event_list *events, const struct event_state *state);

/*
 * Measures how long a measurement has lasted: the sum of the times from each start to the next
 * stop.
 */
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
