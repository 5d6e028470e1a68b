/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internal interface of probe_turns.c and probe_slices.c only.
 */
#ifndef BPROF_PROBE_TURNS_PRIV_H
#define BPROF_PROBE_TURNS_PRIV_H

#include "budget/other_runs.h"
#include "budget/probe_turns.h"
#include "budget/turns.h"

/* A target on one CPU. */
struct turn_cpu {
	struct turn_cost cost; /* of counting */
	__u64 slice_seen; /* the runs seen: when the slice began, or in the slice, which has ended */
	double weight;	  /* the part of the last slices' runs, times any number */
};

/*
 * The phases of a stratum. Loading the probe takes the CPU from a load of the same CPU, which then
 * catches up; so bprof pauses for as long as it has worked, before it attaches the probe, and before
 * the slice begins.
 */
enum turn_phase { TURN_RESTING, TURN_LOADED, TURN_ATTACHED, TURN_IN_SLICE, TURN_OVER };

struct turn {
	bool takes; /* it takes turns; otherwise its probe stays attached */
	enum turn_phase phase;
	__u64 next_ns;	 /* when the present phase ends */
	bool suspended;	 /* its program must not be held now */
	__u64 begin_ns;	 /* when its stratum began */
	__u64 slice_ns;	 /* when its slice began */
	__u64 worked_ns; /* CPU time for loading, attaching and detaching it in this stratum */
	struct turn_stratum plan;
	struct turn_cpu *cpu; /* indexed as the session's CPUs */
	/*
	 * While its probe is detached: what the kernel had counted and the time when that began. What
	 * the kernel counted before in such times, and their length.
	 */
	bool resting;
	struct kernel_runs rest_from, rested;
	__u64 rest_from_ns, rested_ns;
	/* what the kernel had counted at the end of the last slice, and when that was */
	__u64 noted_runs, noted_ns;
	struct slice_sums sums;
	/* what it had measured when the last slice ended */
	__u64 noted_seen, noted_measured;
	__s64 noted_total[BPROF_SLOTS];
	__u64 unprobed; /* the number that was last reported: it does not fall */
};

struct probe_turns {
	struct turns plan;
	int cpu_cnt;
	int cnt; /* number of elements of "turn", which is indexed as the session's targets */
	struct turn *turn;
	int taking;	 /* number of targets that take turns */
	double *used;	 /* of each CPU (turns__use()) */
	__u64 attach_ns; /* CPU time that attaching and detaching has taken in all */
	/* CPU time of a look, and of the thread and for attaching when the last one ended */
	__u64 look_ns, thread_ns, attached_ns;
	struct other_runs others;
	bool running;
	bool warned, said_detached;
};

enum attach_step { STEP_LOAD, STEP_ATTACH, STEP_DETACH };

/*
 * Takes a step of attaching or detaching a target's probe, and notes how much CPU time it takes.
 * Returns 0 or -errno (reported once).
 */
int turn__take_step(struct probe_turns *st, const struct backend_env *env, int target,
		    enum attach_step step);

/* The kernel counts programs, on all CPUs, and an extension's runs as those of what it extends. */
bool turn__is_counted(const struct backend_env *env, const struct target *t);
/*
 * A target's probe has been detached. If it was attached for a slice, adds what it has measured since the
 * last call to the sums over slices.
 */
void turn__note_slice(struct probe_turns *st, const struct backend_env *env, int target,
		      bool slice);
/* Returns what counting a run of a target on a CPU adds, in ns. */
__u64 turn__skipped_ns(const struct backend_env *env, int target, int cpu);
/* A stratum of a target begins, or goes on without its slice. */
void turn__begin_stratum(struct probe_turns *st, const struct backend_env *env, int target,
			 __u64 now);
void turn__cut_slice(struct probe_turns *st, const struct backend_env *env, int target);
/*
 * Goes on to the next phase of a target's stratum, if it is time. Returns true if the stratum is over.
 */
bool turn__go_on(struct probe_turns *st, const struct backend_env *env, int target);

#endif
