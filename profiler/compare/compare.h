/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two reports compared: what has become dearer, by how much, and how sure that is. Pure.
 *
 * Where both reports say that an event is exact, any difference of its minimum is one. Else the
 * blocks are compared, never single runs: Mann and Whitney's test, with Holm's correction over all
 * the comparisons made. Worse is what is significant and larger than a limit.
 *
 * A program that returns something else does something else: its cost is compared only where the
 * user says so.
 */
#ifndef BPROF_COMPARE_H
#define BPROF_COMPARE_H

#include <stdio.h>

#include "compare/compare_limit.h"
#include "compare/compare_match.h"
#include "btf/reason.h"
#include "report/report.h"
#include "base/stats.h"

#define COMPARE_ALPHA 0.05   /* how likely one wrong "worse" or "better" may be, among all */
#define COMPARE_MIN_BLOCKS 6 /* of either report */

/* In the order of what matters most: a comparison's verdict is that of its first row. */
enum verdict {
	VERDICT_WORSE,
	VERDICT_INCONCLUSIVE,
	VERDICT_GONE, /* only the base has it */
	VERDICT_NEW,  /* only the new report has it */
	VERDICT_BETTER,
	VERDICT_SAME, /* nothing worse than the limit can be in it */
	VERDICT_CNT
};

/* What the user may say is no failure: bits. */
enum compare_excuse {
	EXCUSE_INCONCLUSIVE = 1,
	EXCUSE_ONE_SIDED = 2,
};

/* What a comparison comes to. */
enum compare_outcome { OUTCOME_PASS, OUTCOME_WORSE, OUTCOME_INCONCLUSIVE, OUTCOME_CNT };

struct verdict_spec {
	const char *name;
	enum compare_outcome outcome; /* unless excused */
	unsigned int excuse;	      /* the excuse that makes it a pass; 0: none does */
};
extern const struct verdict_spec verdict_specs[VERDICT_CNT];

/* One statistic of one event of one function. What points into the reports lives as they do. */
struct compare_row {
	const struct report_prog *base, *new; /* NULL: only the other one has it */
	const char *event, *unit;	      /* unit may be "" */
	enum stat_id stat;
	/*
	 * There is no chance in it: the minimum of an exact event. Interrupts that come while the
	 * program runs are in other statistics also where all that is executed is counted.
	 */
	bool exact;
	/* The rows that have what both returned, where that is not the same; NULL: it is, or who knows. */
	struct compare_pair returned;
	bool refused; /* for that reason nothing is compared, and no excuse but one helps */
	/* The median of the blocks; where exact, or there are too few, what the whole has. NaN: none. */
	double base_value, new_value;
	int base_blocks, new_blocks; /* that have the statistic */
	/*
	 * new_value - base_value, in unit and as share of the base; low and high hold it and, with
	 * STATS_LEVEL, the true shift. With exact all three are the same. NaN: one-sided, for low and
	 * high also with too few blocks. The shares are infinite where the base is 0.
	 */
	struct stats_interval change, share;
	struct stats_interval shift; /* stats__shift() of the blocks; NaN: not tested */
	double p, adjusted_p;	     /* NaN: not tested */
	enum verdict verdict;
	const struct compare_limit *limit; /* that the verdict is by; NULL: by none */
	char why[200];			   /* a sentence, where inconclusive; else "" */
	/* How it comes to that: */
	__u64 limits;	 /* bit i: limit i is for it */
	bool other_unit; /* in the other report */
	bool rough;	 /* a percentile that some report knows to within a bucket only */
	int order;	 /* in which the reports have it */
};

/* In what the reports were not made alike. */
struct compare_difference {
	char *what; /* "kernel", "method of xdp_lb" */
	char *base, *new;
};

struct comparison {
	struct compare_row *row; /* the worst first */
	int row_cnt;
	int cnt[VERDICT_CNT];
	enum verdict verdict;
	int tests;	/* that Holm's correction is for */
	int unmeasured; /* left out: statistics that neither report has a value of */
	int untested;	/* left out: medians, or means, of exact events that have too few blocks */
	int returned;	/* functions compared although their programs' return values differ */
	struct compare_difference *difference;
	int difference_cnt;
	struct compare_pair *size; /* programs of which either report has a size */
	int size_cnt;
	int ambiguous; /* programs that have others of the same name beside them: paired in order */
	struct compare_limits default_limits; /* where none were given */
};

struct compare_opts {
	const struct compare_limits *limits; /* none: the default ones */
	const struct compare_matches *matches;
	bool allow_retval_change;
};

/*
 * The reports and the options must live as long as *out, which the caller frees. 0; -ENODATA:
 * nothing is in both; -EINVAL: a limit or a match is for nothing that is there, or has another
 * unit; -ENOMEM; all with a *reason that is printable.
 */
int compare__reports(const struct report *base, const struct report *new,
		     const struct compare_opts *o, struct comparison **out, struct reason *reason);
void comparison__free(struct comparison *c); /* NULL is fine */

/* The outcome of the worst row that is not excused. excuses: bits of enum compare_excuse. */
enum compare_outcome comparison__outcome(const struct comparison *c, unsigned int excuses);
/* Do they say that the row's verdict is no failure? */
bool compare_row__is_excused(const struct compare_row *row, unsigned int excuses);
/* A program in both reports, or (NULL) in one: "xdp_lb", "xdp_lb:parse", "old -> new". Returns buf. */
#define COMPARE_LABEL_SZ (2 * LABEL_SZ + 8)
const char *compare__label(const struct report_prog *base, const struct report_prog *new,
			   char *buf);
const char *compare_row__label(const struct compare_row *row, char *buf);
/* The row's input case; "": it has none. */
const char *compare_row__input(const struct compare_row *row);

struct compare_render_opts {
	const char *base_name, *new_name; /* the files */
	unsigned int excuses;
	int exit_status; /* of the command, for JSON */
	bool color;	 /* text */
	int verbose;	 /* text, Markdown: how many blocks there were, p before the correction */
};

/* The renderers, one file each, into memory: 0 or -ENOMEM. */
typedef int comparison_render_fn(const struct comparison *c, const struct compare_render_opts *o,
				 FILE *out);
comparison_render_fn comparison__render_text;
comparison_render_fn comparison__render_json;
comparison_render_fn comparison__render_markdown;
comparison_render_fn comparison__render_junit;

/* Renders c to out and flushes it: 0, -ENOMEM, or why out failed (-ENOSPC, ...). */
int comparison__render(const struct comparison *c, comparison_render_fn *render,
		       const struct compare_render_opts *o, FILE *out);
/*
 * Sentence i of what is to be known of the whole, without a full stop, not made printable; the first
 * are the differences. false: there are not so many.
 */
bool comparison__note(const struct comparison *c, int i, char *text, size_t sz);
#define COMPARE_NOTE_SZ 2048
/* "worse: 1 worse, 2 inconclusive, 5 same"; sz 160 is enough. Returns buf. */
const char *comparison__headline(const struct comparison *c, char *buf, size_t sz);

#endif
