/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Whole numbers in JSON of up to 128 bits: as numbers, or as strings where JSON has none that are
 * large enough, or in hexadecimal. For json_encode.c.
 */
#ifndef BPROF_JSON_ENCODE_INT_H
#define BPROF_JSON_ENCODE_INT_H

#include <stdbool.h>
#include <jansson.h>

/* What fits: INT_EITHER is for what may be of one or the other kind. */
enum int_range { INT_UNSIGNED, INT_SIGNED, INT_EITHER };

/*
 * The number as the lowest bits of *out, in two's complement; bits: from 1 to 128. A hexadecimal
 * one is a bit pattern: 0xff fits into 8 bits, signed. -EINVAL: not a whole number, -ERANGE: does
 * not fit.
 */
int json_int__read(const json_t *v, unsigned int bits, enum int_range range,
		   unsigned __int128 *out);
/* Is it 0 or 1, in any way that a number can be written? */
bool json_int__is_bool(const json_t *v);

#endif
