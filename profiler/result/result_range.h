/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Adds up the counts of which a row of the report consists: those of several CPUs and parts, between
 * two snapshots.
 */
#ifndef BPROF_RESULT_RANGE_H
#define BPROF_RESULT_RANGE_H

#include <stdbool.h>
#include <linux/types.h>

struct counts;
struct hist;
struct session;
struct snapshot;
struct target;

/*
 * The counts that one row of the report adds up: those of target t between two snapshots, on the
 * session's CPUs with indexes "first" to "last", of all runs (ALL_PARTS), of one part of them,
 * or of those that were not measured (UNMEASURED_PART).
 */
struct range {
	const struct session *s;
	const struct target *t;
	const struct snapshot *from, *to, *slices_from;
	int target, first, last, part;
	bool buckets; /* --hist was given */
	bool intervals;
};

/*
 * Adds up the counts of a range. Runs in which no event could be read count as lost, and times that
 * would be wrong are left out (result_clock.h).
 */
void range__sum(const struct range *g, struct counts *sum);

/*
 * Sets *of_events to the range whose events stand for a range with the counts c: the same one, or that
 * since slices_from, if the probe was not attached all the time. An interval may have few slices.
 */
void range__of_events(const struct range *g, const struct counts *c, struct range *of_events);

/*
 * Adds the distributions of a slot to h, which the caller frees in any case. Times that would be wrong are
 * left out. Returns 0 or -ENOMEM.
 */
int range__add_hists(const struct range *g, __u32 slot, struct hist *h);

#endif
