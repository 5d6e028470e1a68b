/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The series in a history. A series has the values of one statistic of one event of one function in
 * one environment, from commit to commit, and the places where the values change.
 *
 * An environment has the properties that must be the same in two measurements that are compared:
 * kernel, architecture, CPU, JIT, events, calibration, and the name of the machine. Programs of
 * different reports are paired in the same way as by 'bprof diff'.
 */
#ifndef BPROF_HISTORY_SERIES_H
#define BPROF_HISTORY_SERIES_H

#include "compare/compare.h"
#include "history/changes.h"
#include "history/history.h"

struct history_env {
	char *text;  /* all properties: "kernel 6.12.90, architecture aarch64, ..." */
	char *label; /* kernel, architecture and machine: "6.12.90 aarch64" */
	int last;    /* the position of the last commit that was measured in this environment */
	int before;  /* the position of the previous commit that was measured in it; -1: none */
};

struct history_point {
	const struct history_entry *entry;
	const struct report_prog *prog;
	const struct report_event *ev;
	/*
	 * The median of the blocks. For an exact minimum, and if there are no blocks: the value
	 * over all runs
	 */
	double value;
	double low, high; /* the values of the smallest and the largest block; NaN: no blocks */
	/*
	 * The return value differs from the previous point's, or the row "other" had other values: the
	 * values are not comparable.
	 */
	bool other_retval;
};

struct history_series {
	const struct history_env *env;
	const struct report_prog *prog; /* prog and ev are those of the last point */
	const struct report_event *ev;
	enum stat_id stat; /* COMPARE_SIZE: a size; ev has its name and value (total) */
	bool exact;	   /* the values have no random error */
	__u64 limits;	   /* bit i: limit i applies */
	struct history_point *v;
	int cnt;
	struct changes changes; /* indices of points; set by history_series__find_changes() */
	/*
	 * The last doubtful value. A value is doubtful if compare__doubt() says so. It is no point
	 * of the series.
	 */
	struct {
		int position; /* the position of its commit; -1: no doubtful value */
		const struct report_prog *prog;
		double value;
		enum doubt doubt;
	} left_out;
	/*
	 * prog_nr: index of the program among the programs of the environment; event_nr: number of
	 * earlier events with the same name in the row
	 */
	int prog_nr, event_nr;
};

struct history_all {
	const struct history *h;
	struct history_series *v; /* in the order in which the series begin */
	int cnt;
	/*
	 * Series that have not begun, because all their values so far were doubtful: they have no points, and
	 * left_out is the last value. Such a series stays here when it begins in v.
	 */
	struct history_series *doubted;
	int doubted_cnt;
	/* made-up events with the sizes of programs, for the points of series of sizes */
	struct report_event **size;
	int size_cnt;
	struct history_env **env;
	int env_cnt;
	const struct compare_limits *limits; /* the limits that select the statistics */
	struct compare_limits default_limits;
	bool *used;   /* used[i]: limit i applies to a series */
	int repeated; /* the number of points that a later measurement of the commit replaced */
	int doubtful[DOUBT_CNT]; /* the number of points left out, by reason */
	/* the number of functions that were paired by order, because several functions have the same name */
	int ambiguous;
};

struct history_opts {
	const struct compare_limits *limits; /* NULL or empty: the default limits */
	const struct compare_matches *matches;
	bool allow_retval_change;
	const char *name, *event; /* globs that select programs and events; NULL: all */
	bool verifier; /* add series of the verifier's work: instructions, states, time */
	int since;     /* the position of the first commit */
};

/* Fills *all, which the caller frees. The history must outlive it. */
void history_all__make(struct history_all *all, const struct history *h,
		       const struct history_opts *o);
void history_all__free(struct history_all *all);

/* Returns true if both are series of the same statistic, of which one may have no points. */
bool history_series__is_same(const struct history_series *a, const struct history_series *b);
/* Finds the changes among the first cnt points of the series. The caller frees out->v. */
void history_series__find_changes(const struct history_series *s, int cnt, struct changes *out);
/* Returns the index of the first point in the segment that contains point i. */
int history_series__segment(const struct history_series *s, const struct changes *c, int i);
/* Returns the median of the points "from" to "to" - 1. */
double history_series__median(const struct history_series *s, int from, int to);

/* Writes "xdp_lb [case]: instructions, min" to buf. Returns buf. */
#define SERIES_TITLE_SZ (TITLE_SZ + 256)
const char *history_series__title(const struct history_series *s, char *buf);

#endif
