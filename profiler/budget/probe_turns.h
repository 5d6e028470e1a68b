/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Attaches the probes of busy targets only for slices of time (--max-overhead, budget/turns.h). The
 * other probes stay attached.
 */
#ifndef BPROF_PROBE_TURNS_H
#define BPROF_PROBE_TURNS_H

#include <stdbool.h>
#include <linux/types.h>

#include "backend/backend_env.h"

struct thinning_plans;
struct probe_turns;

/* Prepares turns for a session whose targets are attached. */
struct probe_turns *probe_turns__new(const struct backend_env *env);
void probe_turns__free(struct probe_turns *st); /* accepts NULL */
/* Adapts st to targets that were added. */
void probe_turns__fit(struct probe_turns *st, const struct backend_env *env);
/* Removes targets that have ended, those for which keep[] is false. */
void probe_turns__keep(struct probe_turns *st, const bool *keep);

/* Call these when counting starts or stops, while the gate is closed. */
void probe_turns__start(struct probe_turns *st, const struct backend_env *env);
void probe_turns__stop(struct probe_turns *st, const struct backend_env *env);

/*
 * Chooses the probes that take turns, and attaches and detaches them. Call this when the runs in the
 * last elapsed_ns have been read (plans->target). Sets the runs of targets that take turns to zero,
 * and the shares in plans->cpu to the shares that the other targets may take. Returns the time in ns
 * until the next call.
 */
__u64 probe_turns__adjust(struct probe_turns *st, const struct backend_env *env,
			  struct thinning_plans *plans, __u64 elapsed_ns);

/* Returns true if any target takes turns. st may be NULL. */
bool probe_turns__any(const struct probe_turns *st);
/* Returns true if the target takes turns. */
bool probe_turns__takes(const struct probe_turns *st, int target);
/*
 * Call probe_turns__suspend() before a target's probe is detached for a reason other than turns.
 * Ends the target's slice. The probe is not attached again, and does not begin to take turns, before
 * probe_turns__resume().
 */
void probe_turns__suspend(struct probe_turns *st, const struct backend_env *env, int target);
void probe_turns__resume(struct probe_turns *st, int target);

/* Call this before the counts of a target are read for the last time. */
void probe_turns__retire(struct probe_turns *st, const struct backend_env *env, int target);

/*
 * probe_turns__add_kernel() adds to a target's rows the runs that its probe did not see. The kernel's
 * number of runs must have been read before the rows (session_counts.c, note_missed()). If the kernel
 * does not count these runs, adds the time for which the probe was not attached:
 * probe_turns__blind_ns().
 */
__u64 probe_turns__blind_ns(const struct probe_turns *st, const struct backend_env *env,
			    int target);
void probe_turns__add_kernel(struct probe_turns *st, const struct backend_env *env, int target,
			     struct counts *rows);
/*
 * Returns the sums over the slices of each target (struct snapshot), which the caller frees, or NULL if
 * st is NULL.
 */
struct slice_sums **probe_turns__read_slices(const struct probe_turns *st,
					     const struct backend_env *env);
/*
 * Call this when counter_ops.free_parts() is called: forgets what is known of the slices of these parts.
 * st may be NULL.
 */
void probe_turns__free_parts(struct probe_turns *st, const struct backend_env *env, int target,
			     const bool *part);
/* Returns the CPU time that attaching and detaching have taken. */
__u64 probe_turns__attach_ns(const struct probe_turns *st);
/* Returns the rate of runs of the programs that are not measured, in runs per ns (other_runs.h). */
double probe_turns__other_runs(const struct probe_turns *st);

#endif
