/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The layout of the probe's maps, shared by probe.bpf.c and user space.
 */
#ifndef BPROF_PROBE_H
#define BPROF_PROBE_H

#include <linux/types.h>

#define BPROF_MAX_EVENTS 16
/* Maximum number of invocations of one target in flight on one CPU. */
#define BPROF_FRAMES 8

/* bprof's own clock (the event "time") is not a perf event: its slot follows those. */
#define BPROF_CLOCK_SLOT BPROF_MAX_EVENTS
#define BPROF_SLOTS (BPROF_MAX_EVENTS + 1)

/* The probe's constant "bprof_config": the number of perf events in the low byte, and flags. */
#define BPROF_CONFIG_EVENTS(config) ((config)&0xff)
#define BPROF_CONFIG_CLOCK 0x100     /* the clock is read too */
#define BPROF_CONFIG_HIST 0x200	     /* distributions are kept */
#define BPROF_CONFIG_THIN 0x400	     /* one run in stat->period is measured */
#define BPROF_CONFIG_BIG_STACK 0x800 /* kernel stacks have 64 KiB instead of 16 */
/* Distinguish runs by these contexts (below). */
#define BPROF_CONFIG_MIGRATION 0x1000
#define BPROF_CONFIG_RCU 0x2000 /* only together with the one above */
#define BPROF_CONFIG_IRQ 0x4000
/* The pairs that are compiled for one config (probe.bpf.c, DEFINE_COMMON_PAIRS()). */
#define BPROF_COMMON_CONFIG(events) (BPROF_CONFIG_HIST | (events))
#define BPROF_COMMON_EVENTS_MAX 4

/*
 * Contexts. The kernel's work around a probe, and in reading a counter, takes fewer instructions if
 * its caller has already done a part of it. So the cost of a probe depends on where its target
 * runs. The probe determines this for each run:
 *
 * Migration and RCU: the trampoline disables migration and takes the RCU read lock for each probe.
 * In the probe, the task's counter of each is 1 if nobody did so before the trampoline.
 *
 * Interrupts: reading a counter disables and enables them. BPF cannot see whether they are
 * disabled, but it changes the cost of reading all events: struct bprof_irqs.
 */
#define BPROF_CONTEXT_MIGRATION 1 /* migration was enabled */
#define BPROF_CONTEXT_RCU 2	  /* the task was in no RCU read-side critical section */
#define BPROF_CONTEXT_IRQ 4	  /* interrupts were disabled */
#define BPROF_CONTEXTS 8
#define BPROF_CONFIG_CONTEXT (BPROF_CONFIG_MIGRATION | BPROF_CONFIG_RCU | BPROF_CONFIG_IRQ)
/*
 * Placeholders for the offsets of the task's counters in struct task_struct, which are known only
 * after reading the kernel's BTF: user space replaces them in the instructions that load the
 * counters.
 */
#define BPROF_MIGRATION_OFFSET 0x7ef0
#define BPROF_RCU_OFFSET 0x7ef4

/* The index of perf event i of a CPU in the perf event array "bprof_events". */
#define BPROF_EVENT_SLOT(cpu, i) ((cpu)*BPROF_MAX_EVENTS + (i))

/*
 * Distributions are log-linear: net costs up to 127 have a bucket each (0 and negative ones share
 * one); above that, every power of two has 64 buckets, each at most 1.6 % wide. The last bucket
 * also holds everything beyond 2^38 (4.6 minutes in ns).
 */
#define BPROF_HIST_SUB_BITS 6
#define BPROF_HIST_MAX_BITS 38
#define BPROF_HIST_BUCKETS                                                      \
	(((BPROF_HIST_MAX_BITS - BPROF_HIST_SUB_BITS) << BPROF_HIST_SUB_BITS) + \
	 (1 << BPROF_HIST_SUB_BITS))

/*
 * The word of a bucket: the low bits are the number of its runs; the next bit is set if these had
 * more than one value; the highest bits are the low bits of the first value. Together with the
 * bucket's number these give the full value, unless the bucket is wider than
 * 2^BPROF_HIST_VALUE_BITS.
 */
#define BPROF_HIST_COUNT_BITS 44
#define BPROF_HIST_VALUE_BITS 19
#define BPROF_HIST_MIXED (1ULL << BPROF_HIST_COUNT_BITS)
#define BPROF_HIST_VALUE_SHIFT (BPROF_HIST_COUNT_BITS + 1)

struct bprof_readings {
	__u64 value[BPROF_SLOTS];
	/* Multiplexed events: how long the event had been off and on a counter, in ns. */
	__u64 off[BPROF_MAX_EVENTS];
	__u64 running[BPROF_MAX_EVENTS];
};

/* An invocation in flight: its key and the readings at its entry. */
struct bprof_frame {
	/* The ctx pointer of the invocation, unique among those in flight; 0: free. */
	__u64 ctx;
	/* Non-zero if the gate was open when it began: only then it is counted. */
	__u64 counted;
#define BPROF_CTX_OFF (~0ULL)
#define BPROF_FRAME_ENDING 2 /* counted, and just being added to the sums */
	struct bprof_readings start;
	/* Nested targets: the sums of its run (struct bprof_run) at its entry. */
	struct bprof_nested {
		__u64 probes; /* cost of the probes of all calls that have returned */
		__s64 net;    /* net cost of the direct calls that have returned */
	} before[BPROF_SLOTS];
};

/*
 * Nested targets (the pairs bprof_*_n): a run of the outermost target on a stack, with all the
 * targets that it calls. Each call adds its probe's cost and its own net cost to these sums, and
 * subtracts from its reading what has been added since it began. So a target's number does not
 * contain the probes of its callees, and its own part (self) contains nothing of the callees.
 */
struct bprof_run {
	__u64 stack;	    /* the ctx pointers of its targets without STACK_MASK; 0: free */
	__u64 outermost;    /* ctx of the outermost target */
	__u64 state;	    /* one state for all its calls: */
#define BPROF_RUN_CLOSED 0  /* not counted: the gate was closed when it began */
#define BPROF_RUN_COUNTED 1 /* counted */
#define BPROF_RUN_SKIPPED 2 /* thinned out */
	struct bprof_nested sum[BPROF_SLOTS];
	__u64 irqs_off; /* bprof_irqs.off of the outermost target */
	/* Multiplexed: 1 if the reading cost of any call was unknown (struct bprof_rotation). */
	__u64 unknown;
};

/* Maximum number of runs in flight on one CPU. */
#define BPROF_RUNS 8

/* The element of the map "bprof_runs" with the CPU's id. */
struct bprof_cpu_runs {
	struct bprof_run run[BPROF_RUNS];
};

/*
 * State of the check whether interrupts are disabled where a target runs, which the entry probe
 * makes now and then.
 */
struct bprof_irqs {
	__u64 slot;	    /* user space: slot of the event that shows it */
	__u64 enabled;	    /* user space: off if a reading costs less than this */
	__u64 countdown;    /* runs until the next check */
#define BPROF_IRQS_RUNS 127 /* odd, as two kinds of runs may alternate */
	__u64 checks;	    /* number of checks; the first ones are in each run */
#define BPROF_IRQS_CHECKS 16
	__u64 off;     /* DISPLACEMENT(BPROF_CONTEXT_IRQ), or 0: enabled */
	__u64 changes; /* number of checks with another result than the one before */
	struct bprof_readings again[2];
};

/* Sums over the measured runs, net (each run less the bias), in the event's own unit. */
struct bprof_event_sum {
	/* By context, from user space: what an empty program measures on this CPU. */
	__u64 bias[BPROF_CONTEXTS];
	/*
	 * By context, from user space, nested targets: what a probe adds to its caller's reading.
	 */
	__u64 cost[BPROF_CONTEXTS];
	__s64 total;
	__s64 self; /* nested: part of total that is not in called targets */
	__s64 min;  /* user space sets min to the maximum and max to the minimum of the type */
	__s64 max;
	__u64 errors;	 /* runs in which a reading of this event failed */
	__u64 uncovered; /* multiplexed: runs in which it was off, or with a rotation */
	__u64 readings;	 /* multiplexed: sum of the reading costs subtracted beside the bias */
	/*
	 * With distributions: the sum of squares, 128 bits. It is invalid if the square of any run
	 * needed more than 64 bits; min and max show that.
	 */
	__u64 squares, squares_high;
	__u64 scratch; /* exit */
};

/*
 * The counts of one target on one CPU: the element of the map "bprof_stats" with the CPU's id. Each
 * field has one writer on that CPU, the entry or the exit probe; neither of them can interrupt
 * itself (kernel/bpf/trampoline.c, prog->active: since Linux 5.12).
 */
struct bprof_cpu_stat {
	struct bprof_frame frame[BPROF_FRAMES];
	struct bprof_readings end; /* exit */

	/* user space: this CPU is not measured; frame[0].ctx then stays BPROF_CTX_OFF */
	__u64 off;
	__u64 period; /* user space: one run in this many is measured */
	/*
	 * user space, --sample auto: after quota measured runs only one in over_period is measured.
	 * That bounds what a burst of runs can add before user space sees it.
	 */
	__u64 quota, over_period;

	__u64 entered;	     /* entry: frames taken */
	__u64 countdown;     /* entry: runs until one is measured; user space may shorten it */
	__u64 thinned_out;   /* entry: runs not measured because it was not their turn */
	__u64 overflows;     /* entry: no frame was free */
	__u64 lost_overflow; /* entry: overflows with the gate open */
	__u64 entry_scratch; /* entry */

	__u64 exited;			/* exit: frames released */
	__u64 measured[BPROF_CONTEXTS]; /* exit: runs whose entry and exit were seen */
	__u64 lost_entry;		/* exit: no frame was found although there should be one */
	__u64 overflow_exits;		/* exit: exits of invocations that got no frame */
	__u64 exit_scratch;		/* exit */

	struct bprof_irqs irqs; /* entry */
	struct bprof_event_sum event[BPROF_SLOTS];
	/* With distributions: BPROF_HIST_BUCKETS words for each perf event, then for the clock. */
	__u64 hist[];
};

/*
 * The element of the map "bprof_rotation" with the CPU's id, shared by the probes of multiplexed
 * events.
 *
 * Reading an event runs other kernel code while it is on a counter than while it is off. So each
 * event's bias depends on which events are on: the set. There are about as many sets as rotations.
 * The cost of reading all events once in that set is subtracted from each run beside the bias,
 * which then no longer depends on the set. The probe measures that cost itself when it first meets
 * a set.
 */
struct bprof_rotation {
	__u64 learn; /* user space: 1: measure and subtract it; 0: all costs are 0 */
	__u64 clock; /* exit: that cost in ns, in the last known set */
#define BPROF_ON_SET_BITS 6
	/* exit; by a hash of the set; on a collision the new set replaces the old one */
	struct bprof_on_set {
		__u64 on; /* events that are on a counter, a bit for each */
#define BPROF_ON_SET_USED (1ULL << 63)
		__u64 tries; /* number of measurements */
#define BPROF_ON_SET_TRIES 4
		__u64 cost[BPROF_SLOTS]; /* in each slot's unit; the minimum of all measurements */
	} set[1 << BPROF_ON_SET_BITS];
	struct bprof_readings again[3]; /* exit */
	/* exit, nested: a dummy target for events that are off, so that all runs cost the same */
	struct bprof_event_sum off;
	__u64 off_hist[BPROF_HIST_BUCKETS];
};

#endif
