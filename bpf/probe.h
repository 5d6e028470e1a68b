/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the probe (probe.bpf.c) and user space share: the layout of its maps.
 */
#ifndef BPROF_PROBE_H
#define BPROF_PROBE_H

#include <linux/types.h>

#define BPROF_MAX_EVENTS 16
/* Invocations of one target that may be in flight on one CPU at once. */
#define BPROF_FRAMES 8

/*
 * bprof's own clock (the event "time") is not a perf event: it has a slot of its own after those.
 */
#define BPROF_CLOCK_SLOT BPROF_MAX_EVENTS
#define BPROF_SLOTS (BPROF_MAX_EVENTS + 1)

/* The probe's constant "bprof_config": the number of perf events in the low byte, and flags. */
#define BPROF_CONFIG_EVENTS(config) ((config)&0xff)
#define BPROF_CONFIG_CLOCK 0x100     /* the clock is read too */
#define BPROF_CONFIG_HIST 0x200	     /* distributions are kept */
#define BPROF_CONFIG_THIN 0x400	     /* one run in stat->period is measured */
#define BPROF_CONFIG_BIG_STACK 0x800 /* kernel stacks have 64 KiB instead of 16 */
/* Tell runs apart by these contexts (below). */
#define BPROF_CONFIG_MIGRATION 0x1000
#define BPROF_CONFIG_RCU 0x2000 /* goes with the one above */
#define BPROF_CONFIG_IRQ 0x4000
/* Of the pairs that are compiled for one config (probe.bpf.c, DEFINE_USUAL_PAIRS()). */
#define BPROF_USUAL_CONFIG(events) (BPROF_CONFIG_HIST | (events))
#define BPROF_USUAL_EVENTS_MAX 4

/*
 * Contexts. What the kernel does around a probe, and when it reads a counter, takes fewer
 * instructions where somebody has done it already. So the cost of a probe depends on where its
 * target runs, and the probe finds out, for each run:
 *
 * Migration and RCU: the trampoline disables migration and takes the RCU read lock for each probe.
 * The task's counters of both are 1 in the probe where the trampoline was the first.
 *
 * Interrupts: reading a counter disables and enables them. BPF cannot see whether they are off, but
 * reading all events takes another time then: struct bprof_irqs.
 */
#define BPROF_CONTEXT_MIGRATION 1 /* migration was enabled */
#define BPROF_CONTEXT_RCU 2	  /* the task was in no RCU read-side critical section */
#define BPROF_CONTEXT_IRQ 4	  /* interrupts were disabled */
#define BPROF_CONTEXTS 8
#define BPROF_CONFIG_CONTEXT (BPROF_CONFIG_MIGRATION | BPROF_CONFIG_RCU | BPROF_CONFIG_IRQ)
/*
 * Where the task's counters are in struct task_struct is known only when the kernel's BTF has been
 * read: user space puts it in place of these offsets into the instructions that load from there.
 */
#define BPROF_MIGRATION_OFFSET 0x7ef0
#define BPROF_RCU_OFFSET 0x7ef4

/* Where perf event i of a CPU lies in the perf event array "bprof_events". */
#define BPROF_EVENT_SLOT(cpu, i) ((cpu)*BPROF_MAX_EVENTS + (i))

/*
 * Distributions are log-linear: net costs up to 127 have a bucket each (those of 0 and less share
 * one), then every power of two has 64, each 1.6 % wide at most. What is beyond 2^38 (4.6 minutes
 * in ns) is in the last bucket.
 */
#define BPROF_HIST_SUB_BITS 6
#define BPROF_HIST_MAX_BITS 38
#define BPROF_HIST_BUCKETS                                                      \
	(((BPROF_HIST_MAX_BITS - BPROF_HIST_SUB_BITS) << BPROF_HIST_SUB_BITS) + \
	 (1 << BPROF_HIST_SUB_BITS))

/*
 * What a bucket holds: the number of its runs in the low bits, and above that whether they had more
 * than one value. The highest bits are the low bits of the first one's value: together with the
 * bucket they are all of it, unless the bucket is wider than 2^BPROF_HIST_VALUE_BITS.
 */
#define BPROF_HIST_COUNT_BITS 44
#define BPROF_HIST_VALUE_BITS 19
#define BPROF_HIST_MIXED (1ULL << BPROF_HIST_COUNT_BITS)
#define BPROF_HIST_VALUE_SHIFT (BPROF_HIST_COUNT_BITS + 1)

struct bprof_readings {
	__u64 value[BPROF_SLOTS];
	/* Multiplexed events: for how long it had been off and on a counter, in ns. */
	__u64 off[BPROF_MAX_EVENTS];
	__u64 running[BPROF_MAX_EVENTS];
};

/* One invocation in flight: its key and the readings at its entry. */
struct bprof_frame {
	/* The ctx pointer of the invocation, unique among those in flight; 0: free. */
	__u64 ctx;
	/* Was the gate open when it began? Only such an invocation is counted. */
	__u64 counted;
#define BPROF_CTX_OFF (~0ULL)
#define BPROF_FRAME_ENDING 2 /* counted, and being added to the sums just now */
	struct bprof_readings start;
	/* Nested targets: what the sums of its run (struct bprof_run) were at the entry. */
	struct bprof_nested {
		__u64 probes; /* cost of the probes of the calls that are over */
		__s64 net;    /* net cost of those calls; of each only what called it knows it */
	} before[BPROF_SLOTS];
};

/*
 * Nested targets (the pairs bprof_*_n): a run of the outermost target on a stack, with all the
 * targets that it calls. A call adds its probe's cost and its own net cost to these sums, and takes
 * off its reading what they have grown by since it began: so every target's number is free of the
 * probes in what it calls, and its own part (self) of their cost.
 */
struct bprof_run {
	__u64 stack; /* where it runs: the ctx pointers of its targets, less STACK_MASK; 0: free */
	__u64 outermost;    /* ctx of the outermost target */
	__u64 state;	    /* of all its calls: are they to be counted? */
#define BPROF_RUN_CLOSED 0  /* no: the gate was closed when it began */
#define BPROF_RUN_COUNTED 1 /* yes */
#define BPROF_RUN_SKIPPED 2 /* thinned out */
	struct bprof_nested sum[BPROF_SLOTS];
	__u64 irqs_off; /* of struct bprof_irqs, of the outermost target */
	/* Multiplexed: the cost of some call's readings was not known (struct bprof_turns). */
	__u64 unknown;
};

/* Runs that may be in flight on one CPU at once. */
#define BPROF_RUNS 8

/* The element of the map "bprof_runs" with the CPU's id. */
struct bprof_cpu_runs {
	struct bprof_run run[BPROF_RUNS];
};

/* Are interrupts disabled where a target runs? The entry probe finds it out now and then. */
struct bprof_irqs {
	__u64 slot;	    /* user space: of the event that shows it, */
	__u64 enabled;	    /* user space: by taking less than this from one reading to the next */
	__u64 countdown;    /* runs until it is found out again */
#define BPROF_IRQS_RUNS 127 /* odd: runs may be of two kinds by turns */
	__u64 looks;	    /* how often it was found out: at first for each run */
#define BPROF_IRQS_LOOKS 16
	__u64 off;     /* displacement of BPROF_CONTEXT_IRQ; 0: they are enabled */
	__u64 changes; /* how often it was another answer than the last time */
	struct bprof_readings again[2];
};

/* Sums over the measured runs, in the event's own unit, net: the bias is taken off each run. */
struct bprof_event_sum {
	/* By context, from user space: what an empty program shows on this CPU, */
	__u64 bias[BPROF_CONTEXTS];
	/* and, nested, what the whole probe adds to the caller's reading. */
	__u64 cost[BPROF_CONTEXTS];
	__s64 total;
	__s64 self; /* nested: of total, what is not in the targets that it called */
	__s64 min; /* user space sets it to the greatest number before the first run, max to the least */
	__s64 max;
	__u64 errors;	 /* runs in which a reading of this event failed */
	__u64 uncovered; /* multiplexed: runs during which it was off, or events took turns */
	__u64 readings;	 /* multiplexed: what was taken off beside the bias, of all runs */
	/*
	 * With distributions: the sum of squares, 128 bits. It means nothing once a run has had a
	 * square of more than 64 bits; min and max tell.
	 */
	__u64 squares, squares_high;
	__u64 scratch; /* exit */
};

/*
 * What one target did on one CPU: the element of the map "bprof_stats" with the CPU's id. Each
 * field has one writer on that CPU, the entry or the exit probe, neither of which can interrupt
 * itself (kernel/bpf/trampoline.c, prog->active: since Linux 5.12).
 */
struct bprof_cpu_stat {
	struct bprof_frame frame[BPROF_FRAMES];
	struct bprof_readings end; /* exit */

	/*
	 * user space: this CPU is not measured; frame[0].ctx is then taken for good (BPROF_CTX_OFF)
	 */
	__u64 off;
	__u64 period; /* user space: one run in so many is measured */
	/*
	 * user space, --sample auto: from so many measured runs on it is one in over_period. That
	 * bounds what a burst of runs can add before user space has seen it.
	 */
	__u64 quota, over_period;

	__u64 entered;	     /* entry: frames that were taken */
	__u64 countdown;     /* entry: runs until one is measured; user space may shorten it */
	__u64 thinned_out;   /* entry: runs not measured because it was not their turn */
	__u64 overflows;     /* entry: no frame was free */
	__u64 lost_overflow; /* entry: of those, with the gate open */
	__u64 entry_scratch; /* entry */

	__u64 exited;			/* exit: frames that were given back */
	__u64 measured[BPROF_CONTEXTS]; /* exit: runs whose entry and exit were seen */
	__u64 lost_entry;     /* exit: no frame was found for it, and there should have been one */
	__u64 overflow_exits; /* exit: of invocations for which no frame had been free */
	__u64 exit_scratch;   /* exit */

	struct bprof_irqs irqs; /* entry */
	struct bprof_event_sum event[BPROF_SLOTS];
	/* With distributions: BPROF_HIST_BUCKETS words for each perf event, then for the clock. */
	__u64 hist[];
};

/*
 * The element of the map "bprof_turns" with the CPU's id, which probes of multiplexed events share.
 *
 * Reading an event that is on a counter is other kernel code than reading one that is off, so each
 * event's bias depends on which of them are on: a set, of which there are about as many as turns.
 * What reading all of them once costs in that set is taken off each run beside the bias, which then
 * depends on no set any more. The probe measures it itself when it first meets a set.
 */
struct bprof_turns {
	__u64 learn; /* user space: is it to be measured and taken off? Else all costs are 0. */
	__u64 clock; /* exit: what it is by the clock, in the set met last */
		     /* exit; by a hash of the set; a later one takes the place of an earlier one */
#define BPROF_ON_SET_BITS 6
	struct bprof_on_set {
		__u64 on; /* the events that are on a counter, a bit for each */
#define BPROF_ON_SET_USED (1ULL << 63)
		__u64 tries; /* how often it was measured */
#define BPROF_ON_SET_TRIES 4
		__u64 cost[BPROF_SLOTS]; /* by what each slot counts; the least of all tries */
	} set[1 << BPROF_ON_SET_BITS];
	struct bprof_readings again[3]; /* exit */
	/* exit, nested: where runs of events that are off go, so that all cost the same */
	struct bprof_event_sum off;
	__u64 off_hist[BPROF_HIST_BUCKETS];
};

#endif
