/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A session: one measurement from start to end, of all targets with all events.
 */
#ifndef BPROF_SESSION_H
#define BPROF_SESSION_H

#include "backend/backend_env.h"
#include "backend/counter.h"
#include "engine/engine.h"
#include "session/foreign_probes.h"
#include "backend/snapshot.h"
#include "target/target.h"

struct session_thinning;

struct session {
	struct backend_env env;
	bool some_cpus;	  /* -C: not all that are online */
	int cycles_event; /* the event that counts all cycles of a CPU, for CPU shares; -1: none */
	struct target_list targets;
	struct foreign_probes foreign; /* as of the last start, stop or session__add() */
	struct backend backend[BACKEND_CNT];
	struct session_thinning *thinning; /* with opts.thin_share and probes; else NULL */
	struct stopwatch stopwatch;	   /* runs while the gate is open */
	bool clock_changed; /* since a calibration: net numbers are wrong, as was reported */
	bool runs_counted; /* the kernel counts the runs of all programs: BACKEND_COUNTS_ALL_RUNS */
	bool said_fallback; /* that the preferred backend can measure nothing here */
	/* What was counted while the gate was closed, and the counters at the last stop. */
	struct snapshot *closed, *stopped;
};

/*
 * Opens the events on the CPUs given (an empty set: all that are online) and makes every target
 * ready, attached, with the gate closed. Takes over targets (also on failure). Targets that no
 * backend can measure are in targets.skip after it; it is no failure if none is left. 0 or -errno
 * (reported); -ENODATA: no event can be counted.
 */
int session__open(struct target_list *targets, const struct event_list *events,
		  const struct cpus *cpus, const struct backend_opts *opts, struct session **out);
void session__close(struct session *s); /* NULL is fine */

/*
 * Opens and closes the gate: all targets and events count from one moment to another. May be
 * repeated: what happens in between is not counted. *at: the counts then, which the caller frees
 * with snapshot__free(). 0 or -errno (reported); the gate is closed after any stop.
 */
int session__start(struct session *s, struct snapshot **at);
int session__stop(struct session *s, struct snapshot **at);

/*
 * While it is stopped: begins anew. What is read from now on was counted since, extremes too, but
 * for those of run_stats, which has none.
 */
void session__restart(struct session *s);

/* With opts.thin_share, every THINNING_ADJUST_MS from start to stop: sets the periods of the probes. */
void session__tick(struct session *s);

/*
 * With opts.follow. Attaches those targets and takes them over, with what was skipped of them, also
 * on failure: while it is running they count from then on. 0 or -errno (reported).
 */
int session__add(struct session *s, struct target_list *new);
/* All targets of that program: is a run of it under way? How many runs have been seen of it? */
bool session__is_busy(const struct session *s, __u32 id);
int session__count_runs(struct session *s, __u32 id, __u64 *runs); /* 0 or -errno (reported) */
/*
 * detach: closes all that keeps that program loaded; what it runs then is not seen. reattach: opens
 * it again, and goes on counting. 0; -ENOENT: it is gone; or -errno, both with *reason.
 */
void session__detach(struct session *s, __u32 id);
int session__reattach(struct session *s, __u32 id, struct reason *reason);
/* Its targets stay with what they counted, and hold nothing. 0 or -errno (reported). */
int session__retire(struct session *s, __u32 id, __u64 ended_ns);

/* Is the cost of the probes taken off the numbers of what is probed? */
bool session__is_net(const struct session *s);
/* The open backend whose runs can be thinned out (counter_ops.probe_stat), or NULL. */
const struct backend *session__prober(const struct session *s);

/*
 * Reads everything, distributions only if hists is set. The caller frees it with snapshot__free().
 * 0 or -errno (reported).
 */
int session__read(struct session *s, bool hists, struct snapshot **out);
/* A snapshot of nothing counted yet. NULL: out of memory. */
struct snapshot *session__new_snapshot(const struct session *s);

#endif
