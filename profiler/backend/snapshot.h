/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Snapshots of a session, and arithmetic on them.
 */
#ifndef BPROF_SNAPSHOT_H
#define BPROF_SNAPSHOT_H

#include <stdbool.h>
#include <linux/types.h>

#include "backend/counter.h"

/* All counters at one instant. */
struct snapshot {
	__u64 ns; /* time for which the gate had been open */
	/*
	 * Taken at a start or a stop. Otherwise recursion_misses of the fentry backend is that of
	 * the last of these.
	 */
	bool edge;
	int row_cnt;
	__u64 *cycles; /* [index of CPU]: all cycles executed there; NULL: unknown */
	/* A target has a row for each of the session's CPUs, and one for counts of no CPU. */
	int rows_per_target;
	struct counts *counts;
};

/* Returns a snapshot without cycles and with empty counts. NULL: out of memory. */
struct snapshot *snapshot__new(int target_cnt, int rows_per_target);
void snapshot__free(struct snapshot *snap); /* NULL is fine */

struct counts *snapshot__at(const struct snapshot *snap, int target, int row);
/*
 * Returns false if the snapshot was taken before the target existed. New targets are only added at
 * the end.
 */
bool snapshot__has(const struct snapshot *snap, int target);
/* Like snapshot__at(); empty counts for a target that did not exist yet. */
const struct counts *snapshot__before(const struct snapshot *snap, int target, int row);

/* Returns cnt empty rows of counts; NULL: out of memory. */
struct counts *counts__new(int cnt);
void counts__free(struct counts *c, int cnt); /* with their distributions; NULL is fine */
/* Copies cnt rows with their distributions over rows without any. Returns 0 or -ENOMEM. */
int counts__copy(struct counts *to, const struct counts *from, int cnt);
/* Returns the number of runs that were seen, measured or not. */
__u64 counts__runs(const struct counts *c);

/* Adds the monotonic counts of d to c, or subtracts them with sign -1. */
void counts__add(struct counts *c, const struct counts *d, int sign);
/* Sets c's minima and maxima to those of both. */
void counts__widen(struct counts *c, const struct counts *d);

/*
 * Adds the monotonic counts of d, of the same session, to snap, or subtracts them with sign -1; not
 * minima, maxima and distributions. Only for targets that both have.
 */
void snapshot__add(struct snapshot *snap, const struct snapshot *d, int sign);
/*
 * Adds everything of from, which started at zero, to "to", with minima, maxima and distributions.
 * Returns 0 or -ENOMEM.
 */
int snapshot__merge(struct snapshot *to, const struct snapshot *from);

#endif
