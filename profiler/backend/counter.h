/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The interface of backends. A backend is a way to count the runs of targets and their cost. */
#ifndef BPROF_COUNTER_H
#define BPROF_COUNTER_H

#include <stdbool.h>
#include <linux/types.h>

#include "base/hist.h"
#include "bpf/probe.h"
#include "btf/reason.h"
#include "report/report.h"

struct backend_env;
struct prog;
struct target;

/* The time that the probe adds to a run, on CPUs of one kind; 0 < skipped_ns < measured_ns. */
struct probe_cost {
	__u64 measured_ns; /* added to a measured run */
	__u64 skipped_ns;  /* added to a run that is only counted */
};

/*
 * Returns how many ns the probe adds: to the runs that it measures, and to other runs, which it
 * only counts.
 */
static inline __u64 probe_cost__added_ns(const struct probe_cost *cost, __u64 measured,
					 __u64 counted)
{
	return measured * cost->measured_ns + counted * cost->skipped_ns;
}

/* The sums of one event over the runs of a target. They are net if the backend is calibrated. */
struct event_counts {
	__s64 total;
	/*
	 * self: nested targets: the part of "total" not spent in called targets. If total is estimated
	 * instead: the samples that were taken and lost meanwhile, on all CPUs and in any code, for all
	 * targets together. A session has very many of these structs, so both are in one place.
	 */
	union {
		__s64 self;
		__u64 taken;
	};
	__s64 min, max; /* smallest and largest value of a run; unknown if min > max */
	__u64 samples;	/* number of samples from which total is estimated */
	__u64 errors;	/* number of runs in which reading the event failed */
	/*
	 * multiplexed: number of runs during which the event was not always on a counter; an
	 * estimate if total is one
	 */
	__u64 uncovered;
	union {
		__s64 bias; /* sum of the bias subtracted from all runs */
		__u64 lost_samples;
	};
	/* sum of the squares; NaN if the value of any run was too large to be squared */
	double squares;
	struct hist hist;
};

/*
 * Runs that the kernel counted, and the time that they took, including the kernel's two readings of
 * its clock.
 */
struct kernel_runs {
	__u64 runs, ns;
};

/*
 * Sums over the slices in which a target's probe was attached and measured runs (--max-overhead), for
 * some of the target's runs: all, those on one CPU, or those with one key (--by). They serve to compute
 * the errors of means and shares. n is the number of these runs in a slice in which the event was
 * counted, and x is their total. n_all and x_all are sums of n and of x times the value of all the
 * target's runs in the slice. If events are multiplexed, n differs between them.
 */
struct slice_sums {
	__u64 seen; /* runs, measured or not; only for all runs */
	struct slice_event {
		double n, nn, x, xx, nx, n_all, x_all;
	} event[BPROF_SLOTS];
};

/* The counts of a target since it was opened, on one CPU or on all CPUs. */
struct counts {
	__u64 measured, thinned_out;
	/*
	 * Runs that only the kernel counted, because the probe was not attached (--max-overhead).
	 * Counted for all CPUs together, as recursion misses are.
	 */
	__u64 unprobed;
	/*
	 * While the probe was not attached: the runs that the kernel counted and timed, and the
	 * time in ns during which the kernel did not count runs, either.
	 */
	struct kernel_runs rested;
	__u64 blind_ns;
	/* one run in this many is measured now; not a count, unlike the other members */
	__u64 period;
	__u64 lost[LOST_CNT];
	__u64 own; /* bprof's own runs, which are in none of the numbers above */
	/*
	 * For a function of the kernel, on all CPUs of the machine: about how many calls were in no run of
	 * a target, and the CPU time that the probe added to them.
	 */
	__u64 others, others_ns;
	/*
	 * Number of recursion misses: runs that the kernel skipped. The kernel counts recursion
	 * misses per program, not per CPU.
	 */
	__u64 recursion_misses;
	/*
	 * At most this many measured runs are two runs, and all between them, that were taken for one:
	 * the kernel skipped the exit probe of the first run, and the entry probe of a later run at the same
	 * address of the stack. Such a run costs too much, but no more than the most expensive run.
	 * Counted for all CPUs together.
	 */
	__u64 merged;
	/*
	 * Number of runs in which the kernel timed the probe, if the kernel did not time probes
	 * during the calibration: net numbers of these runs are too high. Counted for all CPUs
	 * together.
	 */
	__u64 slowed;
	/*
	 * In the row of a part: the return value of its runs, with BPROF_RETVAL_USED; 0: no value, or
	 * several values. With another key of --by: the key plus 1, and the name of the task that had the
	 * key first. Not a count; neither is "period".
	 */
	__u64 retval;
	char comm[16];
	/* in the row of a part: true if its runs once had another key (counter_ops.free_parts) */
	bool reused;
	struct event_counts event[BPROF_SLOTS]; /* indexed by slot */
};

/*
 * Capabilities of backends. Other code must check only for capabilities, not for a certain backend.
 */
enum {
	BACKEND_DEFAULT = 1 << 0, /* used if --method is not given */
	/*
	 * Attaches probes to targets. So functions can be targets, and single runs can be recorded.
	 * If a target cannot be probed, target->no_probe has the reason.
	 */
	BACKEND_PROBES = 1 << 1,
	/* Counts each event in each measured run, by the descriptors of env->fds. */
	BACKEND_COUNTS_EVENTS = 1 << 2,
	/*
	 * Estimates totals of events from samples. A backend with neither this capability nor
	 * BACKEND_COUNTS_EVENTS measures only time.
	 */
	BACKEND_ESTIMATES_EVENTS = 1 << 3,
	BACKEND_PER_CPU = 1 << 4, /* counts each CPU separately instead of all CPUs together */
	/* Makes the kernel count the runs of all programs (prog->info.run_cnt) while it is open. */
	BACKEND_COUNTS_ALL_RUNS = 1 << 5,
	BACKEND_FIXED_TARGETS = 1 << 6, /* accepts no further targets after counting has begun */
	/*
	 * Makes the kernel time the runs of all programs while it is open. The kernel also times
	 * the programs of a probe, and this takes time within the measured run.
	 */
	BACKEND_SLOWS_PROBES = 1 << 7,
};

/* The maximum number of links that attach the probe of one target. */
#define BACKEND_LINKS_MAX 2

/*
 * The operations of a backend, in the order in which they are called. A backend has one state for
 * all its targets (struct backend), and another state for each target (target->priv). If an
 * operation on a target fails, *reason is set and the session continues without that target.
 */
struct counter_ops {
	const char *method; /* name of the method in reports, e.g. "fentry" */
	__u32 caps;	    /* capabilities: BACKEND_..., bits */
	/*
	 * Tests whether this machine supports the backend. Returns 0 or -errno. NULL: only open()
	 * can find out.
	 */
	int (*try)(void);
	/*
	 * Tests whether the backend can measure a program. no_probe is the reason why no probe can
	 * be attached to the program; REASON_NONE: a probe can be attached. Returns 0, or -errno
	 * with *reason. NULL: only open_target() can find out.
	 */
	int (*check)(const struct prog *p, const struct reason *no_probe, struct reason *reason);
	/*
	 * Creates the state that the targets share. Calibrates if the options ask for it. env
	 * outlives the state. Returns 0, or -errno with *reason if the backend cannot measure any
	 * target.
	 */
	int (*open)(const struct backend_env *env, void **state, struct reason *reason);
	/* Returns how many bytes of memory the counts of a target take; NULL: too few to matter. */
	__u64 (*target_memory)(const struct backend_env *env);
	/*
	 * Prepares several targets at once, as far as possible, so that open_target() has less to
	 * do. None of these targets is open yet. The caller calls open_target() for each of these
	 * targets that the backend measures, and close_target() for the others. NULL: the backend
	 * opens one target after the other.
	 */
	void (*open_targets)(void *state, struct target *v, int cnt);
	/*
	 * Prepares the measurement of one target, and attaches the target's probe if the backend
	 * uses probes. Returns 0, or -errno with *reason.
	 */
	int (*open_target)(void *state, struct target *t, struct reason *reason);
	/*
	 * Called when all targets of the session are open. Returns 0, or -errno with *reason if the
	 * backend cannot measure any of its targets. May be NULL.
	 */
	int (*ready)(void *state, struct reason *reason);
	/*
	 * start() starts counting on all targets, and stop() stops counting. The caller calls
	 * start() of all backends in direct succession, and likewise stop(). May be NULL.
	 */
	void (*start)(void *state);
	void (*stop)(void *state);
	/*
	 * Called each time before targets are read: reads the counts that the targets share. NULL:
	 * there are none.
	 */
	void (*refresh)(void *state);
	/*
	 * Reads a target's counts. Reads the counts of the i-th CPU of env->cpus into per_cpu[i],
	 * and the counts that belong to no CPU into *no_cpu. With opts.by, the backend may also
	 * read the rows of the target's parts, which follow *no_cpu (struct snapshot). The caller
	 * sets all these rows to zero, except for min (INT64_MAX) and max (INT64_MIN). Returns 0 or
	 * -errno.
	 */
	int (*read_target)(const void *state, struct target *t, bool hists, struct counts *per_cpu,
			   struct counts *no_cpu);
	/*
	 * With opts.by: give parts to other keys, to those whose runs come next. part[] is indexed by
	 * part, and does not contain part 0. close_parts() makes the runs with the keys of these parts
	 * count for part 0. Once no probe is running that began earlier, free_parts() moves the parts'
	 * counts to part 0, and frees the parts. It returns 0 or -errno. NULL: the backend does not
	 * divide runs.
	 */
	void (*close_parts)(const struct target *t, const bool *part);
	int (*free_parts)(struct target *t, const bool *part);
	/*
	 * Sets *mark to a number that changes with each run that is counted or lost, until reset()
	 * is called. If the number has not changed, read_target() would read the same counts again.
	 * This operation is much faster than read_target(). Returns 0 or -errno. NULL: the backend
	 * cannot tell, so its targets are read each time.
	 */
	int (*mark)(const struct target *t, __u64 *mark);
	/*
	 * Called after targets have been read. Returns true if the kernel's clock source has
	 * changed since the calibration: net numbers are then wrong. Warns about the change once.
	 * NULL: the clock source does not matter.
	 */
	bool (*clock_changed)(void *state);
	/*
	 * Returns true if the calibration measured several kinds of CPUs (big.LITTLE), and this CPU
	 * came online later, so that its kind is not known: its net numbers may be wrong. NULL: the
	 * kind does not matter.
	 */
	bool (*is_of_unknown_kind)(const void *state, int cpu);
	/*
	 * Sets a target's counts to zero while counting is stopped. NULL: the backend cannot do
	 * that.
	 */
	void (*reset)(const void *state, struct target *t);
	/*
	 * Returns why the backend has no values of a target for an open event; NULL: it has values.
	 * c: the event's counts in the time that is asked for; only used if the backend estimates
	 * events. If the operation itself is NULL, the backend has values for all events.
	 */
	const char *(*not_counted)(const void *state, const struct target *t, int event,
				   const struct event_counts *c);
	/*
	 * Returns true if the bias is subtracted from the numbers. NULL: the bias is never
	 * subtracted, and the next two operations are NULL, too.
	 */
	bool (*is_net)(const void *state);
	/* Returns the standard deviation of the bias subtracted from a target's runs on a CPU. */
	double (*bias_stddev)(const void *state, const struct target *t, int cpu, int slot);
	/*
	 * Returns by how much the bias that is subtracted from the target's runs may be wrong, in
	 * units of the slot's event; 0: the bias is exact.
	 */
	double (*bias_uncertainty)(const void *state, const struct target *t, int slot);
	/*
	 * For a backend that can thin out runs (struct probe_cost). probe_stat() returns the counts
	 * of a target's probe on a CPU, in memory shared with the probe. probe_cost() returns what
	 * a probe adds to a run on that CPU; NULL: unknown. Both operations are NULL if the backend
	 * has no probes.
	 */
	struct bprof_cpu_stat *(*probe_stat)(const struct target *t, int cpu);
	const struct probe_cost *(*probe_cost)(const void *state, int cpu);
	/*
	 * For a function of the kernel: returns about how many calls, on all CPUs, were in no run of a
	 * target since the probe was attached. Sets *ns to the CPU time that the probe added to these calls.
	 * NULL: functions of the kernel cannot be targets of this backend.
	 */
	__u64 (*others)(const void *state, const struct target *t, double *ns);
	/*
	 * add_notes() adds notes for the reader to a target's part of the report. fill_report()
	 * adds the facts about all targets to the report. NULL: nothing to add.
	 */
	void (*add_notes)(const void *state, const struct target *t, struct report_prog *p);
	void (*fill_report)(const void *state, struct report *r);
	/*
	 * detach() closes everything that keeps the target's program loaded. The counts stay and
	 * can be read. reattach() attaches the probe again and continues counting. reattach()
	 * returns 0, or -errno with *reason if the target stays detached. is_busy() returns true if
	 * a run is known to be in progress. These operations are NULL if the backend keeps no
	 * program loaded.
	 */
	void (*detach)(struct target *t);
	/*
	 * Does in advance the part of reattach() that takes long. Returns 0, or -errno with
	 * *reason. NULL if reattach() is NULL.
	 */
	int (*preload)(void *state, struct target *t, struct reason *reason);
	int (*reattach)(void *state, struct target *t, struct reason *reason);
	bool (*is_busy)(const struct target *t);
	/*
	 * Stores the ids of the links that attach the target's probe. Returns their number, at most
	 * BACKEND_LINKS_MAX. NULL: the backend attaches nothing.
	 */
	int (*link_ids)(const struct target *t, __u32 *ids);
	void (*close_target)(struct target *t); /* detaches the target first */
	void (*close)(void *state);		/* state may be NULL */
};

/* One backend in a session. */
struct backend {
	const struct counter_ops *ops;
	void *state; /* state returned by open(); NULL: not open */
	/* why the backend cannot be used; REASON_NONE: it can be used or was not tried */
	struct reason refused;
};

static inline bool backend__has(const struct backend *b, __u32 caps)
{
	return b->ops->caps & caps;
}

/* Returns true if the backend subtracts its bias from the numbers of its targets. */
static inline bool backend__is_net(const struct backend *b)
{
	return b->state && b->ops->is_net && b->ops->is_net(b->state);
}

/*
 * Makes the kernel count the runs of programs while the returned descriptor is open. Returns the
 * descriptor, or -errno with *reason.
 */
int run_stats__enable(struct reason *reason);
/* The cost of the kernel's run statistics, in ns per run. 0: not known, or they were already on. */
struct run_stats_cost {
	double off_ns;	 /* time of a run of an empty program, at the last run_stats__measure() */
	double added_ns; /* by how much longer such a run takes than at the previous call */
	/* by how much the kernel's time of a run is too long, as it reads its clock twice */
	double bias_ns;
};
/* Call this function before the run statistics are enabled, and again when they are enabled. */
void run_stats__measure(struct run_stats_cost *cost);

#endif
