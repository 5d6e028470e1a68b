/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internal interface of session_turns.c and session_slices.c only.
 */
#ifndef BPROF_SESSION_TURNS_PRIV_H
#define BPROF_SESSION_TURNS_PRIV_H

#include "base/turns.h"
#include "session/session_turns.h"

/* A target on one CPU. */
struct turn_cpu {
	__u32 cost; /* expected share that counting adds while the probe is attached */
	/* the runs seen and measured: when the slice began, or in the slice, which has ended */
	__u64 slice_seen, slice_measured;
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
	int calm;	 /* number of slices in a row after which its probe could stay attached */
	__u64 debt_ns;	 /* what its slices added beyond their budget */
	struct turn_stratum plan;
	struct turn_cpu *cpu; /* indexed as the session's CPUs */
	bool has_rested;      /* its probe has been detached before */
	/*
	 * While its probe is detached: what the kernel had counted and the time when that began. What
	 * the kernel counted before in such times, and their length.
	 */
	bool resting;
	struct kernel_runs rest_from, rested;
	__u64 rest_from_ns, rested_ns;
	__u64 unprobed; /* the number that was last reported: it does not fall */
};

struct session_turns {
	struct turns plan;
	int cpu_cnt, cpu_limit;
	int cnt; /* number of elements of "turn", which is indexed as the session's targets */
	struct turn *turn;
	int taking;	  /* number of targets that take turns */
	__s64 *credit_ns; /* of each CPU */
	__u64 attach_ns;  /* CPU time that attaching and detaching has taken in all */
	/* CPU time of a look, and of the thread and for attaching when the last one ended */
	__u64 look_ns, thread_ns, attached_ns;
	bool running;
	bool warned;
};

enum attach_step { STEP_LOAD, STEP_ATTACH, STEP_DETACH };

/*
 * Takes a step of attaching or detaching a target's probe, and notes how much CPU time it takes.
 * Returns 0 or -errno (reported once).
 */
int turn__take_step(struct session_turns *st, const struct session *s, int target,
		    enum attach_step step);

/* A stratum of a target begins, or goes on without its slice. */
void turn__begin_stratum(struct session_turns *st, const struct session *s, int target, __u64 now);
void turn__cut_slice(struct session_turns *st, const struct session *s, int target);
/*
 * Goes on to the next phase of a target's stratum, if it is time. Returns true if the stratum is over.
 */
bool turn__go_on(struct session_turns *st, const struct session *s, int target);

#endif
