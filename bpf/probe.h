/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The layout of the probe's maps, shared by probe.bpf.c and user space.
 */
#ifndef BPROF_PROBE_H
#define BPROF_PROBE_H

#include <linux/types.h>

#define BPROF_MAX_EVENTS 16
/* The maximum number of invocations of one target in flight on one CPU. */
#define BPROF_FRAMES 8

/*
 * bprof's own clock (the event "time") is not a perf event. Its slot follows the slots of the perf
 * events.
 */
#define BPROF_CLOCK_SLOT BPROF_MAX_EVENTS
#define BPROF_SLOTS (BPROF_MAX_EVENTS + 1)

/*
 * The probe's constant "bprof_config" has the number of perf events in its low byte, and these
 * flags.
 */
#define BPROF_CONFIG_EVENTS(config) ((config)&0xff)
#define BPROF_CONFIG_CLOCK 0x100     /* the probe also reads the clock */
#define BPROF_CONFIG_HIST 0x200	     /* the probe keeps distributions */
#define BPROF_CONFIG_THIN 0x400	     /* only one run in stat->period is measured */
#define BPROF_CONFIG_BIG_STACK 0x800 /* kernel stacks have 64 KiB instead of 16 KiB */
/* The probe distinguishes runs by these contexts (see below). */
#define BPROF_CONFIG_MIGRATION 0x1000
#define BPROF_CONFIG_RCU 0x2000 /* only together with BPROF_CONFIG_MIGRATION */
#define BPROF_CONFIG_IRQ 0x4000
/* The configs that have program pairs of their own (probe.bpf.c, DEFINE_COMMON_PAIRS()). */
#define BPROF_COMMON_CONFIG(events) (BPROF_CONFIG_HIST | (events))
#define BPROF_COMMON_EVENTS_MAX 4

/*
 * Contexts. The kernel executes fewer instructions around a probe and for reading a counter if its
 * caller has already done a part of that work. So the bias depends on the context in which the
 * target runs. The probe determines the context of each run:
 *
 * Migration and RCU: the trampoline disables migration and takes the RCU read lock for each probe.
 * The task has a nesting counter for each. In the probe a counter is 1 if only the trampoline has
 * incremented it.
 *
 * Interrupts: reading a counter disables interrupts and enables them again. BPF programs cannot ask
 * whether interrupts are disabled, but reading all events is cheaper then: see struct bprof_irqs.
 */
#define BPROF_CONTEXT_MIGRATION 1 /* the target runs with migration enabled */
#define BPROF_CONTEXT_RCU 2	  /* the target runs outside of RCU read-side critical sections */
#define BPROF_CONTEXT_IRQ 4	  /* the target runs with interrupts disabled */
#define BPROF_CONTEXTS 8
#define BPROF_CONFIG_CONTEXT (BPROF_CONFIG_MIGRATION | BPROF_CONFIG_RCU | BPROF_CONFIG_IRQ)
/*
 * Placeholders for the offsets of the task's counters in struct task_struct. User space finds the
 * real offsets in the kernel's BTF and patches them into the instructions that load the counters.
 */
#define BPROF_MIGRATION_OFFSET 0x7ef0
#define BPROF_RCU_OFFSET 0x7ef4

/* The index of perf event i of a CPU in the perf event array "bprof_events". */
#define BPROF_EVENT_SLOT(cpu, i) ((cpu)*BPROF_MAX_EVENTS + (i))

/*
 * Distributions are log-linear: each net value up to 127 has its own bucket (0 and negative values
 * share one). Above that, every power of two has 64 buckets, each at most 1.6 % wide. The last
 * bucket also counts all values of 2^38 (4.6 minutes in ns) and more.
 */
#define BPROF_HIST_SUB_BITS 6
#define BPROF_HIST_MAX_BITS 38
#define BPROF_HIST_BUCKETS                                                      \
	(((BPROF_HIST_MAX_BITS - BPROF_HIST_SUB_BITS) << BPROF_HIST_SUB_BITS) + \
	 (1 << BPROF_HIST_SUB_BITS))

/*
 * The word of a bucket: the low bits are the number of runs in the bucket; the next bit is set if
 * these runs had more than one value; the highest bits are the low bits of the first value. The
 * bucket's index and these low bits give the full value, unless the bucket is wider than
 * 2^BPROF_HIST_VALUE_BITS.
 */
#define BPROF_HIST_COUNT_BITS 44
#define BPROF_HIST_VALUE_BITS 19
#define BPROF_HIST_MIXED (1ULL << BPROF_HIST_COUNT_BITS)
#define BPROF_HIST_VALUE_SHIFT (BPROF_HIST_COUNT_BITS + 1)

struct bprof_readings {
	__u64 value[BPROF_SLOTS];
	/*
	 * For multiplexed events: the time in ns for which the event has been off, or on a counter.
	 */
	__u64 off[BPROF_MAX_EVENTS];
	__u64 running[BPROF_MAX_EVENTS];
};

/* An invocation in flight: its key and the readings at its entry. */
struct bprof_frame {
	/* The ctx pointer of the invocation, unique among the invocations in flight; 0: free. */
	__u64 ctx;
	/*
	 * Non-zero if the gate was open when the invocation began. Only such invocations are
	 * counted.
	 */
	__u64 counted;
#define BPROF_CTX_OFF (~0ULL)
#define BPROF_FRAME_ENDING 2 /* the exit probe is adding this invocation to the sums */
	struct bprof_readings start;
	/* For nested targets: the sums of the invocation's struct bprof_run at its entry. */
	struct bprof_nested {
		__u64 probes; /* overhead of the probes of all calls that have returned */
		__s64 net;    /* net value of the direct calls that have returned */
	} before[BPROF_SLOTS];
};

/*
 * The state of a run of the outermost nested target on a stack, shared with all targets that it
 * calls (pairs bprof_*_n). At its end each call adds its probe's overhead and its own net value to
 * these sums. It subtracts from its reading the probe overhead that was added since it began. So a
 * target's net value excludes the probes of its callees, and its self value excludes the callees as
 * well.
 */
struct bprof_run {
	/* the bits outside of STACK_MASK of its targets' ctx pointers; 0: free */
	__u64 stack;
	__u64 outermost;   /* ctx of the outermost target */
	__u64 state;	   /* one state that applies to all its calls: */
#define BPROF_RUN_CLOSED 0 /* not counted: the gate was closed when the run began */
#define BPROF_RUN_COUNTED 1
#define BPROF_RUN_SKIPPED 2 /* not measured because of thinning */
	struct bprof_nested sum[BPROF_SLOTS];
	__u64 irqs_off; /* bprof_irqs.off of the outermost target */
	/*
	 * For multiplexed events: 1 if the reading cost was unknown in any call (struct
	 * bprof_rotation).
	 */
	__u64 unknown;
};

/* The maximum number of runs in flight on one CPU. */
#define BPROF_RUNS 8

/* A CPU's element of the map "bprof_runs". */
struct bprof_cpu_runs {
	struct bprof_run run[BPROF_RUNS];
};

/*
 * The state of the entry probe's periodic check whether interrupts are disabled where the target
 * runs.
 */
struct bprof_irqs {
	__u64 slot;	    /* user space: slot of the event that reveals it */
	__u64 enabled;	    /* user space: threshold; a cheaper reading means "disabled" */
	__u64 countdown;    /* runs until the next check */
#define BPROF_IRQS_RUNS 127 /* odd, because two kinds of runs may alternate */
	/* number of checks so far; each of the first BPROF_IRQS_CHECKS runs makes a check */
	__u64 checks;
#define BPROF_IRQS_CHECKS 16
	__u64 off;     /* DISPLACEMENT(BPROF_CONTEXT_IRQ); 0: interrupts are enabled */
	__u64 changes; /* number of checks whose result differed from the previous one */
	struct bprof_readings again[2];
};

/*
 * Sums over the measured runs, in the event's own unit. They are net: the bias is subtracted from
 * each run.
 */
struct bprof_event_sum {
	/* The bias on this CPU, indexed by context; set by user space. */
	__u64 bias[BPROF_CONTEXTS];
	/*
	 * For nested targets: what a probe adds to its caller's reading, indexed by context; set by
	 * user space.
	 */
	__u64 cost[BPROF_CONTEXTS];
	__s64 total;
	__s64 self; /* nested targets: the part of total outside of called targets */
	__s64 min;  /* initially the type's maximum in min and its minimum in max (user space) */
	__s64 max;
	__u64 errors; /* runs in which a reading of this event failed */
	/* multiplexed: runs not added because the event was off, or its bias unknown */
	__u64 uncovered;
	__u64 readings; /* multiplexed: sum of the reading costs subtracted besides the bias */
	/*
	 * With distributions: the sum of squares in 128 bits. The sum is invalid if the square of
	 * any run needed more than 64 bits; user space can see that from min and max.
	 */
	__u64 squares, squares_high;
	__u64 scratch; /* exit: scratch space */
};

/*
 * The counts of one target on one CPU: the CPU's element of the map "bprof_stats". "entry:" and
 * "exit:" below name the probe that writes a field; it is the field's only writer on that CPU.
 * Neither probe can interrupt itself (kernel/bpf/trampoline.c, prog->active: since Linux 5.12).
 */
struct bprof_cpu_stat {
	struct bprof_frame frame[BPROF_FRAMES];
	struct bprof_readings end; /* exit: the readings at the exit */

	/* user space: this CPU is not measured; frame[0].ctx then stays BPROF_CTX_OFF */
	__u64 off;
	__u64 period; /* user space: one run in "period" is measured */
	/*
	 * user space, --sample auto: after "quota" measured runs, only one run in over_period is
	 * measured. This limits the overhead that a burst of runs can add before user space reacts.
	 */
	__u64 quota, over_period;

	__u64 entered;	     /* entry: number of frames taken */
	__u64 countdown;     /* entry: runs until the next measured run; user space may reduce it */
	__u64 thinned_out;   /* entry: runs not measured because of thinning */
	__u64 overflows;     /* entry: invocations for which no frame was free */
	__u64 lost_overflow; /* overflows with the gate open; entry, for nested targets also exit */
	__u64 entry_scratch; /* entry: scratch space */

	__u64 exited;			/* exit: number of frames released */
	__u64 measured[BPROF_CONTEXTS]; /* exit: number of measured runs, indexed by context */
	/* exit: exits without a frame although there should be one */
	__u64 lost_entry;
	__u64 overflow_exits; /* exit: exits of invocations that got no frame */
	__u64 exit_scratch;   /* exit: scratch space */

	struct bprof_irqs irqs; /* entry: the check of interrupts */
	struct bprof_event_sum event[BPROF_SLOTS];
	/* With distributions: BPROF_HIST_BUCKETS words for each perf event, then for the clock. */
	__u64 hist[];
};

/*
 * A CPU's element of the map "bprof_rotation", which all probes of multiplexed events share.
 *
 * The kernel executes different code for reading an event that is on a counter than for an event
 * that is off. So each event's bias depends on the set of events that are on a counter. There are
 * about as many such sets as positions of the rotation. To make the bias independent of the set,
 * the probe also subtracts from each run the cost of reading all events once in that set. The probe
 * measures that cost itself when it first meets a set.
 */
struct bprof_rotation {
	__u64 learn; /* user space: 1: measure and subtract the costs; 0: all costs are 0 */
	__u64 clock; /* exit: the reading cost in ns in the last known set */
#define BPROF_ON_SET_BITS 6
	/* exit: indexed by a hash of the set. On a collision the new set replaces the old one. */
	struct bprof_on_set {
		__u64 on; /* mask of the events that are on a counter */
#define BPROF_ON_SET_USED (1ULL << 63)
		__u64 tries; /* number of measurements */
#define BPROF_ON_SET_TRIES 4
		__u64 cost[BPROF_SLOTS]; /* in each slot's unit; the minimum of all measurements */
	} set[1 << BPROF_ON_SET_BITS];
	struct bprof_readings again[3]; /* exit: readings that measure the costs */
	/*
	 * exit, nested targets: dummy sums for events that are off. They make the overhead of the
	 * probe the same in all runs.
	 */
	struct bprof_event_sum off;
	__u64 off_hist[BPROF_HIST_BUCKETS];
};

#endif
