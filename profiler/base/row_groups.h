/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The order of rows that stay together in groups, such as a program and its functions.
 */
#ifndef BPROF_ROW_GROUPS_H
#define BPROF_ROW_GROUPS_H

#include <stdbool.h>

struct row_group {
	int first, cnt;	  /* the rows from first to first + cnt - 1 */
	const char *text; /* the sort key; NULL: sort by key[0], then by key[1] */
	double key[2];
};

/* Tests a row, for example whether it begins a group. */
typedef bool row_test_fn(const void *rows, int row);

/*
 * Divides rows into groups. The first row begins a group in any case. Returns the number of groups.
 * The caller frees *out.
 */
int row_groups__make(const void *rows, int row_cnt, row_test_fn *begins, struct row_group **out);
/* Drops the groups without an active row. Returns the number of the remaining groups. */
int row_groups__drop_idle(const void *rows, row_test_fn *is_active, struct row_group *v, int cnt);
/*
 * Sorts groups: by texts in ascending order, by numbers in descending order. reverse: the other way
 * round. NaN comes last in both orders. Equal groups keep their order.
 */
void row_groups__sort(struct row_group *v, int cnt, bool reverse);

#endif
