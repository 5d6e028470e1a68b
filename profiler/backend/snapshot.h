/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Snapshots of a session, and how they are put together.
 */
#ifndef BPROF_SNAPSHOT_H
#define BPROF_SNAPSHOT_H

#include <stdbool.h>
#include <linux/types.h>

#include "backend/counter.h"

/* All counters at one instant. */
struct snapshot {
	__u64 ns; /* how long the gate had been open */
	/*
	 * At a start or a stop. Otherwise recursion_misses is, by fentry, what it was at the last
	 * of these.
	 */
	bool edge;
	int row_cnt;
	__u64 *cycles; /* [index of CPU]: all that it executed; NULL: not known */
	/* A target has a row for each of the session's CPUs, and one for what belongs to none. */
	int rows_per_target;
	struct counts *counts;
};

/* Without cycles, nothing counted. NULL: out of memory. */
struct snapshot *snapshot__new(int target_cnt, int rows_per_target);
void snapshot__free(struct snapshot *snap); /* NULL is fine */

struct counts *snapshot__at(const struct snapshot *snap, int target, int row);
/*
 * Targets only come at the end, while a session goes on: a snapshot may have been taken before one
 * was there.
 */
bool snapshot__has(const struct snapshot *snap, int target);
/* As snapshot__at(); nothing counted yet of a target that was not there. */
const struct counts *snapshot__before(const struct snapshot *snap, int target, int row);

/* Rows of counts that nothing is counted in yet; NULL: out of memory. */
struct counts *counts__new(int cnt);
void counts__free(struct counts *c, int cnt); /* with their distributions; NULL is fine */
/* Copies as many, with their distributions, over what has none. 0 or -ENOMEM. */
int counts__copy(struct counts *to, const struct counts *from, int cnt);
/* The runs that were seen, measured or not. */
__u64 counts__runs(const struct counts *c);

/* Adds what only grows of d to c, or takes it off with sign -1. */
void counts__add(struct counts *c, const struct counts *d, int sign);
/* Makes c's extremes those of both. */
void counts__widen(struct counts *c, const struct counts *d);

/*
 * Adds what only grows of d to snap, of the same session, or takes it off with sign -1: no extremes,
 * no distributions. Of the targets that both have.
 */
void snapshot__add(struct snapshot *snap, const struct snapshot *d, int sign);
/*
 * Adds to all of from, which began at nothing, too: extremes and distributions are of both then. 0 or
 * -ENOMEM.
 */
int snapshot__merge(struct snapshot *to, const struct snapshot *from);

#endif
