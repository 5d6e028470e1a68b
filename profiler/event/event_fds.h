/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The perf events of one session: each event opened once per CPU, and shared by all targets.
 */
#ifndef BPROF_EVENT_FDS_H
#define BPROF_EVENT_FDS_H

#include "kernel/cpus.h"
#include "event/event.h"
#include "base/event_status.h"
#include "bpf/probe.h"

struct event_fds {
	int event_cnt;
	int cpu_limit; /* highest possible CPU id + 1 */
	int *fd;       /* [event * cpu_limit + CPU id]; -1: not open there */
	struct event_state {
		enum event_status status;
		char detail[160]; /* why it is not EVENT_OK */
		__u32 slot; /* its slot in the probe (probe.h); only where status is EVENT_OK */
	} state[BPROF_MAX_EVENTS];
	int perf_slot_cnt; /* slots that perf events take */
	bool clock;	   /* is the probe's clock among the events? */
	/* More events than counters: none is pinned, the kernel lets them take turns. */
	bool multiplexed;
};

/*
 * Opens every event of the list on every CPU given, counting: pinned where there is a counter for
 * each, else none of them is. An event that cannot be opened is no failure: its state says why.
 * -EMFILE where the descriptors do not suffice; -errno (all reported).
 */
int event_fds__open(const struct event_list *events, const struct cpus *cpus,
		    struct event_fds **out);
void event_fds__close(struct event_fds *fds); /* NULL is fine */

/* Was the event opened on that CPU? It may have died with the CPU since. */
bool event_fds__is_open(const struct event_fds *fds, int event, int cpu);
/* What one event has counted on one CPU since it was opened, all that ran there. 0 or -errno. */
int event_fds__read(const struct event_fds *fds, int event, int cpu, __u64 *value);

/*
 * Lets an event count on one CPU, or not; it does from the start. Not for pinned events, which
 * would not find their counter again. 0 or -errno.
 */
int event_fds__enable(const struct event_fds *fds, int event, int cpu, bool on);

/* Does the kernel open this event? For --list-events and the default events. */
bool event__is_supported(const struct event *ev, void *unused);

#endif
