// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Parses amounts, which are numbers with a unit. Owns the units; must not know what the amounts are
 * used for.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "options/amount.h"

/* The longest time: 31 years. It fits into a __u64 and into a time_t. */
#define MAX_NS 1e18

static const struct unit {
	const char *name;
	double factor;
	bool relative;
	const char *unit;
} units[] = {
	{"", 1, false, NULL},	  {"%", 0.01, true, NULL},  {"ns", 1, false, "ns"},
	{"us", 1e3, false, "ns"}, {"ms", 1e6, false, "ns"}, {"s", 1e9, false, "ns"},
};

static const struct unit *find_unit(const char *s, size_t len, bool relative)
{
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (strlen(units[i].name) == len && !memcmp(units[i].name, s, len))
			return units[i].relative && !relative ? NULL : &units[i];
	return NULL;
}

static int parse_amount(const char *spec, size_t pos, size_t len, bool relative, struct amount *out,
			struct parse_error *err)
{
	const char *s = spec + pos, *unit;
	size_t digits = strspn(s, "0123456789.");
	const struct unit *u;
	char *end;

	digits = digits < len ? digits : len;
	/*
	 * strtod() also accepts signs, hexadecimal numbers and infinity. Here these are errors: the
	 * number must end after the digits that were counted above.
	 */
	out->value = strtod(s, &end);
	if (!digits || end != s + digits || !(out->value <= 1e18))
		return parse_error__set(err, pos, digits ?: 1,
					"not a number; write it as %s10us or 150",
					relative ? "2%, " : "");
	for (unit = s + digits; unit < s + len && *unit == ' '; unit++)
		;
	u = find_unit(unit, s + len - unit, relative);
	if (!u)
		return parse_error__set(err, unit - spec, s + len - unit,
					"unknown unit; use %sns, us, ms or s, or none for the "
					"event's own unit",
					relative ? "%, " : "");
	out->value *= u->factor;
	out->relative = u->relative;
	out->unit = u->unit;
	return 0;
}

int amount__parse(const char *spec, size_t pos, size_t len, struct amount *out,
		  struct parse_error *err)
{
	return parse_amount(spec, pos, len, true, out, err);
}

int amount__parse_absolute(const char *spec, size_t pos, size_t len, struct amount *out,
			   struct parse_error *err)
{
	return parse_amount(spec, pos, len, false, out, err);
}

int duration__parse(const char *spec, __u64 *ns, struct parse_error *err)
{
	size_t len = strlen(spec), unit = strspn(spec, "0123456789.");
	struct amount time;

	if (!len || amount__parse_absolute(spec, 0, len, &time, NULL)) {
		unit = unit < len ? unit : 0;
		return parse_error__set(err, unit, len - unit ?: 1,
					"write a time as 5s, 200ms or 10us; a number without a "
					"unit is in ms");
	}
	if (!time.unit)
		time.value *= NSEC_PER_MSEC;
	if (time.value > MAX_NS)
		return parse_error__set(err, 0, len,
					"the time is too long; write at most 1000000000s");
	*ns = llround(time.value);
	return 0;
}

int size__parse(const char *spec, __u64 *bytes)
{
	static const char units[] = "KMGT";
	size_t len = strlen(spec);
	const char *unit = len ? strchr(units, spec[len - 1]) : NULL;
	struct amount size;

	if (!len || len == (unit ? 1 : 0) ||
	    amount__parse_absolute(spec, 0, len - !!unit, &size, NULL) || size.unit)
		return -EINVAL;
	for (const char *u = units; unit && u <= unit; u++)
		size.value *= 1024;
	if (size.value >= 1ULL << 60)
		return -EINVAL;
	*bytes = llround(size.value);
	return 0;
}
