/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The order of rows that stay together in groups, such as a program and its functions.
 */
#ifndef BPROF_ROW_GROUPS_H
#define BPROF_ROW_GROUPS_H

#include <stdbool.h>

struct row_group {
	int first, cnt;	  /* the rows first..first + cnt */
	const char *text; /* the sort key; NULL: key[0], and if that is the same, key[1] */
	double key[2];
};

/* Says something of a row, such as whether it begins a group. */
typedef bool row_test_fn(const void *rows, int row);

/*
 * Makes the groups of rows. The first row begins one in any case. Returns their number. The caller
 * frees *out.
 */
int row_groups__make(const void *rows, int row_cnt, row_test_fn *begins, struct row_group **out);
/* Drops the groups without an active row. Returns the number of the others. */
int row_groups__drop_idle(const void *rows, row_test_fn *is_active, struct row_group *v, int cnt);
/*
 * Sorts groups: by texts in ascending order, by numbers in descending order, or the other way round. NaN
 * comes last in each order, and equal groups stay as they were.
 */
void row_groups__sort(struct row_group *v, int cnt, bool reverse);

#endif
