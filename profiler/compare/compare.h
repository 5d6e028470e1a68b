/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Compares two reports: which programs have become more expensive, by how much, and with what
 * certainty. Opens no files and prints nothing.
 *
 * If an event is exact in both reports, any difference of its minimum is real. All other
 * comparisons are between the blocks of the reports, never between single runs. These comparisons
 * use the Mann-Whitney U test with Holm's correction for multiple comparisons. A change is worse if
 * it is significant and larger than a limit.
 *
 * A program whose return value changed does different work. So its cost is compared only if the
 * user asks for this comparison.
 */
#ifndef BPROF_COMPARE_H
#define BPROF_COMPARE_H

#include <stdio.h>
#include <jansson.h>

#include "base/stats.h"
#include "btf/reason.h"
#include "compare/compare_limit.h"
#include "compare/compare_match.h"
#include "report/report.h"

/* how much two sessions may differ, as a share of the raw value (compare_row.session_error) */
#define COMPARE_SESSION_ERROR 0.1
#define COMPARE_MIN_BLOCKS 6 /* a test needs at least this many blocks from each report */

/*
 * Verdicts in the order of importance. The verdict of a comparison is the first verdict in this
 * order that any row has.
 */
enum verdict {
	VERDICT_WORSE,
	VERDICT_INCONCLUSIVE,
	VERDICT_GONE, /* only the base report has a value */
	VERDICT_NEW,  /* only the new report has a value */
	VERDICT_BETTER,
	VERDICT_SAME, /* there is no change, or it is within the limit */
	VERDICT_CNT
};

/* The values that a comparison compares. */
enum compare_basis {
	BASIS_BLOCKS,  /* the blocks of two reports */
	BASIS_COMMITS, /* the newest commit of a history and the commits before it */
	BASIS_CNT
};

struct basis_spec {
	const char *name;   /* name in JSON */
	double alpha;	    /* the risk of at least one wrong "worse" or "better" verdict */
	const char *values; /* the tested values, such as "medians of the blocks" */
	const char *test;
	/* Why a row is inconclusive: "few": too few values for a test; "noisy": they vary too much */
	const char *few, *noisy;
	/* a note on the rows left out; a printf format for the number of these rows */
	const char *untested;
	/* what to do if a change is significant only before Holm's correction */
	const char *unsure;
};
extern const struct basis_spec basis_specs[BASIS_CNT];

/* The verdicts that the user accepts, as bits. */
enum compare_excuse {
	EXCUSE_INCONCLUSIVE = 1,
	EXCUSE_ONE_SIDED = 2,
};

/* The result of a whole comparison. */
enum compare_outcome { OUTCOME_PASS, OUTCOME_WORSE, OUTCOME_INCONCLUSIVE, OUTCOME_CNT };

struct verdict_spec {
	const char *name;
	/* the outcome of a row with this verdict, unless the user accepts the verdict */
	enum compare_outcome outcome;
	/* The enum compare_excuse with which the user accepts the verdict, or 0 */
	unsigned int excuse;
};
extern const struct verdict_spec verdict_specs[VERDICT_CNT];

/* Why another measurement of the same program may have other numbers. */
enum doubt {
	DOUBT_NONE,
	DOUBT_SHORT_CODE, /* report_prog.short_code */
	DOUBT_SLOWED,	  /* report_prog.slowed_runs */
	DOUBT_RAW,	  /* report_prog.uncalibrated, or only one report is net */
	DOUBT_BLINDED,	  /* report_prog.random_code; for sizes of JITed code also .blinded */
	DOUBT_REST,	  /* compare_pair__rest_differs() */
	DOUBT_CNT
};

/* Returns why the numbers of a program's runs are doubtful. p may be NULL. */
enum doubt compare__doubt(const struct report_prog *p);
/* Returns why the length of a program's machine code is doubtful: it depends on the addresses of maps. */
enum doubt compare__jited_doubt(const struct report_prog *p);

/*
 * One statistic of one event of one function. Points into the reports, which must outlive the row.
 */
struct compare_row {
	const struct report_prog *base, *new; /* NULL: the program is only in the other report */
	const char *event, *unit;	      /* unit may be "" */
	/* COMPARE_SIZE: "event" names a size of the program, not an event */
	enum stat_id stat;
	/*
	 * The value is the minimum of an exact event, which has no random error. Other statistics
	 * of an exact event have an error: they include interrupts during runs.
	 */
	bool exact;
	/*
	 * The reports' rows of the program's entry function, which have the return values. Both
	 * members are NULL if the return values are the same or not known.
	 */
	struct compare_pair returned;
	/*
	 * Not compared, because the return values differ and the option allow_retval_change is not
	 * set
	 */
	bool refused;
	enum doubt doubt; /* why the numbers of a report are doubtful: such rows are not compared */
	/*
	 * The median of the blocks. If the row is exact, is not compared, or has too few blocks: the
	 * value over all runs. NaN: no value.
	 */
	double base_value, new_value;
	int base_blocks, new_blocks; /* the numbers of blocks that have the statistic */
	/*
	 * The estimate is new_value - base_value: in "change" in the unit of the event, in "share"
	 * as a share of base_value (infinite if base_value is 0). The range from low to high
	 * contains the estimate and, with confidence STATS_LEVEL, the true shift. If the row is
	 * exact, estimate, low and high are equal. Otherwise low and high are NaN if the row is not
	 * compared or has too few blocks. All three are NaN if one report has no value, or if the
	 * units differ.
	 */
	struct stats_interval change, share;
	/* The result of stats__shift() for the blocks; NaN: no test was made */
	struct stats_interval shift;
	double p, adjusted_p; /* NaN: no test was made */
	/*
	 * How much two sessions that measure the same program may differ, in the unit of the event. Set
	 * if the blocks of a report are from one session, so that they do not show this; else 0
	 */
	double session_error;
	enum verdict verdict;
	const struct compare_limit *limit; /* the limit that decided the verdict, or NULL */
	char why[200];			   /* why the row is inconclusive, or "" */
	const struct compare_limits *list; /* the limits of the row's part */
	__u64 limits;			   /* bit i: limit i of the list applies to the row */
	bool alone;			   /* the row's part has no base to compare with */
	const char *point;		   /* the label of the row's part on the axis, or NULL */
	/*
	 * True if the row is the base itself, as a point of the axis. It has a new value but no
	 * base value and no verdict: the member verdict is VERDICT_SAME.
	 */
	bool reference;
	/* The skip that explains why a report lacks the program, or NULL */
	const struct report_skip *absent;
	bool other_unit; /* the units of the event differ between the reports */
	bool rough; /* at least one value is known only up to the width of a histogram bucket */
	/* If rough: the width of the bucket as a share of the value; 0: at most 1.6 % (the finest buckets) */
	double rough_share;
	/* BASIS_COMMITS: the first commit with the new value, and the environment; or NULL */
	const char *commit, *environment;
	int order; /* the row's position before sorting */
	/*
	 * A group has the rows of one statistic at all points of the axis; without an axis, it has one row.
	 * group: "order" of the group's first row. The next member is the worst verdict of the group's rows.
	 */
	int group;
	enum verdict worst;
};

#define COMPARE_SIZE STAT_CNT

/* The statistics of rows: the statistics of events, and COMPARE_SIZE. */
extern const struct stat_spec compare_stats[STAT_CNT + 1];

/* A difference in how the reports were made. */
struct compare_difference {
	/* The property that differs: "kernel", "method of xdp_lb" */
	char *what;
	char *base, *new;
};

/* A part of a comparison that could not be measured. */
struct compare_gap {
	char *name, *why;
};

/* A point of a comparison's axis. */
struct compare_place {
	char *label;
	char *kernel; /* the kernel of the new report, or NULL */
};

struct comparison {
	/*
	 * Sorted, the worst row first. With an axis, the rows of a group are in the order of the
	 * axis, and the group with the worst row comes first.
	 */
	struct compare_row *row;
	int row_cnt;
	int cnt[VERDICT_CNT];
	enum verdict verdict;
	enum compare_basis basis;
	int tests; /* the number of tests for which Holm's method corrects */
	/* The number of statistics left out because neither report has a value */
	int unmeasured;
	/*
	 * The number of medians and means of exact events left out because there are too few blocks
	 */
	int untested;
	/* The number of functions compared although the return values of their programs differ */
	int returned;
	struct compare_difference *difference;
	int difference_cnt;
	struct compare_gap *gap;
	int gap_cnt;
	/* The programs that have a size in at least one report */
	struct compare_pair *size;
	int size_cnt;
	/* The number of functions that were paired by order because several have the same name */
	int ambiguous;
	/*
	 * The limits of the parts for which the user gave none: size_limits if no program of the part was
	 * run, else default_limits. In a comparison that was read from JSON, default_limits has all limits.
	 */
	struct compare_limits default_limits, size_limits;
	struct report *source; /* the owner of the programs if the comparison was read; else NULL */
	char *axis;	       /* the axis' name; NULL: two reports were compared */
	char axis_header[32];  /* the name in capitals, for tables */
	struct compare_place *place;
	int place_cnt;
};

struct compare_opts {
	const struct compare_limits *limits; /* NULL or empty: the default limits apply */
	const struct compare_matches *matches;
	bool allow_retval_change;
};

/*
 * One part of a comparison, such as one entry of a suite: a pair of reports with limits of its own.
 * Programs of different parts are never compared.
 */
struct compare_part {
	/* base NULL: there is no base report, and new is only shown */
	const struct report *base, *new;
	struct compare_opts opts;
	/* If the part could not be measured: its name, and the reason. Then the reports are NULL. */
	const char *name, *why;
	/*
	 * The parts may be points of an axis, such as kernels. axis is the name of the axis, point
	 * is the label of this part, such as "6.12"; without an axis, both are NULL. On an axis,
	 * the reports of a part may have no programs, or no programs in common. If base and new are
	 * the same report, the part is the base of the other parts, and is listed without a
	 * verdict. The labels must outlive the comparison.
	 */
	const char *axis, *point;
};

/*
 * Compares two reports. The reports and the options must outlive *out, which the caller frees.
 * Returns 0; -ENODATA if the reports have nothing in common; or -EINVAL if a limit or a match
 * applies to nothing, or if a limit and its event have different units. On every error, sets
 * *reason to a printable text.
 */
int compare__reports(const struct report *base, const struct report *new,
		     const struct compare_opts *o, struct comparison **out, struct reason *reason);
/*
 * Like compare__reports(), for several pairs of reports. All rows are judged together: Holm's
 * correction is for the tests of all parts.
 */
int compare__parts(const struct compare_part *parts, int cnt, struct comparison **out,
		   struct reason *reason);
void comparison__free(struct comparison *c); /* c may be NULL */

/*
 * Two measurements are comparable only if they were made with the same kernel, architecture, events and so
 * on. Describes the i-th of these properties: sets *what to its name, such as "kernel", and *value to its
 * value, such as "6.12.90". The caller frees *value. Returns false if there are fewer properties.
 */
bool compare__property(const struct report *r, int i, const char **what, char **value);
/*
 * Returns true if both reports have the return values of the pair's program, and the values differ.
 * In this case, sets *out to the rows that have the return values.
 */
bool compare_pair__retval_differs(const struct compare_pair *pair, const struct report *base,
				  const struct report *new, struct compare_pair *out);
/*
 * Returns true if the pair is for the runs that have no row of their own (report_prog__is_rest()),
 * and the reports have rows for different values: these runs had other values in each report.
 */
bool compare_pair__rest_differs(const struct compare_pair *pair, const struct report *base,
				const struct report *new);

/*
 * Sets the verdicts of the rows, sorts the rows, and sets the verdict of the comparison.
 * compare__parts() calls it.
 */
void comparison__judge(struct comparison *c);

/*
 * Returns the outcome of the worst row whose verdict the user does not accept. excuses consists of
 * bits of enum compare_excuse.
 */
enum compare_outcome comparison__outcome(const struct comparison *c, unsigned int excuses);
/* Returns a change as shares of base, which are infinite if base is 0. */
struct stats_interval compare__shares(const struct stats_interval *change, double base);
/*
 * Sets the change of a row whose two values are over all runs of each report. Only if the row is
 * exact, also sets low and high of the change.
 */
void compare_row__set_total(struct compare_row *row);
/* Returns true if the excuses accept the row's verdict. */
bool compare_row__is_excused(const struct compare_row *row, unsigned int excuses);
/* Writes "xdp_lb", "xdp_lb:parse" or "old -> new" to buf; base or new may be NULL. Returns buf. */
#define COMPARE_LABEL_SZ (2 * LABEL_SZ + 8 + RETURNS_SZ)
const char *compare__label(const struct report_prog *base, const struct report_prog *new,
			   char *buf);
/*
 * Writes the label of the row's programs to buf. With --by retval, the value follows: "xdp_lb
 * (XDP_DROP)".
 */
const char *compare_row__label(const struct compare_row *row, char *buf);
/* Returns the row's input case, or "". */
const char *compare_row__input(const struct compare_row *row);
/* Returns "worse", ..., or "base" for a reference. */
const char *compare_row__verdict(const struct compare_row *row);

struct compare_render_opts {
	const char *base_name, *new_name; /* the names of the two files */
	unsigned int excuses;
	int exit_status;     /* the exit status of the command, which JSON shows */
	const char *version; /* the version of bprof that made the comparison; NULL: this version */
	bool one_line;	     /* print the JSON document on one line */
	struct screen screen; /* text only */
	/* Show the number of blocks and the uncorrected p (text and Markdown only) */
	int verbose;
};

/* Renders a comparison (render/render.h) to out, a stream in memory. */
typedef void comparison_render_fn(const struct comparison *c, const struct compare_render_opts *o,
				  FILE *out);
comparison_render_fn comparison__render_json;

/* A comparison that was read from JSON, and the JSON's facts on how it was made. */
struct compare_saved {
	struct comparison *c;
	char *version, *base_name, *new_name;
	int exit_status;
	bool inconclusive_ok, one_sided_ok; /* verdicts that the user accepted */
};

/*
 * Reads a comparison from JSON. Returns 0, and the caller frees *out with compare_saved__free();
 * or the same errors as report__parse().
 */
int compare_saved__parse(const struct report_source *src, json_t *doc, struct compare_saved *out,
			 struct report_error *err);
void compare_saved__free(struct compare_saved *s);

#endif
