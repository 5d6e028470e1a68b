/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Snapshots of a session, and arithmetic on them.
 */
#ifndef BPROF_SNAPSHOT_H
#define BPROF_SNAPSHOT_H

#include <stdbool.h>
#include <linux/types.h>

#include "backend/counter.h"

/* All counts at one instant. */
struct snapshot {
	__u64 ns; /* time for which the gate had been open before this instant */
	/*
	 * True if the snapshot was taken at a start or a stop. In other snapshots, recursion_misses
	 * of the fentry backend is not updated, and has the value of the last start or stop.
	 */
	bool edge;
	__u64 attach_ns; /* CPU time spent on attaching and detaching probes that take turns */
	/* runs per ns of programs that are not measured but that the kernel counts, too */
	double other_per_ns;
	__u64 *cycles; /* cycles[i]: all cycles executed on CPU i of the session; NULL: unknown */
	/*
	 * Each target has one row for each of the session's CPUs, and one row for counts that
	 * belong to no CPU. With --by, the rows of the target's parts follow (bpf/probe.h, struct
	 * bprof_retvals, struct bprof_keys). Each part has one row for each CPU.
	 */
	int cpu_cnt, part_cnt, rows_per_target;
	int target_cnt;
	/*
	 * The rows of each target. If a target has not run between two snapshots, they share its
	 * rows (counts__share()).
	 */
	struct counts **target;
	/*
	 * The rows of each target's sums over slices (slice_sums__rows()), and NULL for a target that has
	 * never taken turns. NULL: no probe takes turns.
	 */
	struct slice_sums **slices;
};

/*
 * Returns a snapshot without cycles and with empty counts. part_cnt: the result of
 * backend_env__part_cnt().
 */
struct snapshot *snapshot__new(int target_cnt, int cpu_cnt, int part_cnt);
/* Like snapshot__new(), but leaves it to the caller to set the rows of each target. */
struct snapshot *snapshot__alloc(int target_cnt, int cpu_cnt, int part_cnt);
void snapshot__free(struct snapshot *snap); /* snap may be NULL */
/* Removes the targets for which keep[] is false, as session__forget_ended() does. */
void snapshot__keep(struct snapshot *snap, const bool *keep);

struct counts *snapshot__at(const struct snapshot *snap, int target, int row);
/* Returns the row of a part on the session's CPU with this index. */
int snapshot__part_row(const struct snapshot *snap, int part, int cpu);
/*
 * Returns false if the snapshot was taken before the target was added. (New targets are only added
 * at the end of the list.)
 */
bool snapshot__has(const struct snapshot *snap, int target);
/*
 * Returns true if two snapshots of a session share the rows of the target, because the target has
 * not run between them. The result may be false although the target has not run.
 */
bool snapshot__shares(const struct snapshot *a, const struct snapshot *b, int target);
/*
 * Like snapshot__at(), but returns empty counts if the snapshot was taken before the target was
 * added.
 */
const struct counts *snapshot__before(const struct snapshot *snap, int target, int row);

/* Returns the number of rows of a target (struct snapshot). */
int counts__rows(int cpu_cnt, int part_cnt);
/*
 * Returns the number of rows of a target's sums over slices: for all runs, for each of the session's
 * CPUs, and for each part.
 */
int slice_sums__rows(int cpu_cnt, int part_cnt);
/*
 * Forgets the slices of the marked parts, whose runs now belong to part 0. The errors of part 0 are
 * then not known (NaN).
 */
void slice_sums__free_parts(struct slice_sums *sums, int cpu_cnt, int part_cnt, const bool *part);
/* Returns cnt empty rows of counts. */
struct counts *counts__new(int cnt);
/* Gives the rows c another owner, and returns c. Rows that have several owners must not be changed. */
struct counts *counts__share(struct counts *c);
/*
 * Gives up one owner of cnt rows. If this was the last owner, frees the rows and their
 * distributions. c may be NULL.
 */
void counts__free(struct counts *c, int cnt);
/* Copies cnt rows and their distributions to rows that have no distributions. */
void counts__copy(struct counts *to, const struct counts *from, int cnt);
/* Returns the number of runs, whether the backend measured, only counted, or estimated them. */
__u64 counts__runs(const struct counts *c);

/*
 * Adds the counts of d to c, except for minima, maxima and distributions. Subtracts the counts if
 * sign is -1.
 */
void counts__add(struct counts *c, const struct counts *d, int sign);
/* Widens c's minima and maxima to include those of d. */
void counts__widen(struct counts *c, const struct counts *d);
/* Adds the counts of "from" to "to", including minima, maxima and distributions. */
void counts__merge(struct counts *to, const struct counts *from);
/* Like counts__merge(), and then sets *from to zero. */
void counts__move(struct counts *to, struct counts *from);

/*
 * Adds the counts of d, a snapshot of the same session, to snap, for the targets that both
 * snapshots have. Subtracts the counts if sign is -1. Leaves out minima, maxima and distributions.
 * No other snapshot may share the rows of snap.
 */
void snapshot__add(struct snapshot *snap, const struct snapshot *d, int sign);
/*
 * Gives a snapshot the rows of a target that was added after the snapshot was taken. Takes ownership
 * of the rows. Targets before it that the snapshot does not have get empty rows.
 */
void snapshot__set(struct snapshot *snap, int target, struct counts *rows);
/*
 * Does to the rows of a target in cnt snapshots what counter_ops.free_parts() does to the target's
 * counts: moves the counts of the marked parts to part 0. The snapshots may share rows, but nothing
 * else may share them. A snapshot may be NULL, or older than the target.
 */
void snapshots__free_parts(struct snapshot *const *snaps, int cnt, int target, const bool *part);
/*
 * Adds all counts of "from", which started at zero, to "to", including minima, maxima and
 * distributions. "from" may be of another session, in which the same return values belong to other
 * parts.
 */
void snapshot__merge(struct snapshot *to, const struct snapshot *from);

#endif
