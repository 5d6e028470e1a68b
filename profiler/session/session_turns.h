/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Attaches the probes of busy targets only for slices of time (--max-overhead, base/turns.h). The
 * other probes stay attached.
 */
#ifndef BPROF_SESSION_TURNS_H
#define BPROF_SESSION_TURNS_H

#include <stdbool.h>
#include <linux/types.h>

#include "session/session.h"

struct session_thinning;
struct session_turns;

/* Prepares turns for a session whose targets are attached. */
struct session_turns *session_turns__new(const struct session *s);
void session_turns__free(struct session_turns *st); /* accepts NULL */
/* Adapts st to targets that were added. */
void session_turns__fit(struct session_turns *st, const struct session *s);

/* Counting starts or stops: call them while the gate is closed. */
void session_turns__start(struct session_turns *st, const struct session *s);
void session_turns__stop(struct session_turns *st, const struct session *s);

/*
 * Chooses which probes take turns, attaches and detaches them. Call it when the runs in the last
 * elapsed_ns have been read (th->target). Sets those of targets that take turns to zero, and the
 * shares in th->cpu to what the other targets may take. Returns the time in ns until the next call.
 */
__u64 session_turns__adjust(struct session_turns *st, const struct session *s,
			    struct session_thinning *th, __u64 elapsed_ns);

/* Returns true if any target takes turns. st may be NULL. */
bool session_turns__any(const struct session_turns *st);
/* Returns true if the target takes turns. */
bool session_turns__takes(const struct session_turns *st, int target);
/*
 * Call it before a target's probe is detached for another reason: its slice ends. It is not attached
 * again before session_turns__resume().
 */
void session_turns__suspend(struct session_turns *st, const struct session *s, int target);
void session_turns__resume(struct session_turns *st, int target);

/* Call it before the counts of a target are read for the last time. */
void session_turns__retire(struct session_turns *st, const struct session *s, int target);

/*
 * Adds to a target's rows the runs that its probe did not see: the kernel's number must have been read
 * before the rows (session_counts.c, note_missed()). Where the kernel does not count them, adds for how
 * long the probe was not attached: session_turns__blind_ns().
 */
__u64 session_turns__blind_ns(const struct session_turns *st, const struct session *s, int target);
void session_turns__add_kernel(struct session_turns *st, const struct session *s, int target,
			       struct counts *rows);
/* Returns the sums over the slices of each target, which the caller frees, or NULL if st is NULL. */
struct slice_sums *session_turns__read_slices(const struct session_turns *st);
/* Returns the CPU time that attaching and detaching has taken. */
__u64 session_turns__attach_ns(const struct session_turns *st);
/* Returns how often the programs run that are not measured, in runs per ns (other_runs.h). */
double session_turns__other_runs(const struct session_turns *st);

#endif
