/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Amounts on the command line: "150", "2.5%", "10us". Pure.
 */
#ifndef BPROF_AMOUNT_H
#define BPROF_AMOUNT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/parse_error.h"

struct amount {
	double value;	  /* 2 %: 0.02; times are in ns */
	bool relative;	  /* true for a share */
	const char *unit; /* "ns", or NULL: the unit of the measured value; static */
};

/*
 * Parses the len bytes of spec from pos on; they must not be empty or have spaces around them.
 * Returns 0, or -EINVAL with *err (may be NULL), whose position is one in spec.
 */
int amount__parse(const char *spec, size_t pos, size_t len, struct amount *out,
		  struct parse_error *err);

#endif
