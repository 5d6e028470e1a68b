/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The interface of backends. A backend is a way of counting the runs of targets and what they cost.
 */
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

/* Returns what the probe adds to runs that it measures, and to others that it only counts, in ns. */
static inline __u64 probe_cost__added_ns(const struct probe_cost *cost, __u64 measured,
					 __u64 counted)
{
	return measured * cost->measured_ns + counted * cost->skipped_ns;
}

/* The sums of one event over the runs of a target. They are net if the backend is calibrated. */
struct event_counts {
	__s64 total;
	__s64 self;	/* nested targets: the part of "total" not spent in called targets */
	__s64 min, max; /* smallest and largest value of a run; unknown if min > max */
	__u64 samples;	/* number of samples that total is estimated from */
	__u64 errors;	/* number of runs in which reading the event failed */
	/* multiplexed: number of runs during which the event was not always on a counter */
	__u64 uncovered;
	__s64 bias; /* sum of the bias subtracted from all runs */
	/* sum of the squares; NaN if the value of any run was too large to be squared */
	double squares;
	struct hist hist;
};

/* Runs that the kernel counted, and the time that they took, with its two readings of the clock. */
struct kernel_runs {
	__u64 runs, ns;
};

/*
 * Sums over the slices in which a target's probe was attached and measured runs (--max-overhead), for
 * the errors of means: n is the number of measured runs of a slice, x is their total.
 */
struct slice_sums {
	__u64 seen; /* runs, measured or not */
	double n, nn;
	struct {
		double x, xx, nx;
	} event[BPROF_SLOTS];
};

/* The counts of a target since it was opened, on one CPU or on all CPUs. */
struct counts {
	__u64 measured, thinned_out;
	/*
	 * Runs that only the kernel counted, because the probe was not attached (--max-overhead). Like
	 * recursion misses not per CPU.
	 */
	__u64 unprobed;
	/* While the probe was not attached, the kernel counted these runs (and timed them), or nobody did. */
	struct kernel_runs rested;
	__u64 blind_ns;
	/* one run in this many is measured now; unlike the other members not a count */
	__u64 period;
	__u64 lost[LOST_CNT];
	__u64 own; /* runs by bprof itself, which are not in any of the numbers above */
	/*
	 * Of a function of the kernel, on all CPUs of the machine: about how many calls were in no run of a
	 * target, and the CPU time that the probe took of them. Like recursion misses not per CPU.
	 */
	__u64 others, others_ns;
	/*
	 * Number of recursion misses: runs that the kernel skipped. The kernel counts them per
	 * program, not per CPU.
	 */
	__u64 recursion_misses;
	/*
	 * Number of runs in which the kernel timed the probe, although it did not during the
	 * calibration: net numbers of these runs are too high. It is not per CPU either.
	 */
	__u64 slowed;
	/*
	 * In the row of a part: the return value of its runs, with BPROF_RETVAL_USED; 0: none, or
	 * several. Like period not a count. With another key of --by: the key plus 1, and the name of the
	 * task in which it was first met.
	 */
	__u64 retval;
	char comm[16];
	struct event_counts event[BPROF_SLOTS]; /* indexed by slot */
};

/*
 * Capabilities of backends. Other code must ask only for capabilities, not for a certain backend.
 */
enum {
	BACKEND_DEFAULT = 1 << 0, /* used if --method is not given */
	/*
	 * Attaches probes to targets: functions can be targets, and single runs can be recorded. If
	 * a target cannot be probed, target->no_probe has the reason.
	 */
	BACKEND_PROBES = 1 << 1,
	/* Counts each event in each measured run, with the descriptors of env->fds. */
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
	 * Makes the kernel time the runs of all programs while it is open. The programs of a probe
	 * are timed, too, which takes time inside of the measured run.
	 */
	BACKEND_SLOWS_PROBES = 1 << 7,
};

/* The most links that attach the probe of one target. */
#define BACKEND_LINKS_MAX 2

/*
 * The operations of a backend, in the order in which they are called. A backend has one state for
 * all its targets (struct backend) and one for each target (target->priv). If an operation on a
 * target fails, *reason is set and the session continues without that target.
 */
struct counter_ops {
	const char *method; /* name of the method in reports, e.g. "fentry" */
	__u32 caps;	    /* capabilities: BACKEND_..., bits */
	/*
	 * Tests whether this machine supports the backend. Returns 0 or -errno. NULL: only open()
	 * can find that out.
	 */
	int (*try)(void);
	/*
	 * Tests whether the backend can measure a program. no_probe is the reason why no probe can
	 * be attached to the program, or REASON_NONE if one can. Returns 0, or -errno with
	 * *reason. NULL: only open_target() can find that out.
	 */
	int (*check)(const struct prog *p, const struct reason *no_probe, struct reason *reason);
	/*
	 * Creates the state that the targets share, and calibrates if the options ask for it. env
	 * outlives the state. Returns 0, or -errno with *reason if it cannot measure any target.
	 */
	int (*open)(const struct backend_env *env, void **state, struct reason *reason);
	/* Returns the memory in bytes that the counts of a target take; NULL: too little to count. */
	__u64 (*target_memory)(const struct backend_env *env);
	/*
	 * Does what it can of open_target() for several targets at once, none of which is open. It
	 * is followed by open_target() for each of them that the backend measures, and by
	 * close_target() for the others. NULL: the backend opens one target after the other.
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
	 * start() starts counting on all targets, and stop() stops it. Each is called for all
	 * backends in direct succession. May be NULL.
	 */
	void (*start)(void *state);
	void (*stop)(void *state);
	/*
	 * Reads a target's counts: those of the i-th CPU of env->cpus into per_cpu[i], and those
	 * that belong to no CPU into *no_cpu. With opts.by, the backend may
	 * also read the rows of the target's parts, which follow *no_cpu
	 * (struct snapshot). The caller sets all of these to zero, except min to INT64_MAX and max
	 * to INT64_MIN. Returns 0 or -errno.
	 */
	int (*read_target)(const void *state, struct target *t, bool hists, struct counts *per_cpu,
			   struct counts *no_cpu);
	/*
	 * Sets *mark to a number that changes with each run that is counted or lost, until reset()
	 * is called: if it has not changed, read_target() would read the same counts again. Is much
	 * quicker than read_target(). Returns 0 or -errno. NULL: the backend cannot tell, so its
	 * targets are read each time.
	 */
	int (*mark)(const struct target *t, __u64 *mark);
	/*
	 * Called after targets have been read. Returns true if the kernel's clock source has
	 * changed since the calibration, which makes net numbers wrong. Warns about the change
	 * once. NULL: the clock source does not matter.
	 */
	bool (*clock_changed)(void *state);
	/*
	 * Sets a target's counts to zero while counting is stopped. NULL: the backend cannot do
	 * that.
	 */
	void (*reset)(const void *state, struct target *t);
	/*
	 * Returns why the backend has no values for an event that is open; NULL: it has values. If
	 * the operation is NULL, the backend has values for all events.
	 */
	const char *(*not_counted)(const void *state, int event);
	/*
	 * Returns true if the bias is subtracted from the numbers. NULL: it never is, and then the
	 * next two operations are NULL, too.
	 */
	bool (*is_net)(const void *state);
	/* Returns the standard deviation of the bias subtracted from a target's runs on a CPU. */
	double (*bias_stddev)(const void *state, const struct target *t, int cpu, int slot);
	/*
	 * Returns by how much the bias subtracted from the target's runs may be wrong, in units of
	 * the slot's event; 0: it is exact.
	 */
	double (*bias_uncertainty)(const void *state, const struct target *t, int slot);
	/*
	 * For a backend that can thin out runs (struct probe_cost). probe_stat()
	 * returns the counts of a target's probe on a CPU, in memory shared with the probe.
	 * probe_cost() returns what a probe adds to a run on that CPU; NULL: unknown. These
	 * three are NULL if the backend has no probes.
	 */
	struct bprof_cpu_stat *(*probe_stat)(const struct target *t, int cpu);
	const struct probe_cost *(*probe_cost)(const void *state, int cpu);
	/* Returns the sum of what an event counted in all measured runs on a CPU; slot: one that is read. */
	__s64 (*probe_total)(const struct target *t, int cpu, __u32 slot);
	/*
	 * Of a function of the kernel: returns about how many calls, on all CPUs, were in no run of a target
	 * since the probe was attached, and sets *ns to the CPU time that it took of them. NULL: the backend
	 * has no such targets.
	 */
	__u64 (*others)(const void *state, const struct target *t, double *ns);
	/*
	 * add_notes() adds notes for the reader to a target's part of the report. fill_report()
	 * adds to the report what concerns all targets. NULL: nothing to add.
	 */
	void (*add_notes)(const void *state, const struct target *t, struct report_prog *p);
	void (*fill_report)(const void *state, struct report *r);
	/*
	 * detach() closes everything that keeps the target's program loaded. The counts stay and
	 * can be read. reattach() attaches the probe again and continues counting. It returns 0, or
	 * -errno with *reason if the target stays detached. is_busy() returns true if a run is
	 * known to be in progress. These are NULL if the backend keeps no program loaded.
	 */
	void (*detach)(struct target *t);
	/*
	 * Does what takes long of reattach() in advance. Returns 0, or -errno with *reason. NULL if
	 * reattach() is NULL.
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
	/* why the backend cannot be used; REASON_NONE: it can be used, or has not been tried */
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
 * Makes the kernel count the runs of programs as long as the returned descriptor is open. Returns
 * the descriptor, or -errno with *reason.
 */
int run_stats__enable(struct reason *reason);
/* What the kernel's run statistics cost, in ns a run. 0: not known, or they were on before. */
struct run_stats_cost {
	double off_ns;	 /* a run of a program that does nothing, at the last call */
	double added_ns; /* how much longer a run is than at the call before */
	double bias_ns; /* by how much the kernel's time of a run is too long: it reads its clock twice */
};
/* Call it before they are enabled, and again when they are. */
void run_stats__measure(struct run_stats_cost *cost);

#endif
