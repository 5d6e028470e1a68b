/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The counts that make up a row of the report: the counts of several CPUs and parts, between two
 * snapshots.
 */
#ifndef BPROF_RESULT_COUNTS_H
#define BPROF_RESULT_COUNTS_H

#include <stdbool.h>
#include <linux/types.h>

#include "backend/snapshot.h"
#include "base/hist.h"
#include "report/report.h"
#include "session/session.h"

/*
 * With --by, a part has the runs with one key. These values stand in place of a part: all runs of
 * the target; the runs that were not measured; the runs of all parts (with --by cpu: of all CPUs)
 * that have no row of their own.
 */
#define ALL_PARTS (-1)
#define UNMEASURED_PART (-2)
#define OTHER_PARTS (-3)

/* The rows of a target. */
struct part_list {
	struct part_row {
		int part;
		/* the row has the counts of the session's CPUs with these indexes */
		int first, last;
		bool late; /* the first runs with this key are in the row OTHER_PARTS */
	} * row;
	int cnt;
	bool divided; /* false: there is one row with all runs */
	bool by_cpu;  /* the rows are those of CPUs */
	/* the parts of the row OTHER_PARTS: indexed by part, or by the session's CPU */
	bool *other;
	bool cut; /* a key without a row may have cost more than one that has a row */
};

/*
 * Sets *list to the parts that have a row, in the order of the rows. There is at least one row. If
 * the target is not divided, the only row is ALL_PARTS. If the key is not the return value and
 * "all" is not set, at most MAX_KEY_ROWS keys have a row: the keys that cost most between "from"
 * and "to". Otherwise, a part that has a row once has a row in all later snapshots of the session.
 */
#define MAX_KEY_ROWS 8
void part_list__make(const struct session *s, int target, const struct snapshot *from,
		     const struct snapshot *to, bool all, bool late, struct part_list *list);
void part_list__free(struct part_list *list);

/* Returns true if the report divides the target's runs by the key of --by. */
bool result__is_divided(const struct session *s, const struct target *t);

/*
 * Returns true if net times on the session's i-th CPU between "from" and "to" would be wrong,
 * because some readings of events failed. The bias of the clock includes the time of reading the
 * events, and a failed reading takes less time. Readings fail after the CPU was offline, or if it
 * came online after the start. bprof does not know in which of the runs they failed. Net times
 * would also be wrong if the CPU came online after the start and may be of another kind than the
 * one whose bias is subtracted.
 */
bool result__has_wrong_clock(const struct session *s, int i, const struct counts *from,
			     const struct counts *to);

/*
 * The counts that one row of the report adds up: the counts of target t between two snapshots, on
 * the session's CPUs with indexes "first" to "last". They are the counts of all runs (ALL_PARTS),
 * of one part, of several parts (OTHER_PARTS), or of the runs that were not measured
 * (UNMEASURED_PART).
 */
struct range {
	const struct session *s;
	const struct target *t;
	const struct snapshot *from, *to, *slices_from;
	int target, first, last, part;
	bool by_cpu;	   /* the parts of OTHER_PARTS are CPUs */
	const bool *other; /* the parts of OTHER_PARTS, as in struct part_list */
	bool buckets;	   /* --hist was given */
	bool intervals;
};

/*
 * Adds up the counts of a range. Runs in which no event could be read count as lost. Leaves out
 * times that would be wrong.
 */
void range__sum(const struct range *g, struct counts *sum);

/*
 * Sets *of_events to the range whose events are shown for the range g with the counts c. This is g
 * itself or, if the probe was not attached all the time, the range since slices_from, because an
 * interval may have few slices.
 */
void range__of_events(const struct range *g, const struct counts *c, struct range *of_events);

/*
 * Adds the distributions of a slot to h, which the caller frees in any case. Leaves out times that
 * would be wrong.
 */
void range__add_hists(const struct range *g, __u32 slot, struct hist *h);

/* How exact the statistics of an event are. */
struct slices_error {
	bool sampled; /* not all runs were measured; if false, the other members are not used */
	double mean;  /* mean of all runs, estimated from the measured runs; NaN: not known */
	/*
	 * The error of mean; NaN: not known. half_width: half of the interval that contains the
	 * true mean in 95 % of cases
	 */
	double stddev, half_width;
	/*
	 * by how much the share of runs below a value may be wrong, because not all runs are in
	 * slices
	 */
	double skew;
	/*
	 * Student's t, and the number of independent runs that would give the same error as the
	 * runs of the slices
	 */
	double t, runs;
	double slices; /* the effective number of slices */
};

/* c: the counts of the range g. */
struct slices_error slices__error(const struct range *g, const struct counts *c, __u32 slot);
/*
 * Returns true if the error of a value is so large that reports do not show the value: larger than
 * a quarter of the value, and larger than 1.
 */
bool slices_error__is_too_large(double value, double half_width);
/*
 * Returns the quantile q of a distribution, with bounds that contain the true value in 95 % of
 * cases.
 */
struct hist_value slices__quantile(const struct slices_error *e, const struct hist *h, double q);

/*
 * Sets the row's share of the CPUs of the range g, in CPUs (1: one CPU all the time; NaN: not
 * known). Also sets whether the share is estimated, because not all runs were measured. "total" is
 * the range of the target's row over all CPUs, whose mean cost is used for CPUs without measured
 * runs.
 */
void result__set_share(struct report_row *row, const struct range *g, const struct range *total);

/*
 * Sets row->likely_runs. g: the row's runs, which are some of those of "whole", the range of all the
 * target's runs. The number is not known if it may be wrong by more than a quarter, and by more than 1.
 */
void result__set_likely_runs(struct report_row *row, const struct range *g,
			     const struct range *whole);

/*
 * With --sample auto, a target has a period N on each CPU: one run in N is measured there. Sets the
 * row's lowest and highest period at the snapshot "to", on the session's CPUs with indexes "first"
 * to "last".
 */
void result__set_periods(struct report_row *row, const struct session *s,
			 const struct snapshot *from, const struct snapshot *to, int target,
			 int first, int last);
/*
 * Sets the report's period or, with --sample auto, the limit for the probes' share of CPU time and
 * the share that they took.
 */
void result__set_thinning(struct report *r, const struct session *s, const struct snapshot *from,
			  const struct snapshot *to);

#endif
