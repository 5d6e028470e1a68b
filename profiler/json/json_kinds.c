// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Single values of JSON documents. Owns the JSON form of each kind of value, and the checks of a
 * value that is read; must not know the fields of any document.
 */
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "json/json_fields.h"
#include "json/json_make.h"

/* ---- strings ---- */

static json_t *make_const(const struct json_field *f, const void *from, const void *user)
{
	return json_string(f->arg);
}

const struct json_kind field_const = {.make = make_const};

static json_t *make_string(const struct json_field *f, const void *from, const void *user)
{
	const char *s = *(const char *const *)from;

	return !s && f->omit ? json_null() : json__make_string(s);
}

static int read_string(const struct json_field *f, struct json_reader *rd, json_t *v, void *to)
{
	char **s = to;

	if (!json__is(v, JSON_STRING))
		return json_reader__refuse_type(rd, "a string", v);
	*s = xstrdup(json_string_value(v));
	return 0;
}

static json_t *make_chars(const struct json_field *f, const void *from, const void *user)
{
	const char *s = from;

	return !*s && f->omit ? json_null() : json__make_string(s);
}

const struct json_kind field_chars = {.make = make_chars};
const struct json_kind field_string = {.make = make_string, .read = read_string};

static const char time_format[] = "%Y-%m-%dT%H:%M:%SZ";

static json_t *make_time(const struct json_field *f, const void *from, const void *user)
{
	const struct timespec *ts = from;
	char text[sizeof("2026-01-31T00:00:00Z") + 8] = "";
	struct tm tm;

	if (gmtime_r(&ts->tv_sec, &tm))
		strftime(text, sizeof(text), time_format, &tm);
	return json_string(text);
}

/* Reads a time. Accepts only the format that make_time() writes. */
static int read_time(const struct json_field *f, struct json_reader *rd, json_t *v, void *to)
{
	struct timespec *ts = to;
	char again[64] = "";
	struct tm tm = {};
	const char *end;

	if (!json__is(v, JSON_STRING))
		return json_reader__refuse_type(rd, "a string", v);
	end = strptime(json_string_value(v), time_format, &tm);
	if (end && !*end) {
		ts->tv_sec = timegm(&tm);
		strftime(again, sizeof(again), time_format, &tm);
	}
	if (strcmp(again, json_string_value(v)))
		return json_reader__refuse(rd, "expected a time as 2026-01-31T00:00:00Z");
	return 0;
}

const struct json_kind field_time = {.make = make_time, .read = read_time};

static json_t *make_bytes(const struct json_field *f, const void *from, const void *user)
{
	const struct json_bytes *b = f->arg;
	const __u8 *data = *(__u8 *const *)((const char *)from + b->data);
	const __u32 *sz = (const void *)((const char *)from + b->sz);

	return !data && f->omit ? json_null() : json__make_hex(data, *sz);
}

static int hex_value(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *found = memchr(digits, c, sizeof(digits) - 1);

	return found ? found - digits : -1;
}

static int read_hex_bytes(const struct json_field *f, struct json_reader *rd, json_t *v, void *to)
{
	const struct json_bytes *b = f->arg;
	__u8 **data = (void *)((char *)to + b->data);
	__u32 *sz = (void *)((char *)to + b->sz);
	const char *s = json_string_value(v);
	size_t len = s ? json_string_length(v) : 0;

	if (!s)
		return json_reader__refuse_type(rd, "a string", v);
	*sz = len / 2;
	*data = xmalloc(*sz);
	for (size_t i = 0; i < *sz; i++) {
		int high = hex_value(s[2 * i]), low = hex_value(s[2 * i + 1]);

		if (high < 0 || low < 0)
			return json_reader__refuse(rd, "expected hexadecimal digits");
		(*data)[i] = high << 4 | low;
	}
	return len % 2 ? json_reader__refuse(rd, "an odd number of digits") : 0;
}

const struct json_kind field_bytes = {.make = make_bytes, .read = read_hex_bytes};

/* ---- numbers ---- */

static json_t *make_bool(const struct json_field *f, const void *from, const void *user)
{
	return json_boolean(*(const bool *)from);
}

static int read_bool(const struct json_field *f, struct json_reader *rd, json_t *v, void *to)
{
	if (!json__is_boolean(v))
		return json_reader__refuse_type(rd, "true or false", v);
	*(bool *)to = json__is(v, JSON_TRUE);
	return 0;
}

const struct json_kind field_bool = {.make = make_bool, .read = read_bool};

/*
 * Reads a whole number up to max. Numbers above INT64_MAX are written as reals with 15 digits. So
 * the largest may be read as a little more than UINT64_MAX.
 */
static int read_whole(const struct json_field *f, struct json_reader *rd, json_t *v, __u64 max,
		      __u64 *out)
{
	static const double rounding = 1 + 1e-14;
	const struct json_range natural = {0, max}, *range = f->arg ?: &natural;
	double d = json_number_value(v);

	if (!json__is_number(v))
		return json_reader__refuse_type(rd, "a number", v);
	if (d != floor(d))
		return json_reader__refuse(rd, "expected a whole number");
	if (json__is(v, JSON_INTEGER) && d >= 0)
		*out = json_integer_value(v);
	else if (d >= 0 && d < 0x1p64)
		*out = d;
	else if (d >= 0 && d <= 0x1p64 * rounding)
		*out = UINT64_MAX;
	else
		d = -1;
	if (d < 0 || *out < range->min || *out > range->max)
		return json_reader__refuse(rd, "expected a number from %llu to %llu",
					   (unsigned long long)range->min,
					   (unsigned long long)range->max);
	return 0;
}

static json_t *make_number(const struct json_field *f, const void *from, const void *user)
{
	double v = *(const double *)from;

	return isfinite(v) ? json__make_number(v) : json_null();
}

static int read_json_number(const struct json_field *f, struct json_reader *rd, json_t *v, void *to)
{
	__u64 whole;
	int err;

	if (f->arg) {
		err = read_whole(f, rd, v, UINT64_MAX, &whole);
		if (!err)
			*(double *)to = whole;
		return err;
	}
	if (!json__is_number(v))
		return json_reader__refuse_type(rd, "a number", v);
	*(double *)to = json_number_value(v);
	return 0;
}

static int read_amount(const struct json_field *f, struct json_reader *rd, json_t *v, void *to)
{
	int err = read_json_number(f, rd, v, to);

	if (!err && *(double *)to < 0)
		err = json_reader__refuse(rd, "expected a number of at least 0");
	return err;
}

static int read_share(const struct json_field *f, struct json_reader *rd, json_t *v, void *to)
{
	int err = read_json_number(f, rd, v, to);

	if (!err && !(*(double *)to > 0 && *(double *)to <= 1))
		err = json_reader__refuse(rd, "expected a number above 0 and up to 1");
	return err;
}

const struct json_kind field_number = {.make = make_number, .read = read_json_number};
const struct json_kind field_amount = {.make = make_number, .read = read_amount};
const struct json_kind field_share = {.make = make_number, .read = read_share};

static json_t *make_u64(const struct json_field *f, const void *from, const void *user)
{
	return json__make_u64(*(const __u64 *)from);
}

static int read_u64(const struct json_field *f, struct json_reader *rd, json_t *v, void *to)
{
	return read_whole(f, rd, v, UINT64_MAX, to);
}

static json_t *make_u32(const struct json_field *f, const void *from, const void *user)
{
	return json_integer(*(const __u32 *)from);
}

static int read_u32(const struct json_field *f, struct json_reader *rd, json_t *v, void *to)
{
	__u64 n;
	int err = read_whole(f, rd, v, UINT32_MAX, &n);

	if (!err)
		*(__u32 *)to = n;
	return err;
}

static json_t *make_int(const struct json_field *f, const void *from, const void *user)
{
	return json_integer(*(const int *)from);
}

static int read_int_field(const struct json_field *f, struct json_reader *rd, json_t *v, void *to)
{
	__u64 n;
	int err = read_whole(f, rd, v, INT_MAX, &n);

	if (!err)
		*(int *)to = n;
	return err;
}

const struct json_kind field_u64 = {.make = make_u64, .read = read_u64};
const struct json_kind field_u32 = {.make = make_u32, .read = read_u32};
const struct json_kind field_int = {.make = make_int, .read = read_int_field};
