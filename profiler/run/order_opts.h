/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The options of commands that list programs: they set which programs are listed, how many, and in
 * which order.
 */
#ifndef BPROF_ORDER_OPTS_H
#define BPROF_ORDER_OPTS_H

#include <stdbool.h>

#include "options/options.h"

struct order_opts {
	const char *sort; /* the column of --sort; NULL: the default order */
	__u64 top;	  /* 0: all programs */
	bool active;
};

extern const struct option_row order_rows[];

/*
 * Checks that --sort names a column, ignoring case. column(i) returns the name of the i-th column,
 * or NULL. Returns 0 or -EINVAL (reported).
 */
int order_opts__check(const struct order_opts *o, const char *(*column)(int i));

#endif
