/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared only by compare.c, compare_axis.c, compare_check.c, compare_host.c, compare_judge.c,
 * compare_json.c and compare_prog.c.
 */
#ifndef BPROF_COMPARE_PRIV_H
#define BPROF_COMPARE_PRIV_H

#include "compare/compare.h"

/* Sets *reason to a printable text, and returns err. */
int compare__refuse(struct reason *reason, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * Refuses pairs none of which has a program in both reports, reports whose rows are of different
 * keys of --by, and a --match that applies to nothing. On an axis, a report may have no programs,
 * or other programs than its base.
 */
int compare_pairs__check(const struct compare_pairs *pairs, const struct report *base,
			 const struct report *new, bool on_axis, struct reason *reason);
/* Refuses a limit that applies to nothing in the reports of these parts. */
int compare__refuse_limit(const struct compare_part *parts, int cnt, const struct compare_limit *l,
			  struct reason *reason);
/*
 * Checks the points of an axis together, because they share their limits: there must be rows, and at
 * least one row for each limit.
 */
int comparison__check_axis(const struct comparison *c, const struct compare_part *parts, int cnt,
			   struct reason *reason);

/*
 * Adds the differences of the part's reports to c->difference. Leaves out the property that is the
 * axis, such as the kernel: it differs on purpose.
 */
void comparison__find_differences(struct comparison *c, const struct compare_part *part,
				  const struct compare_pairs *pairs);

/* Sets c->axis and c->place if the parts have an axis. */
void comparison__set_axis(struct comparison *c, const struct compare_part *parts, int cnt);
/* Sets the group and the worst verdict of each row, and c->axis_header. */
void comparison__group_rows(struct comparison *c);
/* Returns the skip that explains why the report has no such program, or NULL. */
const struct report_skip *report__find_absent(const struct report *r, const struct report_prog *p);

/* Adds the pairs with known sizes to c->size. */
void comparison__find_sizes(struct comparison *c, const struct compare_pairs *pairs,
			    const char *point);

/*
 * Adds a row for each size of the pair that a limit of the list names, and sets used[i] for these
 * limits. Returns 0 or -EINVAL (*reason is set).
 */
int comparison__add_size_rows(struct comparison *c, const struct compare_pair *pair,
			      const struct compare_limits *list, bool *used, struct reason *reason);
/*
 * Compares the medians of the blocks of both reports, and tests the blocks for a shift. The row has
 * at least one block of each report.
 */
void compare_row__set_blocks(struct compare_row *row, const double *base, const double *new);

#endif
