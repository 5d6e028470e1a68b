/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The perf events of one session: each event is opened once per CPU and shared by all targets.
 */
#ifndef BPROF_EVENT_FDS_H
#define BPROF_EVENT_FDS_H

#include "base/event_status.h"
#include "bpf/probe.h"
#include "event/event.h"
#include "kernel/cpus.h"

struct event_fds {
	int event_cnt;
	int cpu_limit; /* highest possible CPU id + 1 */
	int *fd;       /* [event * cpu_limit + CPU id]; -1: not open there */
	struct event_state state[BPROF_MAX_EVENTS];
	int perf_slot_cnt; /* number of slots of perf events */
	bool clock;	   /* the events include the probe's clock */
	/* More events than counters: none is pinned, and the kernel multiplexes them. */
	bool multiplexed;
};

/*
 * Opens every event of the list on every given CPU, enabled. All are pinned if there are enough
 * counters, otherwise none is. An event that cannot be opened is not a failure: its state has the
 * reason. Returns 0; -EMFILE: too few file descriptors; or another -errno. All errors are reported.
 */
int event_fds__open(const struct event_list *events, const struct cpus *cpus, int cpu_limit,
		    struct event_fds **out);
void event_fds__close(struct event_fds *fds); /* NULL is fine */

/* Returns true if the event was opened on that CPU. The CPU may have gone offline since. */
bool event_fds__is_open(const struct event_fds *fds, int event, int cpu);
/* Reads what one event has counted on one CPU since it was opened. Returns 0 or -errno. */
int event_fds__read(const struct event_fds *fds, int event, int cpu, __u64 *value);

/*
 * Enables or disables an event on one CPU; it starts enabled. Not for pinned events, which might
 * not get their counter again. Returns 0 or -errno.
 */
int event_fds__enable(const struct event_fds *fds, int event, int cpu, bool on);

/* Returns true if the kernel can open this event. For --list-events and the default events. */
bool event__is_supported(const struct event *ev, void *unused);
/*
 * Fills the list, if it is empty, with the default events: cycles,instructions if the PMU has one of
 * them, else time, which is reported. 0 or -errno (reported).
 */
int event_list__set_default(struct event_list *list);

#endif
