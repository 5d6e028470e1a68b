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
	bool relative;	  /* it is a share */
	const char *unit; /* "ns", or NULL: that of whatever it is of; static */
};

/*
 * The len bytes of spec from pos on, without spaces around them and with something in them. 0 or
 * -EINVAL with *err (or NULL), whose place is one in spec.
 */
int amount__parse(const char *spec, size_t pos, size_t len, struct amount *out,
		  struct parse_error *err);

#endif
