/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Amounts and times on the command line: "150", "2.5%", "10us". */
#ifndef BPROF_AMOUNT_H
#define BPROF_AMOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "base/parse_error.h"

struct amount {
	double value;  /* a percentage as a fraction (0.02 for "2%"), a time in ns */
	bool relative; /* true for a percentage */
	/* "ns" for a time; NULL: the text had no unit; a literal */
	const char *unit;
};

/*
 * Parses len bytes of spec, beginning at pos. len must not be 0, and the bytes must not begin or
 * end with a space. Returns 0, or -EINVAL with *err. err may be NULL; err's position counts from
 * the start of spec.
 */
int amount__parse(const char *spec, size_t pos, size_t len, struct amount *out,
		  struct parse_error *err);
/* Like amount__parse(), but refuses percentages. */
int amount__parse_absolute(const char *spec, size_t pos, size_t len, struct amount *out,
			   struct parse_error *err);
/*
 * Parses a time: "5s", "200ms", "1.5us". A bare number is in ms, as in perf. Returns 0 and sets *ns,
 * or -EINVAL with *err.
 */
int duration__parse(const char *spec, __u64 *ns, struct parse_error *err);

/* Parses a size in bytes: "4096", "64K", "2.5G", in powers of 1024. Returns 0 or -EINVAL. */
int size__parse(const char *spec, __u64 *bytes);

#endif
