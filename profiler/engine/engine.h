/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The parts common to every measurement: its CPUs, its events, its time.
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
 * Chooses the CPUs of a measurement: the given ones (-C), or else all possible ones for *possible
 * and all online ones for *online. *limit: the highest possible CPU id + 1. possible and limit may
 * be NULL. The caller frees both sets. 0 or -errno (reported).
 */
int engine__choose_cpus(const struct cpus *given, struct cpus *possible, struct cpus *online,
			int *limit);

/*
 * Checks that at least one event can be counted. state: of each event of the list. Reports show an
 * event that cannot be counted with its reason, but a measurement needs one that can. 0 or -ENODATA
 * (reported).
 */
int engine__check_events(const struct event_list *events, const struct event_state *state);

/* Measures how long a measurement has lasted: the time from each start to the next stop. */
struct stopwatch {
	__u64 started_ns;  /* CLOCK_MONOTONIC of the last start */
	__u64 measured_ns; /* up to the last stop */
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
