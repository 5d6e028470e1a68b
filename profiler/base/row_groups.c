// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Implements groups of rows (row_groups.h). Must not know what the rows are.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/row_groups.h"

int row_groups__make(const void *rows, int row_cnt, row_test_fn *begins, struct row_group **out)
{
	struct row_group *v = xcalloc(row_cnt, sizeof(*v));
	int cnt = 0;

	*out = v;
	for (int i = 0; i < row_cnt; i++) {
		if (!i || begins(rows, i))
			v[cnt++].first = i;
		v[cnt - 1].cnt++;
	}
	return cnt;
}

int row_groups__drop_idle(const void *rows, row_test_fn *is_active, struct row_group *v, int cnt)
{
	int kept = 0;

	for (int i = 0; i < cnt; i++) {
		int row = v[i].first, end = row + v[i].cnt;

		while (row < end && !is_active(rows, row))
			row++;
		if (row < end)
			v[kept++] = v[i];
	}
	return kept;
}

static int compare_numbers(double a, double b, int sign)
{
	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	return sign * ((a < b) - (a > b));
}

static int compare_row_groups(const void *a_ptr, const void *b_ptr, void *arg)
{
	const struct row_group *a = a_ptr, *b = b_ptr;
	const int sign = *(int *)arg;
	int diff;

	if (a->text)
		diff = sign * strcmp(a->text, b->text);
	else
		diff = compare_numbers(a->key[0], b->key[0], sign)
			       ?: compare_numbers(a->key[1], b->key[1], sign);
	return diff ?: a->first - b->first;
}

void row_groups__sort(struct row_group *v, int cnt, bool reverse)
{
	int sign = reverse ? -1 : 1;

	if (cnt)
		qsort_r(v, cnt, sizeof(*v), compare_row_groups, &sign);
}
