/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a backend is: a way of counting the invocations of targets and what they cost.
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

/* One event of a target, summed over its runs; net, if the backend is calibrated. */
struct event_counts {
	__s64 total;
	__s64 self; /* of total, what is not in the targets that it called; if they are nested */
	__s64 min, max;	 /* min > max: not known */
	__u64 samples;	 /* that total is estimated from */
	__u64 errors;	 /* runs in which a reading failed */
	__u64 uncovered; /* runs during which it was off for a while, multiplexed */
	__s64 bias;	 /* what was taken off, all runs together */
	double squares;	 /* sum of the squares; NaN where some run was too long for it */
	struct hist hist;
};

/* Counts since a target was opened, on one CPU or on all. */
struct counts {
	__u64 measured, thinned_out;
	__u64 period; /* no count: one run in so many is measured now */
	__u64 lost[LOST_CNT];
	/* Runs that the kernel itself left out: they did not happen. A program's, not a CPU's. */
	__u64 recursion_misses;
	struct event_counts event[BPROF_SLOTS]; /* by slot of the probe */
};

/* Capabilities of backends: all that others may ask of the kind that a backend is of. */
enum {
	BACKEND_DEFAULT = 1 << 0, /* it is tried where --method names none */
	/*
	 * It attaches a probe to a target: functions can be targets, and single runs be recorded.
	 * target->no_probe has the reason where it cannot.
	 */
	BACKEND_PROBES = 1 << 1,
	/* Counts each event of each run that it measures, by env->fds. */
	BACKEND_COUNTS_EVENTS = 1 << 2,
	/* Estimates the totals of events from samples. Without this and the one above: only time. */
	BACKEND_ESTIMATES_EVENTS = 1 << 3,
	BACKEND_PER_CPU = 1 << 4, /* its counts are of each CPU; else of all CPUs together */
	/* While it is open, the kernel counts the runs of all programs (prog->info.run_cnt). */
	BACKEND_COUNTS_ALL_RUNS = 1 << 5,
	BACKEND_FIXED_TARGETS = 1 << 6, /* it takes no more targets once it has begun to count */
};

/*
 * The operations of a backend. It has one state for all its targets (struct backend) and one for
 * each target (target->priv). They are called in this order. A failure of a single target comes back
 * in *reason, and the session goes on without that target.
 */
struct counter_ops {
	const char *method; /* in reports: "fentry" */
	__u32 caps;	    /* BACKEND_... */
	/* Can this machine do it? 0 or -errno. NULL: that is known once it is opened. */
	int (*try)(void);
	/*
	 * May it measure that program, which no probe can be attached to for the reason given
	 * (REASON_NONE: one can)? 0 or -errno with *reason. NULL: that is known once it is opened.
	 */
	int (*check)(const struct prog *p, const struct reason *no_probe, struct reason *reason);
	/*
	 * Makes the state that the targets share, and calibrates if the options ask for it. env
	 * outlives the state. 0 or -errno with *reason: no target can be measured by it.
	 */
	int (*open)(const struct backend_env *env, void **state, struct reason *reason);
	/* Makes everything ready for one target but its attachment. */
	int (*open_target)(void *state, struct target *t, struct reason *reason);
	int (*attach_target)(void *state, struct target *t, struct reason *reason);
	/*
	 * All targets of the session are attached. 0 or -errno with *reason: none of its own can be
	 * measured. NULL: nothing is to be done.
	 */
	int (*ready)(void *state, struct reason *reason);
	/* Counts from here on; called for all backends in one go. stop: no more. May be NULL. */
	void (*start)(void *state);
	void (*stop)(void *state);
	/*
	 * Reads a target's counts: per_cpu[i] for the i-th CPU of env->cpus, and in *rest what
	 * belongs to no one CPU. Both come zeroed, but for min, which is ~0. 0 or -errno.
	 */
	int (*read_target)(const void *state, struct target *t, bool hists, struct counts *per_cpu,
			   struct counts *no_cpu);
	/*
	 * Called whenever targets have been read. Has the kernel's clock source changed since the
	 * calibration, so that net numbers are wrong? Warns once. NULL: it does not matter.
	 */
	bool (*clock_changed)(void *state);
	/* While counting is stopped: counts anew, from zero. NULL: that cannot be. */
	void (*reset)(const void *state, struct target *t);
	/* Why it has no value of an event that is open, or NULL. NULL itself: it has all. */
	const char *(*not_counted)(const void *state, int event);
	/* Is its own cost taken off the numbers? NULL: never, and the next two are NULL as well. */
	bool (*is_net)(const void *state);
	/* The standard deviation of the bias that was taken off a target's runs on a CPU. */
	double (*bias_stddev)(const void *state, const struct target *t, int cpu, int slot);
	/* By how much that bias may be wrong, in units of the slot; 0: it is right. */
	double (*bias_uncertainty)(const void *state, const struct target *t, int slot);
	/*
	 * The probe of a target, where the backend thins out its runs (struct probe_cost, thinning.h):
	 * its counts on a CPU, which it shares with user space, and what it adds to a run there; NULL:
	 * that is not known. NULL itself, both: it has no probes.
	 */
	struct bprof_cpu_stat *(*probe_stat)(const struct target *t, int cpu);
	const struct probe_cost *(*probe_cost)(const void *state, int cpu);
	/*
	 * Add to a target's part of the report what the reader must know, and to the whole what is of
	 * all its targets. 0 or -ENOMEM. NULL: nothing.
	 */
	int (*add_notes)(const void *state, const struct target *t, struct report_prog *p);
	int (*fill_report)(const void *state, struct report *r);
	/*
	 * detach: closes what keeps the program loaded; its counts stay as they are then, and can be
	 * read. reattach: attaches it again, and counts on. 0 or -errno with *reason: it stays let
	 * go of. is_busy: a run is under way, as far as it is seen. NULL: it keeps nothing loaded.
	 */
	void (*detach)(struct target *t);
	int (*reattach)(void *state, struct target *t, struct reason *reason);
	bool (*is_busy)(const struct target *t);
	/* Is that one of the links that attach the target's probe? NULL: it attaches nothing to it. */
	bool (*owns_link)(const struct target *t, __u32 link_id);
	void (*close_target)(struct target *t); /* detaches too */
	void (*close)(void *state);		/* NULL is fine */
};

/* A backend of a session. */
struct backend {
	const struct counter_ops *ops;
	void *state; /* NULL: not opened */
	struct reason
		refused; /* why it cannot be used at all; REASON_NONE: it can, or was not tried */
};

static inline bool backend__has(const struct backend *b, __u32 caps)
{
	return b->ops->caps & caps;
}

/* Is its own cost taken off the numbers of its targets? */
static inline bool backend__is_net(const struct backend *b)
{
	return b->state && b->ops->is_net && b->ops->is_net(b->state);
}

/* A descriptor; while it is open, the kernel counts the runs of programs. Or -errno with *reason. */
int run_stats__enable(struct reason *reason);

#endif
