// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Whole numbers in JSON. Owns how they may be written and what fits; must not know BTF.
 */
#include <errno.h>
#include <ctype.h>
#include <string.h>

#include "json/json_encode_int.h"

struct number {
	bool negative, hex;
	unsigned __int128 size;
};

static int digit_value(char c)
{
	if (isdigit((unsigned char)c))
		return c - '0';
	return isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : 16;
}

static int parse_string(const char *s, struct number *n)
{
	static const unsigned __int128 max = ~(unsigned __int128)0;
	unsigned int base;
	bool fits = true;

	n->negative = *s == '-';
	s += n->negative;
	n->hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
	s += n->hex ? 2 : 0;
	base = n->hex ? 16 : 10;
	if (!*s)
		return -EINVAL;
	for (; *s; s++) {
		unsigned int digit = digit_value(*s);

		if (digit >= base)
			return -EINVAL;
		fits = fits && n->size <= (max - digit) / base;
		n->size = n->size * base + digit;
	}
	return fits ? 0 : -ERANGE;
}

static int parse(const json_t *v, struct number *n)
{
	long long i = json_integer_value(v);

	*n = (struct number){};
	switch (json_typeof(v)) {
	case JSON_STRING:
		return parse_string(json_string_value(v), n);
	case JSON_TRUE:
		n->size = 1;
		return 0;
	case JSON_FALSE:
		return 0;
	case JSON_INTEGER:
		n->negative = i < 0;
		n->size = i < 0 ? -(unsigned long long)i : (unsigned long long)i;
		return 0;
	default:
		return -EINVAL;
	}
}

int json_int__read(const json_t *v, unsigned int bits, enum int_range range, unsigned __int128 *out)
{
	/* The size that the lowest negative number has: half of the range. */
	unsigned __int128 half = (unsigned __int128)1 << (bits - 1);
	struct number n;
	int err = parse(v, &n);

	if (err)
		return err;
	if (n.negative)
		err = n.size && (range == INT_UNSIGNED || n.size > half) ? -ERANGE : 0;
	else if (range == INT_SIGNED && !n.hex)
		err = n.size >= half ? -ERANGE : 0;
	else
		err = n.size > half - 1 + half ? -ERANGE : 0;
	*out = n.negative ? -n.size : n.size;
	return err;
}

bool json_int__is_bool(const json_t *v)
{
	struct number n;

	return !parse(v, &n) && n.size <= 1 && !n.negative;
}
