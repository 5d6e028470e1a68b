/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A session: one measurement of all targets with all events, from opening to closing.
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
	bool some_cpus; /* -C was given: not all online CPUs are measured */
	/* Index of the event for CPU shares, which counts all cycles of a CPU; -1: none. */
	int cycles_event;
	struct target_list targets;
	struct foreign_probes foreign; /* as found by the last start, stop or session__add() */
	struct backend backend[BACKEND_CNT];
	struct session_thinning *thinning; /* NULL without opts.thin_share or probes */
	struct stopwatch stopwatch;	   /* it runs while the gate is open */
	/* The clock source changed after calibration (reported), so net numbers are wrong. */
	bool clock_changed;
	/* The kernel counts the runs of all programs (BACKEND_COUNTS_ALL_RUNS). */
	bool runs_counted;
	/* bprof has warned that the preferred backend can measure no target on this machine. */
	bool warned_fallback;
	/*
	 * The counts made while the gate was closed, up to the raw counts in stopped: those at the
	 * last stop, or at a start after it. stopped is NULL before the first stop, and after a stop
	 * that failed.
	 */
	struct snapshot *closed, *stopped;
};

/*
 * Opens the events on the given CPUs (empty: all online CPUs) and attaches probes to every target,
 * with the gate closed. Takes ownership of targets, also on failure. Moves targets that no backend
 * can measure to targets.skip; it is no error if no target is left. Returns 0 or -errno (reported);
 * -ENODATA: no event can be counted.
 */
int session__open(struct target_list *targets, const struct event_list *events,
		  const struct cpus *cpus, const struct backend_opts *opts, struct session **out);
void session__close(struct session *s); /* accepts NULL */

/*
 * Open and close the gate: all targets and events start and stop together. May be repeated; what
 * happens between a stop and the next start is not counted. *at: the counts at that moment, which
 * the caller frees with snapshot__free(). Both return 0 or -errno (reported). The gate is closed
 * after session__stop() even if it fails; call session__restart() before the next start then. A
 * start that failed may be tried again.
 */
int session__start(struct session *s, struct snapshot **at);
int session__stop(struct session *s, struct snapshot **at);

/*
 * Resets all counts while the session is stopped. Later readings start from zero, including minima
 * and maxima (except with run_stats, which has none).
 */
void session__restart(struct session *s);

/*
 * Adjusts the probes' periods. With opts.thin_share, call it every THINNING_ADJUST_MS between start
 * and stop.
 */
void session__tick(struct session *s);

/*
 * Attaches to new targets; needs opts.follow. Takes ownership of the targets and skips in *new,
 * also on failure. If the session is running, the new targets count from now on. Returns 0 or
 * -errno (reported).
 */
int session__add(struct session *s, struct target_list *new);
/*
 * Both concern all targets of a program: is_busy returns true if a run is in progress; count_runs
 * adds up the runs seen so far.
 */
bool session__is_busy(const struct session *s, __u32 id);
int session__count_runs(struct session *s, __u32 id, __u64 *runs); /* 0 or -errno (reported) */
/*
 * detach closes everything that keeps the program loaded; runs are not seen until reattach opens it
 * again and continues counting. reattach returns 0, -ENOENT if the program was unloaded, or another
 * -errno; every failure sets *reason.
 */
void session__detach(struct session *s, __u32 id);
int session__reattach(struct session *s, __u32 id, struct reason *reason);
/*
 * Ends the program's targets: they keep their counts and hold nothing open. Returns 0 or -errno
 * (reported).
 */
int session__retire(struct session *s, __u32 id, __u64 ended_ns);

/* Returns true if the bias of the probes is subtracted from the numbers of probed targets. */
bool session__is_net(const struct session *s);
/* Returns the open backend that can thin out runs (it has counter_ops.probe_stat), or NULL. */
const struct backend *session__prober(const struct session *s);

/*
 * Reads all counts, and distributions only if hists is set. The caller frees *out with
 * snapshot__free(). Returns 0 or -errno (reported).
 */
int session__read(struct session *s, bool hists, struct snapshot **out);
/* Returns a zeroed snapshot, or NULL if out of memory. */
struct snapshot *session__new_snapshot(const struct session *s);

/* The argument of prog_counting_ops. The caller opens and closes the session and follow. */
struct prog_counting {
	struct session *s;
	const struct result_opts *result;
	struct follow *follow; /* NULL: programs are not followed */
	/*
	 * With follow: tag of the program version that the other versions are compared with, or
	 * NULL.
	 */
	const char *vs;
};

extern const struct counting_ops prog_counting_ops; /* arg: struct prog_counting */

#endif
