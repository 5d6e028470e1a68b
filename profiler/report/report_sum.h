/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sums: rows of several programs become one row (--sum), such as those of all programs with the same
 * name. Pure.
 */
#ifndef BPROF_REPORT_SUM_H
#define BPROF_REPORT_SUM_H

#include "report/report.h"

/* What programs have in common that are summed up. */
enum sum_key { SUM_NONE, SUM_NAME, SUM_TAG, SUM_TYPE, SUM_DEVICE, SUM_OWNER, SUM_KEY_CNT };

#define SUM_KEYS "name|tag|type|device|owner"

/* Returns the key's name, as in --sum. */
const char *sum_key__name(enum sum_key key);
/* Returns the key called name, or SUM_NONE. */
enum sum_key sum_key__find(const char *name);
/*
 * Returns the row's value of the key, which is the name of the sum that the row counts for. "" if the
 * program has none, such as no owner.
 */
const char *report_prog__sum_value(const struct report_prog *p, enum sum_key key);

/*
 * Returns why the rows of r cannot be summed up, or NULL. The text belongs to a message that begins
 * with "--sum KEY: ".
 */
const char *report__refuse_sum(const struct report *r, enum sum_key key);

/*
 * Replaces the rows of programs by their sums: one for each value of the key and each method, and
 * for each function that is no entry function and, with --by retval, for each type and return value. Must not be called if
 * report__refuse_sum() has a reason. A row that is the only one of its sum keeps all its numbers.
 *
 * A sum has the runs, totals, lost runs and buckets of all its programs. Its statistics are over all their
 * runs: a program counts with the number of its runs even if fewer of them were measured. They are not known
 * if they are not known of a program with more than 1 % of the runs. Percentiles need buckets. Errors of
 * different programs are independent, but those of their biases are not.
 *
 * A return value that is not told apart in each program (it is among the "other" values of one of
 * them) is in the sum's row of other values.
 */
void report__sum(struct report *r, enum sum_key key);

/*
 * Returns the id of a row that is a sum: above all ids of programs, the same in each report of a session.
 * typed: programs of different types have different sums, as a return value means something else in each.
 */
__u32 report_prog__make_sum_id(const struct report_prog *p, bool typed);

/* Drops the buckets of all events, which only the sums needed. */
void report__drop_buckets(struct report *r);

#endif
