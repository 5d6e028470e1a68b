/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A session: one measurement from start to end, of all targets with all events.
 */
#ifndef BPROF_SESSION_H
#define BPROF_SESSION_H

#include "backend/backend_env.h"
#include "backend/counter.h"
#include "backend/snapshot.h"
#include "engine/counting.h"
#include "engine/engine.h"
#include "session/foreign_probes.h"
#include "target/target.h"

struct follow;
struct result_opts;
struct session_thinning;

struct session {
	struct backend_env env;
	bool some_cpus;	  /* -C: not all online CPUs */
	int cycles_event; /* index of the event for CPU shares: all cycles of a CPU; -1: none */
	struct target_list targets;
	struct foreign_probes foreign; /* as of the last start, stop or session__add() */
	struct backend backend[BACKEND_CNT];
	struct session_thinning *thinning; /* with opts.thin_share and probes; else NULL */
	struct stopwatch stopwatch;	   /* runs while the gate is open */
	bool clock_changed; /* since the calibration: net numbers are wrong, which was reported */
	bool runs_counted; /* the kernel counts the runs of all programs: BACKEND_COUNTS_ALL_RUNS */
	bool warned_fallback; /* warned that the preferred backend can measure nothing here */
	/* The counts made while the gate was closed, and the counters at the last stop. */
	struct snapshot *closed, *stopped;
};

/*
 * Opens the events on the given CPUs (empty: all online ones) and attaches to every target, with
 * the gate closed. Takes ownership of targets, also on failure. Targets that no backend can measure
 * go to targets.skip; if none is left, this is not an error. 0 or -errno (reported); -ENODATA: no
 * event can be counted.
 */
int session__open(struct target_list *targets, const struct event_list *events,
		  const struct cpus *cpus, const struct backend_opts *opts, struct session **out);
void session__close(struct session *s); /* NULL is fine */

/*
 * Open and close the gate: all targets and events count from one moment to another. May be
 * repeated; what happens in between is not counted. *at: the counts at that moment, which the
 * caller frees with snapshot__free(). 0 or -errno (reported); after any stop the gate is closed.
 */
int session__start(struct session *s, struct snapshot **at);
int session__stop(struct session *s, struct snapshot **at);

/*
 * Resets all counts while the session is stopped: later readings start from zero, extremes included
 * (run_stats has none).
 */
void session__restart(struct session *s);

/*
 * With opts.thin_share, call every THINNING_ADJUST_MS between start and stop: sets the probes'
 * periods.
 */
void session__tick(struct session *s);

/*
 * With opts.follow: attaches to new targets, and takes ownership of them and of their skips, also
 * on failure. In a running session they count from then on. 0 or -errno (reported).
 */
int session__add(struct session *s, struct target_list *new);
/*
 * For all targets of a program: is_busy is true if a run is in progress; count_runs sums up the
 * runs seen so far.
 */
bool session__is_busy(const struct session *s, __u32 id);
int session__count_runs(struct session *s, __u32 id, __u64 *runs); /* 0 or -errno (reported) */
/*
 * detach: closes everything that keeps the program loaded; its runs are not seen then. reattach:
 * opens it again and continues counting. 0; -ENOENT: it is gone; or -errno, both with *reason.
 */
void session__detach(struct session *s, __u32 id);
int session__reattach(struct session *s, __u32 id, struct reason *reason);
/*
 * Ends the program's targets: they keep their counts and hold nothing open. 0 or -errno (reported).
 */
int session__retire(struct session *s, __u32 id, __u64 ended_ns);

/* True if the probes' cost is subtracted from the numbers of probed targets. */
bool session__is_net(const struct session *s);
/* The open backend whose runs can be thinned out (counter_ops.probe_stat), or NULL. */
const struct backend *session__prober(const struct session *s);

/*
 * Reads everything, distributions only if hists is set. The caller frees it with snapshot__free().
 * 0 or -errno (reported).
 */
int session__read(struct session *s, bool hists, struct snapshot **out);
/* Returns a zeroed snapshot, or NULL if out of memory. */
struct snapshot *session__new_snapshot(const struct session *s);

/* What prog_counting_ops counts. The caller opens and closes the session and follow. */
struct prog_counting {
	struct session *s;
	const struct result_opts *result;
	struct follow *follow; /* or NULL */
	/* With follow: the tag of the version that others are compared with, or NULL. */
	const char *vs;
};

extern const struct counting_ops prog_counting_ops; /* arg: struct prog_counting */

#endif
