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
	struct turn_cost cost; /* the cost of counting */
	__u64 slice_seen;      /* during a slice: runs seen before it; after it: runs seen in it */
	double weight;	       /* proportional to the CPU's part of the runs in the last slices */
};

/*
 * The phases of a stratum. While bprof loads the probe on a CPU, other work on this CPU has to wait,
 * and then catches up with a burst of runs. So bprof pauses for as long as it has worked: before it
 * attaches the probe, and before the slice begins.
 */
enum turn_phase { TURN_RESTING, TURN_LOADED, TURN_ATTACHED, TURN_IN_SLICE, TURN_OVER };

struct turn {
	bool takes; /* the target takes turns; otherwise its probe stays attached */
	enum turn_phase phase;
	__u64 next_ns;	/* when the present phase ends */
	bool suspended; /* bprof must not keep the target's program loaded now */
	__u64 begin_ns; /* when its stratum began */
	__u64 slice_ns; /* when its slice began */
	/* CPU time for loading, attaching and detaching its probe in this stratum */
	__u64 worked_ns;
	struct turn_stratum plan;
	struct turn_cpu *cpu; /* indexed like the session's CPUs */
	/*
	 * resting: its probe is detached. rest_from, rest_from_ns: the kernel's counts and the time
	 * when it was detached. rested, rested_ns: the kernel's counts in all earlier rests, and
	 * their total length.
	 */
	bool resting;
	struct kernel_runs rest_from, rested;
	__u64 rest_from_ns, rested_ns;
	/* the kernel's count at the end of the last slice, and the time of this end */
	__u64 noted_runs, noted_ns;
	/*
	 * The sums over slices, and the probe's counts when the last slice ended. sums and noted have an
	 * element for each row of slice_sums__rows(), and are NULL if the target never took turns.
	 */
	struct slice_sums *sums;
	__u64 noted_seen;
	struct noted {
		__u64 runs[BPROF_SLOTS];
		__s64 total[BPROF_SLOTS];
	} * noted;
	__u64 unprobed; /* counts.unprobed in the last snapshot: it must not fall */
};

struct probe_turns {
	struct turns plan;
	int cpu_cnt;
	int cnt; /* number of elements of "turn", which is indexed like the session's targets */
	struct turn *turn;
	int taking;	 /* number of targets that take turns */
	double *used;	 /* for each CPU: see turns__use() */
	__u64 attach_ns; /* total CPU time that attaching and detaching have taken */
	/*
	 * look_ns: CPU time of a look (note_look()). thread_ns, attached_ns: the thread's CPU time,
	 * and attach_ns, at the end of the last look.
	 */
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

/*
 * Returns true if the kernel counts exactly the target's runs. The kernel counts the runs of
 * programs, not of functions, on all CPUs; it counts an extension's runs as runs of the extended
 * program.
 */
bool turn__is_counted(const struct backend_env *env, const struct target *t);
/*
 * Call this when a target's probe has been detached. If the probe was attached for a slice, adds its
 * measurements since the last call to the sums over slices.
 */
void turn__note_slice(struct probe_turns *st, const struct backend_env *env, int target,
		      bool slice);
/* Returns how many ns the probe adds to a run of a target on a CPU if it only counts the run. */
__u64 turn__skipped_ns(const struct backend_env *env, int target, int cpu);
/*
 * turn__begin_stratum() begins a stratum of a target. turn__cut_slice() continues it without its
 * slice.
 */
void turn__begin_stratum(struct probe_turns *st, const struct backend_env *env, int target,
			 __u64 now);
void turn__cut_slice(struct probe_turns *st, const struct backend_env *env, int target);
/* Begins the next phase of a target's stratum, if it is due. Returns true if the stratum is over. */
bool turn__go_on(struct probe_turns *st, const struct backend_env *env, int target);

#endif
