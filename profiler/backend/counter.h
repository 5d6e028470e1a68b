/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The interface of backends. A backend is a way of counting the invocations of targets and their
 * cost.
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
struct probe_cost;
struct target;

/* One event of a target, summed over its runs; net if the backend is calibrated. */
struct event_counts {
	__s64 total;
	__s64 self;	 /* nested: part of total that is not in called targets */
	__s64 min, max;	 /* min > max: unknown */
	__u64 samples;	 /* samples that total is estimated from */
	__u64 errors;	 /* runs in which a reading failed */
	__u64 uncovered; /* multiplexed: runs in which it was off for some time */
	__s64 bias;	 /* subtracted bias, sum of all runs */
	double squares;	 /* sum of the squares; NaN if any run was too long for it */
	struct hist hist;
};

/* Counts since a target was opened, on one CPU or on all. */
struct counts {
	__u64 measured, thinned_out;
	__u64 period; /* not a count: one run in this many is measured now */
	__u64 lost[LOST_CNT];
	/* Runs that the kernel skipped, so they did not happen. Of a program, not of a CPU. */
	__u64 recursion_misses;
	struct event_counts event[BPROF_SLOTS]; /* by slot of the probe */
};

/* Capabilities of backends. Other code asks only for these, not for the kind of a backend. */
enum {
	BACKEND_DEFAULT = 1 << 0, /* tried if there is no --method */
	/*
	 * It attaches probes to targets: functions can be targets, and single runs can be recorded.
	 * If it cannot, target->no_probe has the reason.
	 */
	BACKEND_PROBES = 1 << 1,
	/* Counts each event in each measured run, by env->fds. */
	BACKEND_COUNTS_EVENTS = 1 << 2,
	/*
	 * Estimates totals of events from samples. A backend without this and the one above has
	 * only time.
	 */
	BACKEND_ESTIMATES_EVENTS = 1 << 3,
	BACKEND_PER_CPU = 1 << 4, /* it counts per CPU; otherwise all CPUs together */
	/* While it is open, the kernel counts the runs of all programs (prog->info.run_cnt). */
	BACKEND_COUNTS_ALL_RUNS = 1 << 5,
	BACKEND_FIXED_TARGETS = 1 << 6, /* no targets can be added after counting has begun */
};

/*
 * The operations of a backend. It has one state for all its targets (struct backend) and one for
 * each target (target->priv). They are called in this order. If an operation on a target fails,
 * *reason is set and the session continues without that target.
 */
struct counter_ops {
	const char *method; /* in reports: "fentry" */
	__u32 caps;	    /* BACKEND_... */
	/*
	 * Tests whether this machine supports it. Returns 0 or -errno. NULL: only opening it tells.
	 */
	int (*try)(void);
	/*
	 * Tests whether it can measure a program to which no probe can be attached for the reason
	 * no_probe (REASON_NONE: one can). Returns 0, or -errno with *reason. NULL: only opening it
	 * tells.
	 */
	int (*check)(const struct prog *p, const struct reason *no_probe, struct reason *reason);
	/*
	 * Creates the state that the targets share, and calibrates if the options ask for it. env
	 * outlives the state. Returns 0, or -errno with *reason: it cannot measure any target.
	 */
	int (*open)(const struct backend_env *env, void **state, struct reason *reason);
	/* Attaches what measures one target. Returns 0, or -errno with *reason. */
	int (*open_target)(void *state, struct target *t, struct reason *reason);
	/*
	 * Called when all targets of the session are attached. Returns 0, or -errno with *reason:
	 * it cannot measure any of its targets. May be NULL.
	 */
	int (*ready)(void *state, struct reason *reason);
	/*
	 * Starts counting on all targets; called for all backends in direct succession. stop: stops
	 * it. May be NULL.
	 */
	void (*start)(void *state);
	void (*stop)(void *state);
	/*
	 * Reads a target's counts: per_cpu[i] for the i-th CPU of env->cpus, and *no_cpu for counts
	 * that belong to no CPU. The caller zeroes both, with min INT64_MAX and max INT64_MIN.
	 * Returns 0 or -errno.
	 */
	int (*read_target)(const void *state, struct target *t, bool hists, struct counts *per_cpu,
			   struct counts *no_cpu);
	/*
	 * Called after targets have been read. Returns true if the kernel's clock source has
	 * changed since the calibration, so that net numbers are wrong. Warns about it once. NULL:
	 * it does not matter.
	 */
	bool (*clock_changed)(void *state);
	/* Sets a target's counts to zero while counting is stopped. NULL: not possible. */
	void (*reset)(const void *state, struct target *t);
	/* Returns why it has no value for an open event, or NULL. NULL itself: it has all. */
	const char *(*not_counted)(const void *state, int event);
	/*
	 * Returns true if its own cost is subtracted from the numbers. NULL: never; the next two
	 * are then NULL too.
	 */
	bool (*is_net)(const void *state);
	/* Returns the standard deviation of the bias subtracted from a target's runs on a CPU. */
	double (*bias_stddev)(const void *state, const struct target *t, int cpu, int slot);
	/* Returns by how much that bias may be wrong, in units of the slot; 0: it is exact. */
	double (*bias_uncertainty)(const void *state, const struct target *t, int slot);
	/*
	 * For a backend that thins out runs (struct probe_cost, thinning.h): the counts of a
	 * target's probe on a CPU, shared with user space, and what the probe adds to a run there;
	 * NULL: unknown. Both are NULL themselves if it has no probes.
	 */
	struct bprof_cpu_stat *(*probe_stat)(const struct target *t, int cpu);
	const struct probe_cost *(*probe_cost)(const void *state, int cpu);
	/*
	 * add_notes adds to a target's part of the report what the reader must know; fill_report
	 * adds to the report what concerns all targets. Return 0 or -ENOMEM. NULL: nothing.
	 */
	int (*add_notes)(const void *state, const struct target *t, struct report_prog *p);
	int (*fill_report)(const void *state, struct report *r);
	/*
	 * detach closes everything that keeps the program loaded; its counts stay and can be read.
	 * reattach attaches it again and continues counting; it returns 0, or -errno with *reason:
	 * it stays detached. is_busy returns true if a run is known to be in progress. NULL: it
	 * keeps nothing loaded.
	 */
	void (*detach)(struct target *t);
	int (*reattach)(void *state, struct target *t, struct reason *reason);
	bool (*is_busy)(const struct target *t);
	/* Returns true if the link attaches the target's probe. NULL: it attaches nothing. */
	bool (*owns_link)(const struct target *t, __u32 link_id);
	void (*close_target)(struct target *t); /* detaches too */
	void (*close)(void *state);		/* NULL is fine */
};

/* A backend of a session. */
struct backend {
	const struct counter_ops *ops;
	void *state;	       /* NULL: not opened */
	struct reason refused; /* why it cannot be used; REASON_NONE: it can, or was not tried */
};

static inline bool backend__has(const struct backend *b, __u32 caps)
{
	return b->ops->caps & caps;
}

/* Returns true if the backend's own cost is subtracted from the numbers of its targets. */
static inline bool backend__is_net(const struct backend *b)
{
	return b->state && b->ops->is_net && b->ops->is_net(b->state);
}

/*
 * Makes the kernel count the runs of programs while the returned descriptor is open. Returns -errno
 * with *reason on failure.
 */
int run_stats__enable(struct reason *reason);

#endif
