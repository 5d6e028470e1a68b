/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A session: one measurement of all targets with all events, from opening to closing. Probes count
 * only while the gate is open. The gate is a switch in the probes' maps.
 */
#ifndef BPROF_SESSION_H
#define BPROF_SESSION_H

#include "backend/backend_env.h"
#include "backend/counter.h"
#include "backend/snapshot.h"
#include "base/message_groups.h"
#include "base/stopwatch.h"
#include "session/foreign_probes.h"
#include "target/target.h"

struct budget;

struct session {
	struct backend_env env;
	/*
	 * cpus_left_out: env.cpus lacks some possible CPUs; warned_cpus: a warning said that one of
	 * these CPUs is online
	 */
	bool cpus_left_out, warned_cpus;
	/*
	 * Index of the event that counts all cycles of a CPU; -1: none. CPU shares are calculated
	 * from it if time is not measured.
	 */
	int cycles_event;
	struct target_list targets;
	/* updated by session__start(), session__stop() and session__add() */
	struct foreign_probes foreign;
	struct backend backend[BACKEND_CNT];
	/* NULL if opts.thin_share is 0 or no target can have a probe */
	struct budget *budget;
	__u64 others_look_ns;	    /* time of the last check of others_limit.c */
	struct stopwatch stopwatch; /* measures how long the gate is open */
	/* The clock source changed after calibration (reported), so net numbers are wrong. */
	bool clock_changed;
	/* Targets that the preferred backend cannot measure. Each reason is reported once. */
	struct message_groups fallbacks;
	struct memory_budget memory;
	/* when the probes were calibrated, nothing slowed them down (BACKEND_SLOWS_PROBES) */
	bool calibrated_fast;
	bool placed; /* targets are placed a second time: do not report fallbacks again */
	/*
	 * stopped has the raw counts at the last stop, or at a later start. It is NULL before the
	 * first stop, and after a stop that failed. closed is the sum of all counts that were made
	 * while the gate was closed, up to the moment of stopped.
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
 * session__start() opens the gate, and session__stop() closes it, for all targets and events at
 * once. They may be called repeatedly; runs between a stop and the next start are not counted. Both
 * set *at to a snapshot of that moment, which the caller frees with snapshot__free(), and return 0
 * or -errno (reported). If session__start() fails, it may be called again. session__stop() closes
 * the gate even if it fails, but then session__restart() must be called before the next start.
 */
int session__start(struct session *s, struct snapshot **at);
int session__stop(struct session *s, struct snapshot **at);

/*
 * Call it while the session is stopped. All counts, including minima and maxima, then start from
 * zero again.
 */
void session__restart(struct session *s);

/*
 * Adjusts how many runs the probes measure. With opts.thin_share, call it every THINNING_ADJUST_MS
 * between start and stop, and every second if functions of the kernel are measured. Returns 0, or 1
 * (reported) if measuring must end, see others_limit__check().
 */
int session__tick(struct session *s);
/*
 * For commands that measure in blocks: call it after each block. Once a second, it checks what the probes
 * cost other callers of the measured functions of the kernel. Returns 0, or -EBUSY (reported).
 */
int session__check_others(struct session *s);

/*
 * Makes the probes measure one run in "period" from now on. The session must have been opened with
 * a thin_period other than 1, and without thin_share. On each CPU, the first measured run is a
 * random one of the next "period" runs. Otherwise a CPU with fewer runs than "period" would never
 * have a measured run. random: the state of random__next().
 */
void session__set_period(const struct session *s, __u64 period, __u64 *random);

/*
 * Adds the probes of another session of this process to the foreign probes, so that notes mention
 * them. Call it while both sessions are open.
 */
void session__add_foreign_probes(struct session *s, const struct session *other);

/*
 * Adds targets to a session that was opened with opts.follow, and attaches probes to them. Takes
 * ownership of the targets and the skipped programs in *new. If the session is running, the new
 * targets are counted from now on.
 */
void session__add(struct session *s, struct target_list *new);
/*
 * Call it for a target that session__add() added, if its program was loaded before the session
 * started. Leaves what the kernel has counted for the target until now out of all counts. Returns 0
 * or -errno (reported).
 */
int session__leave_out_past(struct session *s, struct target *t);
/*
 * session__is_busy() returns true if bprof knows that a run of any target of the program is in
 * progress. session__count_runs() sets *runs to a number that grows with each run of any target of
 * the program.
 */
bool session__is_busy(const struct session *s, __u32 id);
int session__count_runs(struct session *s, __u32 id, __u64 *runs); /* 0 or -errno (reported) */
/*
 * session__detach() closes everything that keeps the program loaded, so the program's runs are no
 * longer counted. session__reattach() opens the program again and continues counting.
 * session__reattach() returns 0, -ENOENT with *reason if the program was unloaded, or another
 * -errno with *reason.
 */
void session__detach(struct session *s, __u32 id);
int session__reattach(struct session *s, __u32 id, struct reason *reason);
/*
 * Ends the program's targets. They keep their counts, but hold nothing open. Returns 0 or -errno
 * (reported).
 */
int session__retire(struct session *s, __u32 id, __u64 ended_ns);

/*
 * Returns true if the bias of the probes (what they measure for an empty program) is subtracted
 * from the numbers of probed targets.
 */
bool session__is_net(const struct session *s);

/*
 * Reads all counts into a snapshot, and distributions only if hists is set. The caller frees *out
 * with snapshot__free(). Returns 0 or -errno (reported).
 */
int session__read(struct session *s, bool hists, struct snapshot **out);
/*
 * For a session without an end: forgets the targets that ended before the first of these snapshots,
 * so that the session does not need more and more memory. snaps: the two last snapshots, then all
 * others that the caller still has, each once; an entry may be NULL. Removes the targets from the
 * snapshots, too. keeps: returns true if the caller still needs the targets of a program; NULL: it
 * needs none. Call it while the session counts.
 */
void session__forget_ended(struct session *s, struct snapshot *const *snaps, int cnt,
			   bool (*keeps)(void *arg, __u32 id), void *arg);
/*
 * For a session whose runs are divided by a key with more values than there are
 * parts (--by): gives the parts of keys that have ended or cost little to other keys. The counts of
 * the former keys then belong to the part of all remaining keys, also in the snapshots. snaps: as
 * for session__forget_ended(); what the keys cost between the first two snapshots decides. shown:
 * the number of keys that the caller shows; these are the most expensive ones, and keep their
 * parts. 0: the caller shows all keys. Waits for running probes if it changes anything. Returns 0
 * or -errno (reported).
 */
int session__replace_keys(struct session *s, struct snapshot *const *snaps, int cnt, int shown);
/* The use of rows of counts between two snapshots: the total of the first event, and the runs. */
struct row_use {
	__s64 cost;
	__u64 runs;
};
/* Adds the use of a target's row. "from" may be older than the target. */
void session__add_use(const struct session *s, int target, const struct snapshot *from,
		      const struct snapshot *to, int row, struct row_use *use);
/* Returns a zeroed snapshot. */
struct snapshot *session__new_snapshot(const struct session *s);

#endif
