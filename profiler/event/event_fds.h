/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The perf events of one session: each event is opened once per CPU and shared by all targets.
 */
#ifndef BPROF_EVENT_FDS_H
#define BPROF_EVENT_FDS_H

#include "base/event_status.h"
#include "bpf/probe.h"
#include "event/event.h"
#include "host/cpus.h"

struct event_fds {
	int event_cnt;
	int cpu_limit; /* highest possible CPU id + 1 */
	/* Indexed by event * cpu_limit + CPU id; -1: the event is not open on that CPU */
	int *fd;
	struct event_state state[BPROF_MAX_EVENTS];
	int perf_slot_cnt; /* the number of slots that perf events use */
	bool clock;	   /* the events include the probe's clock */
	/*
	 * There are more events than counters: no event is pinned, and the kernel multiplexes them.
	 */
	bool multiplexed;
};

/*
 * Opens every event of the list on every given CPU, enabled. Pins all events if there are enough
 * counters, and no event otherwise. If an event cannot be opened, the reason is stored in the
 * event's state, and this is not a failure. Returns 0, -EMFILE if there are too few file
 * descriptors, or another -errno. All errors are reported.
 */
int event_fds__open(const struct event_list *events, const struct cpus *cpus, int cpu_limit,
		    struct event_fds **out);
void event_fds__close(struct event_fds *fds); /* fds may be NULL */

/* Returns true if the event was opened on that CPU, even if the CPU is offline now. */
bool event_fds__is_open(const struct event_fds *fds, int event, int cpu);
/* Reads the count of one event on one CPU since the event was opened. Returns 0 or -errno. */
int event_fds__read(const struct event_fds *fds, int event, int cpu, __u64 *value);

/*
 * Enables or disables an event on one CPU. Do not call this for a pinned event: it might not get
 * its counter back. Returns 0 or -errno.
 */
int event_fds__enable(const struct event_fds *fds, int event, int cpu, bool on);

/*
 * Returns 1 if the kernel can open this event, 0 if it cannot, or -errno if it is not possible to
 * find out. Has the type event_supported_fn.
 */
int event__is_supported(const struct event *ev, void *unused);
/*
 * Fills an empty list with the default events: cycles and instructions, as far as the kernel can
 * open them. Logs a note if one of them is missing. If both are missing, the default event is time,
 * and the function logs a warning. If list->tasks is set, and the kernel allows only user space to
 * be counted, the default events are cycles:u and instructions:u, also with a warning. Does not
 * change a list that is not empty. Returns 0 or -errno (reported).
 */
int event_list__set_default(struct event_list *list);

/*
 * Checks that at least one event can be counted. state[i] is the state of event i of the list. If
 * at least one event can be counted, it is no error if others cannot be counted: reports show them
 * with the reason. Returns 0, -EPERM or -ENODATA (reported).
 */
int event_list__check(const struct event_list *events, const struct event_state *state);

#endif
