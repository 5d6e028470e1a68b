/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sums: several rows of programs become one row (--sum), for example the rows of all programs with
 * the same name.
 */
#ifndef BPROF_REPORT_SUM_H
#define BPROF_REPORT_SUM_H

#include "report/report.h"

/* What programs have in common if they are summed up. */
enum sum_key { SUM_NONE, SUM_NAME, SUM_TAG, SUM_TYPE, SUM_DEVICE, SUM_OWNER, SUM_KEY_CNT };

#define SUM_KEYS "name|tag|type|device|owner"

/* Returns the key's name, as in --sum. */
const char *sum_key__name(enum sum_key key);
/* Returns the key called name, or SUM_NONE. */
enum sum_key sum_key__find(const char *name);
/*
 * Returns the value of the key for this row. It is the name of the sum that the row belongs to. ""
 * if the program has no value, for example no owner.
 */
const char *report_prog__sum_value(const struct report_prog *p, enum sum_key key);

/*
 * Returns why the rows of r cannot be summed up, or NULL. The text belongs to a message that begins
 * with "--sum KEY: ".
 */
const char *report__refuse_sum(const struct report *r, enum sum_key key);

/*
 * Replaces the rows of programs by their sums. There is a sum for each value of the key and each method.
 * Subprograms have separate sums for each function. With --by retval, there is also a separate sum for each
 * program type and return value. Must not be called if report__refuse_sum() returns a reason. If a sum has
 * only one row, the row keeps all its numbers.
 *
 * A sum has the runs, totals, lost runs and buckets of all its programs. Its statistics are weighted by the
 * number of each program's runs, even if fewer runs were measured. A statistic of the sum is not known if it
 * is not known for a program with more than 1 % of the runs. Percentiles need buckets. Errors of different
 * programs are independent, but the errors of their biases are not.
 *
 * If one of the programs has no row for a return value but counts it in its row "other", the sum
 * also counts this value in its row "other".
 */
void report__sum(struct report *r, enum sum_key key);

/*
 * Returns the id of a row that is a sum. It is higher than all ids of programs, and the same in
 * each report of a session. typed: programs of different types have different sums, because a
 * return value means something else in each type.
 */
__u32 report_prog__make_sum_id(const struct report_prog *p, bool typed);

/*
 * Removes the buckets of all events. Call it after report__sum() if the user did not ask for distributions.
 */
void report__drop_buckets(struct report *r);

#endif
