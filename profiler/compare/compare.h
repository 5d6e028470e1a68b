/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Compares two reports: which programs have become more expensive, by how much, and how certain
 * that is. Pure.
 *
 * If both reports say that an event is exact, any difference of its minimum is real. Otherwise
 * blocks are compared, never single runs: by Mann and Whitney's test, with Holm's correction for
 * the number of comparisons. A change is worse if it is significant and larger than a limit.
 *
 * A program whose return value changed does different work: its cost is only compared on request.
 */
#ifndef BPROF_COMPARE_H
#define BPROF_COMPARE_H

#include <stdio.h>

#include "base/stats.h"
#include "btf/reason.h"
#include "compare/compare_limit.h"
#include "compare/compare_match.h"
#include "report/report.h"

#define COMPARE_ALPHA 0.05   /* probability of at least one wrong "worse" or "better" */
#define COMPARE_MIN_BLOCKS 6 /* needed from each report for a test */

/* The most important first: a comparison's verdict is that of its first row. */
enum verdict {
	VERDICT_WORSE,
	VERDICT_INCONCLUSIVE,
	VERDICT_GONE, /* only the base has it */
	VERDICT_NEW,  /* only the new report has it */
	VERDICT_BETTER,
	VERDICT_SAME, /* any change is within the limit */
	VERDICT_CNT
};

/* Verdicts that the user accepts: bits. */
enum compare_excuse {
	EXCUSE_INCONCLUSIVE = 1,
	EXCUSE_ONE_SIDED = 2,
};

/* The result of a whole comparison. */
enum compare_outcome { OUTCOME_PASS, OUTCOME_WORSE, OUTCOME_INCONCLUSIVE, OUTCOME_CNT };

struct verdict_spec {
	const char *name;
	enum compare_outcome outcome; /* unless excused */
	unsigned int excuse;	      /* enum compare_excuse that makes it a pass; 0: none */
};
extern const struct verdict_spec verdict_specs[VERDICT_CNT];

/* One statistic of one event of one function. Points into the reports, which must outlive it. */
struct compare_row {
	const struct report_prog *base, *new; /* NULL: only in the other report */
	const char *event, *unit;	      /* unit may be "" */
	enum stat_id stat;
	/*
	 * The value has no random error: the minimum of an exact event. Other statistics of such an
	 * event include interrupts during the program's runs.
	 */
	bool exact;
	/* Rows with the return values, if these differ; NULL: they do not, or are not known. */
	struct compare_pair returned;
	bool refused; /* not compared, as return values differ; only allow_retval_change helps */
	/* Median of the blocks; if exact or with too few blocks, the total's value. NaN: none. */
	double base_value, new_value;
	int base_blocks, new_blocks; /* blocks that have the statistic */
	/*
	 * new_value - base_value, in unit and as a share of the base. low to high contains it and,
	 * with confidence STATS_LEVEL, the true shift. All three are equal if exact. NaN:
	 * one-sided; for low and high also with too few blocks. Shares are infinite if the base is
	 * 0.
	 */
	struct stats_interval change, share;
	struct stats_interval shift; /* stats__shift() of the blocks; NaN: not tested */
	double p, adjusted_p;	     /* NaN: not tested */
	enum verdict verdict;
	const struct compare_limit *limit; /* the one that led to the verdict; NULL: none */
	char why[200];			   /* why it is inconclusive; else "" */
	/* Input of the verdict: */
	__u64 limits;	 /* bit i: limit i applies */
	bool other_unit; /* the reports have different units */
	bool rough;	 /* a percentile that a report only knows to within a bucket */
	int order;	 /* position before sorting */
};

/* A difference in how the reports were made. */
struct compare_difference {
	char *what; /* "kernel", "method of xdp_lb" */
	char *base, *new;
};

struct comparison {
	struct compare_row *row; /* the worst first */
	int row_cnt;
	int cnt[VERDICT_CNT];
	enum verdict verdict;
	int tests;	/* number of tests in Holm's correction */
	int unmeasured; /* statistics left out, as neither report has a value */
	int untested;	/* medians or means of exact events left out, with too few blocks */
	int returned;	/* functions compared although their programs' return values differ */
	struct compare_difference *difference;
	int difference_cnt;
	struct compare_pair *size; /* programs with a size in either report */
	int size_cnt;
	int ambiguous; /* functions paired in order, as others have the same name */
	struct compare_limits default_limits; /* used if the user gave none */
};

struct compare_opts {
	const struct compare_limits *limits; /* NULL or empty: the default ones */
	const struct compare_matches *matches;
	bool allow_retval_change;
};

/*
 * Compares two reports. The reports and the options must outlive *out, which the caller frees.
 * Returns 0; -ENODATA if the reports have nothing in common; -EINVAL if a limit or a match applies
 * to nothing, or a limit has another unit than its event; or -ENOMEM. Errors come with a printable
 * *reason.
 */
int compare__reports(const struct report *base, const struct report *new,
		     const struct compare_opts *o, struct comparison **out, struct reason *reason);
void comparison__free(struct comparison *c); /* NULL is fine */

/*
 * Returns the outcome of the worst row that is not excused. excuses: bits of enum compare_excuse.
 */
enum compare_outcome comparison__outcome(const struct comparison *c, unsigned int excuses);
/* Returns true if the excuses accept the row's verdict. */
bool compare_row__is_excused(const struct compare_row *row, unsigned int excuses);
/* Writes "xdp_lb", "xdp_lb:parse" or "old -> new" to buf; base or new may be NULL. Returns buf. */
#define COMPARE_LABEL_SZ (2 * LABEL_SZ + 8)
const char *compare__label(const struct report_prog *base, const struct report_prog *new,
			   char *buf);
const char *compare_row__label(const struct compare_row *row, char *buf);
/* Returns the row's input case, or "". */
const char *compare_row__input(const struct compare_row *row);

struct compare_render_opts {
	const char *base_name, *new_name; /* the files */
	unsigned int excuses;
	int exit_status; /* of the command, for JSON */
	bool color;	 /* text */
	int verbose;	 /* text, Markdown: show the number of blocks, and p before correction */
};

/* The renderers, one file each, which write to memory. Return 0 or -ENOMEM. */
typedef int comparison_render_fn(const struct comparison *c, const struct compare_render_opts *o,
				 FILE *out);
comparison_render_fn comparison__render_text;
comparison_render_fn comparison__render_json;
comparison_render_fn comparison__render_markdown;
comparison_render_fn comparison__render_junit;

/* Renders c to out and flushes it. Returns 0, -ENOMEM, or the error of out (-ENOSPC, ...). */
int comparison__render(const struct comparison *c, comparison_render_fn *render,
		       const struct compare_render_opts *o, FILE *out);
/*
 * Writes note i on the comparison, the differences first; without a full stop, not made printable.
 * Returns false if there are fewer notes.
 */
bool comparison__note(const struct comparison *c, int i, char *text, size_t sz);
#define COMPARE_NOTE_SZ 2048
/* Writes "worse: 1 worse, 2 inconclusive, 5 same"; sz 160 is enough. Returns buf. */
const char *comparison__headline(const struct comparison *c, char *buf, size_t sz);

#endif
