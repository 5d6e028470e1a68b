/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The layout of the probe's maps, shared by the probes and user space.
 */
#ifndef BPROF_PROBE_H
#define BPROF_PROBE_H

#include <linux/types.h>

#define BPROF_MAX_EVENTS 16
/*
 * How many more instructions a program of known cost (empty.bpf.c) has than the empty program; an
 * even number.
 */
#define BPROF_CHECK_INSNS 16
/* bprof_calls_more() calls the kernel's function this many times more than bprof_calls_kernel(). */
#define BPROF_MORE_CALLS 16
/* The maximum number of invocations of one target in flight on one CPU. */
#define BPROF_FRAMES 8

/*
 * Most measurements have a few pinned events, and targets that do not call one another. Their
 * probes are in objects that define BPROF_SMALL. These objects have a smaller layout of struct
 * bprof_cpu_stat, which takes a fifth of the memory for each target and CPU. User space is compiled
 * with the larger layout, and reads both layouts (profiler/backend/probe_stat.h).
 */
#define BPROF_SMALL_EVENTS 4
#ifdef BPROF_SMALL
#define BPROF_STAT_EVENTS BPROF_SMALL_EVENTS
#define BPROF_MULTIPLEXED_EVENTS 0
#define BPROF_NESTED_SLOTS 0
#else
#define BPROF_STAT_EVENTS BPROF_MAX_EVENTS
#define BPROF_MULTIPLEXED_EVENTS BPROF_MAX_EVENTS
#define BPROF_NESTED_SLOTS BPROF_SLOTS
#endif

/*
 * bprof's own clock (the event "time") is not a perf event. Its slot follows the slots of the perf
 * events.
 */
#define BPROF_CLOCK_SLOT BPROF_STAT_EVENTS
#define BPROF_SLOTS (BPROF_STAT_EVENTS + 1)

/*
 * The config of a probe: the number of perf events is in the low five bits, and the flags below are
 * in the other bits. The config has at most 16 bits, so that arm64 loads it with one instruction.
 */
#define BPROF_CONFIG_EVENTS(config) ((config)&0x1f)
#define BPROF_CONFIG_IRQ_STACKS 0x80 /* struct bprof_cpu_runs has the address of a stack */
#define BPROF_CONFIG_CLOCK 0x100     /* the probe also reads the clock */
#define BPROF_CONFIG_HIST 0x200	     /* the probe keeps distributions */
#define BPROF_CONFIG_THIN 0x400	     /* only one run in stat->period is measured */
#define BPROF_CONFIG_BIG_STACK 0x800 /* kernel stacks have 64 KiB instead of 16 KiB */
/* With these flags the probe distinguishes runs by context (see below). */
#define BPROF_CONFIG_MIGRATION 0x1000
#define BPROF_CONFIG_RCU 0x2000 /* set only together with BPROF_CONFIG_MIGRATION */
#define BPROF_CONFIG_IRQ 0x4000
/* Some probes of the session are on functions of the kernel that targets call (probe_called.bpf.h). */
#define BPROF_CONFIG_CALLS 0x8000
/* The smallest number of events for which there is a pair of programs for nested targets. */
#define BPROF_NESTED_EVENTS_MIN 2
/*
 * The smallest number of events for which there is a pair for functions of the kernel that nested
 * targets call.
 */
#define BPROF_CALLED_EVENTS_MIN 4
/*
 * The smallest number of events for which there are exit programs of --by retval, and programs of
 * fsessions and of shares. The only other number with such programs is 16, the square of this number.
 */
#define BPROF_RETVAL_EVENTS_MIN 4

/*
 * Contexts. The kernel executes fewer instructions around a probe and for reading a counter if the
 * code that called the target has already done a part of that work. So the bias depends on the
 * context in which the target runs. The probe determines the context of each run:
 *
 * Migration and RCU: the trampoline disables migration and takes the RCU read lock for each probe.
 * The task has a nesting counter for each. In the probe a counter is 1 if only the trampoline has
 * incremented it.
 *
 * Interrupts: reading a counter disables interrupts and enables them again. BPF programs cannot ask
 * whether interrupts are disabled. But reading all events costs less while interrupts are disabled:
 * see struct bprof_irqs.
 */
#define BPROF_CONTEXT_MIGRATION 1 /* the target runs with migration enabled */
#define BPROF_CONTEXT_RCU 2	  /* the target runs outside of RCU read-side critical sections */
#define BPROF_CONTEXT_IRQ 4	  /* the target runs with interrupts disabled */
#define BPROF_CONTEXTS 8
#define BPROF_CONFIG_CONTEXT (BPROF_CONFIG_MIGRATION | BPROF_CONFIG_RCU | BPROF_CONFIG_IRQ)
/*
 * Placeholder for the config, in the instruction that loads it. User space replaces this and the
 * following placeholders in the loaded code (profiler/probe/probe_template.c).
 */
#define BPROF_CONFIG_PLACEHOLDER 0x7ef00c0f
/*
 * Placeholders for the number of CPUs in a map of counts, and for the size of a CPU's counts, in the
 * instructions that use them.
 */
#define BPROF_CPUS_PLACEHOLDER 0x7ef01c0f
#define BPROF_STAT_SZ_PLACEHOLDER 0x7ef02c0f
/*
 * Placeholder for the address of the first CPU's counts (BPROF_DIRECT): 64 bits, with two equal
 * halves.
 */
#define BPROF_STATS_PLACEHOLDER 0x7ef03c0f7ef03c0f
/*
 * Placeholders for the offsets of the task's counters in struct task_struct. User space finds the
 * real offsets in the kernel's BTF and patches them into the instructions that load the counters.
 */
#define BPROF_MIGRATION_OFFSET 0x7ef0
#define BPROF_RCU_OFFSET 0x7ef4

/*
 * Placeholders for the ids of kfuncs in the kernel's BTF. They are numbers of helpers that do not
 * exist: user space turns the calls of these helpers into calls of the kfuncs.
 */
#define BPROF_FSESSION_IS_RETURN 0x7ef01
#define BPROF_FSESSION_COOKIE 0x7ef02

/* Placeholder for the offset of the return value from ctx. The offset depends on the target. */
#define BPROF_RETVAL_OFFSET 0x7ef8
/*
 * Placeholder for the instructions that read the key of a run (probe/key_read.h). There are
 * BPROF_KEY_INSNS of them in a row. They get ctx in r1, and leave the key plus 1 in r0.
 */
#define BPROF_KEY_PLACEHOLDER 0x7ef0cc0f
#define BPROF_KEY_INSNS 16
/*
 * The key of a device. Devices of different network namespaces may have the same index. So the upper half
 * is the difference (exclusive or) between the device's namespace and that of bprof. It is also mixed into
 * the index, because BPROF_KEY_SLOT() uses only the lower half.
 */
#define BPROF_KEY_NET(key) ((__u32)((key) >> 32))
#define BPROF_KEY_IFINDEX(key) ((__u32)(key) ^ (__u32)((key) >> 32))
/* Placeholder for a flag: 1 if the names of tasks are needed, else 0. */
#define BPROF_KEY_NAMES_PLACEHOLDER 0x7ef0dc0f
/*
 * Placeholder in the probe of a function of the kernel: the offset from ctx of the argument that is
 * a map (struct bprof_pieces).
 */
#define BPROF_MAP_OFFSET 0x7f18
/*
 * Placeholders in the code that finds the place from which a function of the kernel was called
 * (probe_called.bpf.h). The first is the size of the area between ctx and the end of what the
 * trampoline saves, plus the alignment of the trampoline's frame, minus 1. The second is the
 * alignment, negated. The third is the offset of the return address from the aligned end.
 */
#define BPROF_SITE_SKIP 0x7ef07c0f
#define BPROF_SITE_ALIGN 0x7ef08c0f
#define BPROF_SITE_AT 0x7ef09c0f

/* Placeholder for the number of a nested target that calls functions of the kernel (bprof_run.caller). */
#define BPROF_CALLER_PLACEHOLDER 0x7ef06c0f

/*
 * Placeholders in the check whether bprof itself runs the target (bpf/probe_own.bpf.h). User space
 * replaces them only in the probes of targets that have the check. They stand for bprof's process
 * id, for the number of low bits in which two addresses on the same stack can differ, and for the
 * offsets of members of struct task_struct and of struct pt_regs.
 */
#define BPROF_OWN_TGID 0x7ef04c0f
#define BPROF_OWN_STACK_BITS 0x7ef05c0f
#define BPROF_OWN_TGID_OFFSET 0x7f00
#define BPROF_OWN_STACK_OFFSET 0x7f08
#define BPROF_OWN_SYSCALL_OFFSET 0x7f10

/* The index of perf event i of a CPU in the perf event array "bprof_events". */
#define BPROF_EVENT_SLOT(cpu, i) ((cpu)*BPROF_MAX_EVENTS + (i))

/*
 * Distributions are log-linear: each net value up to 127 has its own bucket (0 and negative values
 * share a bucket). Above 127, every power of two has 64 buckets, each at most 1.6 % wide. The last
 * bucket also counts all values of 2^37 (2.3 minutes in ns) and more. The number of buckets is a power
 * of two, so that the probe limits an index with one instruction.
 */
#define BPROF_HIST_SUB_BITS 6
#define BPROF_HIST_MAX_BITS 37
#define BPROF_HIST_BUCKETS                                                      \
	(((BPROF_HIST_MAX_BITS - BPROF_HIST_SUB_BITS) << BPROF_HIST_SUB_BITS) + \
	 (1 << BPROF_HIST_SUB_BITS))
/*
 * To take less memory, 8 (or 32) of these buckets are joined into one. Then every power of two from
 * 64 on has 8 (or 2) buckets, each at most 12.5 % (or 50 %) wide.
 */
#define BPROF_HIST_COARSE_SHIFT 3
#define BPROF_HIST_COARSER_SHIFT 5
/*
 * Placeholders in three instructions that find a bucket. The first instruction shifts the bucket's
 * index; user space removes it if no buckets are joined. The second skips the distributions of n
 * events, and the third skips those of all perf events.
 */
#define BPROF_HIST_SHIFT_PLACEHOLDER 0x7ef0ac0f
#define BPROF_HIST_SKIP_PLACEHOLDER(n) (0x7ef0bc00 + (n))
#define BPROF_HIST_SKIP_ALL 31

/*
 * The word of a bucket: the lowest BPROF_HIST_COUNT_BITS bits are the number of runs in the bucket.
 * The next bit is set if these runs had more than one value. The highest BPROF_HIST_VALUE_BITS bits
 * are the lowest bits of the first run's value. Together with the bucket's index they give the full
 * value, unless the bucket is wider than 2^BPROF_HIST_VALUE_BITS.
 */
#define BPROF_HIST_COUNT_BITS 44
#define BPROF_HIST_VALUE_BITS 19
#define BPROF_HIST_MIXED (1ULL << BPROF_HIST_COUNT_BITS)
#define BPROF_HIST_VALUE_SHIFT (BPROF_HIST_COUNT_BITS + 1)

struct bprof_readings {
	__u64 value[BPROF_SLOTS];
	/*
	 * For multiplexed events: for how many ns the event was enabled without a hardware counter
	 * ("off"), and for how many ns it was on a counter ("running").
	 */
	__u64 off[BPROF_MULTIPLEXED_EVENTS];
	__u64 running[BPROF_MULTIPLEXED_EVENTS];
};

/* An invocation in flight: its ctx pointer and the readings at its entry. */
struct bprof_frame {
	/*
	 * The ctx pointer of the invocation, unique among the invocations in flight. It is 0 if the
	 * frame is free.
	 */
	__u64 ctx;
	/*
	 * Non-zero if the gate (bprof_gate) was open when the invocation began. Other invocations
	 * are not counted.
	 */
	__u64 counted;
#define BPROF_CTX_OFF (~0ULL)
/* value of "counted" while the exit probe adds the invocation to the sums */
#define BPROF_FRAME_ENDING 2
	struct bprof_readings start;
	/*
	 * For nested targets: the sums in the invocation's struct bprof_run at the invocation's
	 * entry.
	 */
	struct bprof_nested {
		__u64 probes; /* overhead of the probes of all calls that have returned */
		__s64 net;    /* net value of the direct calls that have returned */
	} before[BPROF_NESTED_SLOTS];
	/*
	 * With BPROF_CONFIG_CALLS: bprof_run.caller at the invocation's entry. In the frame of a
	 * kernel function: bprof_run.serial.
	 */
	__u64 caller;
};

/*
 * The state that the outermost nested target on a stack and all targets that it calls share during
 * one run (program pairs bprof_*_n*). When a call ends, its probe adds its own overhead and the
 * call's net value to the sums. From the call's reading, the probe subtracts the probe overhead
 * that was added since the call began. So a target's net value excludes the probes of its callees,
 * and its self value excludes the callees as well.
 */
struct bprof_run {
	/* identifies the stack (stack_of() in bpf/probe_frames.bpf.h); 0: the element is free */
	__u64 stack;
	__u64 outermost;   /* ctx of the outermost target */
	__u64 state;	   /* one of these values, for all calls of the run */
#define BPROF_RUN_CLOSED 0 /* the run is not counted: the gate was closed at its beginning */
#define BPROF_RUN_COUNTED 1
#define BPROF_RUN_SKIPPED 2 /* the run is not measured because of thinning */
	struct bprof_nested sum[BPROF_SLOTS];
	__u64 irqs_off; /* bprof_irqs.off of the outermost target */
	union {
		/*
		 * For multiplexed events: 1 if the reading cost was unknown in any call (struct
		 * bprof_rotation).
		 */
		__u64 unknown;
		/*
		 * With shares (struct bprof_shares; only with pinned events): the number of the
		 * run. User space sets its lowest bits to the index of this element among the CPU's
		 * elements.
		 */
		__u64 number;
	};
	/*
	 * With BPROF_CONFIG_CALLS: the number of the innermost target in flight. It is less than
	 * BPROF_CALLERS.
	 */
	__u64 caller;
#define BPROF_CALLERS 256
	/* bprof_cpu_runs.begun at the beginning of the run: no other run on this CPU has this number */
	__u64 serial;
};

/* The maximum number of runs of outermost nested targets in flight on one CPU. */
#define BPROF_RUNS 8

/*
 * Fsessions (probe_fsession.bpf.h): the number of frames in a target's pool, and the maximum number
 * of these frames that an invocation tries.
 */
#define BPROF_POOL_BITS 10
#define BPROF_POOL_FRAMES (1 << BPROF_POOL_BITS)
#define BPROF_POOL_TRIES 16
/*
 * Frames of a pool are shorter: they have only the members that pinned events of targets without
 * nesting need.
 */
#define BPROF_POOL_FRAME_SZ __builtin_offsetof(struct bprof_frame, start.off)

/* A CPU's element of the map "bprof_runs". */
struct bprof_cpu_runs {
	struct bprof_run run[BPROF_RUNS];
	__u64 begun; /* number of runs that have begun */
	/*
	 * set by user space, with BPROF_CONFIG_IRQ_STACKS: the lowest address of the stack on which
	 * the CPU handles interrupts, if this stack is not aligned to its size; else 0
	 */
	__u64 irq_stack;
};

/*
 * The state of a periodic check in the entry probe: whether interrupts are disabled while the
 * target runs.
 */
struct bprof_irqs {
	/* set by user space: slot whose reading cost shows whether interrupts are disabled */
	__u64 slot;
	/* set by user space: if a reading costs less than this, interrupts are disabled */
	__u64 enabled;
	__u64 countdown; /* runs until the next check */
/* one run in BPROF_IRQS_RUNS is checked; odd, in case two kinds of runs alternate */
#define BPROF_IRQS_RUNS 127
	/* number of checks so far; each of the first BPROF_IRQS_CHECKS runs makes a check */
	__u64 checks;
#define BPROF_IRQS_CHECKS 16
	__u64 off;     /* DISPLACEMENT(BPROF_CONTEXT_IRQ) if interrupts are disabled, else 0 */
	__u64 changes; /* number of checks whose result differed from the previous one */
};

/*
 * Sums over the measured runs, in the event's own unit. They are net: the bias is subtracted from
 * each run.
 */
struct bprof_event_sum {
	/* The bias on this CPU, indexed by context; set by user space. */
	__u64 bias[BPROF_CONTEXTS];
	/*
	 * For nested targets: what the target's probe adds to the reading of the target's caller,
	 * indexed by context; set by user space.
	 */
	__u64 cost[BPROF_CONTEXTS];
	/*
	 * For nested targets: what the target's probe adds besides "cost" if it has to search for a
	 * frame; set by user space.
	 */
	__u64 search;
	__s64 total;
	__s64 self; /* nested targets: the total minus the calls of other targets */
	__s64 min;  /* user space initializes min to the type's maximum, and max to its minimum */
	__s64 max;
	__u64 errors; /* runs in which a reading of this event failed */
	/* multiplexed events: runs not added because the event was off or its bias unknown */
	__u64 uncovered;
	/* multiplexed events: sum of the reading costs that were subtracted with the bias */
	__u64 readings;
	/*
	 * With distributions: the sum of squares in 128 bits. The sum is invalid if the square of
	 * any run needed more than 64 bits; user space can see that from min and max.
	 */
	__u64 squares, squares_high;
	__u64 scratch; /* scratch space of the exit probe */
};

/*
 * The counts of one target on one CPU: the CPU's element of the map "bprof_stats". The comments
 * name the only writer of a field on that CPU: the entry probe, the exit probe or user space.
 * Neither probe can interrupt itself (kernel/bpf/trampoline.c, prog->active: since Linux 5.12).
 *
 * In user space, this struct begins with "off". The sizes of the members before "off" differ
 * between the two layouts (BPROF_SMALL).
 */
struct bprof_cpu_stat {
#ifdef __bpf__
	struct bprof_frame frame[BPROF_FRAMES];
	struct bprof_readings end;	/* exit probe: the readings at the exit */
	struct bprof_readings again[2]; /* entry probe: the readings of the check of interrupts */

#endif
	/* user space: 1 if this CPU is not measured; then the ctx of all frames is BPROF_CTX_OFF */
	__u64 off;
	__u64 period; /* user space: one run in "period" is measured */
	/*
	 * user space, for --sample auto: after "quota" measured runs, only one run in over_period is
	 * measured. This limits the overhead that a burst of runs can add before user space reacts.
	 * A piece (struct bprof_pieces) uses over_period as a mask: all bits are set, so its calls
	 * are subtracted from the caller's self value. Only in the last piece, whose calls have no
	 * row of their own, the mask is 0.
	 */
	__u64 quota, over_period;

	/* entry probe: number of frames taken, without those that were found to be stale */
	__u64 entered;
	/* entry probe: runs until the next measured run; user space may reduce it */
	__u64 countdown;
/* a countdown that user space has yet to set; no run is measured meanwhile */
#define BPROF_NOT_PLANNED (~0ULL >> 1)
	/*
	 * entry probe: runs after the next measured run that are in the same block of "period" runs; user
	 * space may reduce it
	 */
	__u64 rest;
	__u64 thinned_out; /* entry probe: runs not measured because of thinning */
	__u64 overflows;   /* entry probe: invocations for which no frame was free */
	/*
	 * Runs that were lost while the gate was open, because no frame or no struct bprof_run was
	 * free. Includes runs in progress (probe_stat__lost_overflow()). The entry probe writes
	 * this field; for nested targets, the exit probe writes it, too.
	 */
	__u64 lost_overflow;
	__u64 own; /* entry probe: runs in system calls of bprof itself, which are left out */
	__u64 entry_scratch; /* entry probe: scratch space */
	__u64 suspect; /* entry probe: free_stale() next checks the frame suspect % BPROF_FRAMES */

	__u64 exited; /* exit probe: number of frames released */
	/* exit probe: number of measured runs, indexed by context */
	__u64 measured[BPROF_CONTEXTS];
	/* exit probe: exits of invocations whose entry the probe missed */
	__u64 lost_entry;
	__u64 overflow_exits; /* exit probe: exits of invocations that got no frame */
	__u64 exit_scratch;   /* exit probe: scratch space */

	/*
	 * entry probe: number of frames that were found in use although their invocations are over,
	 * because the probe missed the exits
	 */
	__u64 stale;
	/* The next two fields are for fsessions (probe_fsession.bpf.h). */
	__u64 ending;	/* 1 while a run is added to the sums */
	__u64 no_entry; /* exits of invocations whose entry the kernel skipped (recursion) */

	struct bprof_irqs irqs; /* entry probe: the check whether interrupts are disabled */
	/* user space: the slot of the clock, which shows the layout (BPROF_SMALL) */
	__u64 clock_slot;
	struct bprof_event_sum event[BPROF_SLOTS];
#ifdef __bpf__
	/*
	 * With distributions: the buckets' words of each perf event, followed by those of the
	 * clock.
	 */
	__u64 hist[];
#endif
};

/* The sizes, in both layouts, of readings, of a frame, and of all members before "off". */
#define BPROF_SMALL_READINGS_SZ ((BPROF_SMALL_EVENTS + 1) * sizeof(__u64))
#define BPROF_SMALL_FRAME_SZ (3 * sizeof(__u64) + BPROF_SMALL_READINGS_SZ)
#define BPROF_SMALL_FRONT_SZ (BPROF_FRAMES * BPROF_SMALL_FRAME_SZ + 3 * BPROF_SMALL_READINGS_SZ)
#define BPROF_FRONT_SZ \
	(BPROF_FRAMES * sizeof(struct bprof_frame) + 3 * sizeof(struct bprof_readings))

/*
 * The pairs for common configs do not look up a CPU's counts. Their map "bprof_stats" has one
 * element with the counts of all CPUs, and the code has the address of CPU 0's counts. These begin
 * at this offset in the element. The element begins a page, so the last 16 bits of its own address
 * may be zero: arm64 would load this address with one instruction less (btf/arm64_addrs.c).
 */
#define BPROF_DIRECT sizeof(__u64)

/*
 * With --by retval, a target's runs are divided into parts: one for each of the first BPROF_RETVALS
 * return values, and part 0 for all other runs. For CPU n, element n + (1 + part) * cpus of the map
 * "bprof_stats" has the sums of the part. The CPU's own element then has no sums. It has everything
 * else; its "measured" counts the runs of all parts.
 *
 * This struct is at the end of element 0, in place of its distributions.
 */
struct bprof_retvals {
	__u64 cpus; /* user space: the highest CPU id + 1 */
	/*
	 * user space: all bits set if the target returns 64 bits, else 0. A value that does not fit
	 * into 32 bits gets no part.
	 */
	__u64 wide;
#define BPROF_RETVALS 8
#define BPROF_PARTS (1 + BPROF_RETVALS)
	/*
	 * exit probe on any CPU: value[i] is the value of part 1 + i, with this bit set; 0: no
	 * value yet
	 */
	__u64 value[BPROF_RETVALS];
#define BPROF_RETVAL_USED (1ULL << 32)
};

/*
 * Like struct bprof_retvals, for the other keys of --by that the probe reads (bpf/probe_key.bpf.h).
 * There are more parts than a report has rows, so that user space can choose the parts that cost
 * most.
 */
struct bprof_keys {
	__u64 cpus; /* user space: the highest CPU id + 1 */
#define BPROF_KEY_BITS 5
#define BPROF_KEYS (1 << BPROF_KEY_BITS)
#define BPROF_KEY_PARTS (1 + BPROF_KEYS)
/*
 * The first part that is tried for a value. The factor is 2^32 / golden ratio, which mixes the
 * upper bits of the product well.
 */
#define BPROF_KEY_SLOT(value) (((__u32)(value)*0x9e3779b1U) >> (32 - BPROF_KEY_BITS))
/* The number of parts that are tried for a key. */
#define BPROF_KEY_TRIES 8
/* The key of runs that have no queue. For other kinds of keys, such runs have the key 0. */
#define BPROF_KEY_NONE 0xffffffffU
	/*
	 * exit probe on any CPU: the key of part 1 + i, plus 1, below 2^63; 0: no key. User space
	 * sets it to BPROF_KEY_CLOSED before it frees the part.
	 */
	__u64 value[BPROF_KEYS];
#define BPROF_KEY_CLOSED 0x7fffffffffffffffULL
	/*
	 * exit probe: the name of the task that had a key first, indexed by the number of the key's
	 * part. The size is a power of two, so that the probe limits an index with one instruction.
	 */
	char comm[2 * BPROF_KEYS][16];
};

/*
 * The counts of a function of the kernel are divided into pieces: by the target that calls the
 * function, and also by the map that is an argument of the call. With --by site, they are divided by
 * the place of the call instead of the map. Each caller has a piece for each map or place that is
 * known, and a piece for its other calls. The last piece has the calls for which there is no target,
 * such as those of an unmeasured program that a target has tail-called. The probe counts these calls
 * only to know its own overhead, which is subtracted from the target's value. The numbers of pieces
 * begin with 1. For CPU n, element n + piece * cpus of the map "bprof_stats" has the counts of a
 * piece. The CPU's own element only has the readings at the exit, and the number of frames that were
 * taken in all pieces.
 *
 * The key of a call is made of an address and the number of the caller. The address is that of the
 * map (0: the function has no map argument) or of the instruction after the call. User space
 * chooses a multiplier with which no two keys of this function have the same slot. So the probe
 * executes the same instructions for all calls, whatever their maps or places.
 *
 * This struct is at the end of the CPU's own element, in place of its distributions.
 */
struct bprof_pieces {
	__u64 cpus; /* user space: the highest CPU id + 1 */
	__u64 others; /* entry probe: calls that are in no run of a target; not exact, see add_other() */
	/* user space: the piece for a caller's calls whose key has no slot, indexed by caller */
	__u16 of[BPROF_CALLERS];
	__u64 multiplier; /* user space */
#define BPROF_CALL_KEY(map, caller) ((map)*BPROF_CALLERS + (caller))
#define BPROF_CALL_SLOT_BITS 7
#define BPROF_CALL_SLOT(key, multiplier) ((key) * (multiplier) >> (64 - BPROF_CALL_SLOT_BITS))
	/* user space; key 0: the slot is free */
	struct bprof_call_slot {
		__u64 key, piece;
	} slot[1 << BPROF_CALL_SLOT_BITS];
/* The maximum number of keys for which user space finds a multiplier quickly. */
#define BPROF_CALL_KEYS 48
};

/*
 * A CPU's element of the map "bprof_rotation", which all probes of multiplexed events share.
 *
 * To read an event that is on a counter, the kernel executes other code than to read an event that
 * is off. So each event's bias depends on the set of events that are on a counter. When perf
 * rotates the events, it produces only about as many different sets as there are events. To make
 * the bias independent of the set, the probe also subtracts from each run the cost of reading all
 * events once with that set. The probe itself measures this cost when it first meets a set.
 */
struct bprof_rotation {
	/* set by user space: 1 to measure the costs and to subtract them, 0 to subtract nothing */
	__u64 learn;
	/*
	 * exit probe: the cost in ns of reading all events, for the last set of events whose costs
	 * were known
	 */
	__u64 clock;
#define BPROF_ON_SET_BITS 6
	/*
	 * exit probe: indexed by a hash of the set. On a collision the new set replaces the old
	 * set.
	 */
	struct bprof_on_set {
		__u64 on; /* mask of the events that are on a counter */
#define BPROF_ON_SET_USED (1ULL << 63)
		__u64 tries; /* number of times that the costs were measured */
#define BPROF_ON_SET_TRIES 4
		__u64 cost[BPROF_SLOTS]; /* the minimum of all measurements, in each slot's unit */
	} set[1 << BPROF_ON_SET_BITS];
	/* exit probe: three readings in a row, to measure the costs */
	struct bprof_readings again[3];
	/*
	 * exit probe, nested targets: sums that are never read. The probe adds events that were off
	 * to them, so that its overhead is the same in all runs.
	 */
	struct bprof_event_sum off;
	__u64 off_hist[BPROF_HIST_BUCKETS];
};

#endif
