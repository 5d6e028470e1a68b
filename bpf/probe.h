/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the probe (probe.bpf.c) and user space share: the layout of its maps.
 */
#ifndef BPROF_PROBE_H
#define BPROF_PROBE_H

#include <linux/types.h>

#define BPROF_MAX_EVENTS 16
/* Invocations of one target that may be in flight on one CPU at once. */
#define BPROF_FRAMES 4

/*
 * bprof's own clock (the event "time") is not a perf event: it has a slot of its own after those.
 */
#define BPROF_CLOCK_SLOT BPROF_MAX_EVENTS
#define BPROF_SLOTS (BPROF_MAX_EVENTS + 1)

/*
 * The probe's constant "bprof_config": the number of perf events, and whether the clock is read
 * too.
 */
#define BPROF_CONFIG(event_cnt, clock) ((event_cnt) | ((clock) ? 0x100 : 0))
#define BPROF_CONFIG_EVENTS(config) ((config)&0xff)
#define BPROF_CONFIG_CLOCK(config) ((config)&0x100)

/* Where perf event i of a CPU lies in the perf event array "bprof_events". */
#define BPROF_EVENT_SLOT(cpu, i) ((cpu)*BPROF_MAX_EVENTS + (i))

/* One invocation in flight: its key and the readings at its entry. */
struct bprof_frame {
	/* The ctx pointer of the invocation, unique among those in flight; 0: free. */
	__u64 ctx;
	/* Was the gate open when it began? Only such an invocation is counted. */
	__u64 counted;
	__u64 start[BPROF_SLOTS];
};

struct bprof_event_sum {
	__u64 total;  /* raw, summed over the measured runs, in the event's own unit */
	__u64 min;    /* raw; user space sets it to ~0 before the first run */
	__u64 max;    /* raw */
	__u64 errors; /* runs in which a reading of this event failed */
};

/*
 * What one target did on one CPU: the element of the map "bprof_stats" with the CPU's id. Each
 * field has one writer on that CPU, the entry or the exit probe, neither of which can interrupt
 * itself (kernel/bpf/trampoline.c, prog->active).
 */
struct bprof_cpu_stat {
	__u64 off;	     /* user space: this CPU is not measured */
	__u64 measured;	     /* exit: runs whose entry and exit were seen */
	__u64 lost_entry;    /* exit: no frame was found for it; lost_overflow is part of it */
	__u64 lost_overflow; /* entry: no frame was free */
	struct bprof_frame frame[BPROF_FRAMES];
	struct bprof_event_sum event[BPROF_SLOTS];
};

#endif
