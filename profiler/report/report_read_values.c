// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Single values of a JSON document, and how one comes to them: what is wrong is said with its path.
 * Owns what a value may be; must not know the fields of a report.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report/report_read.h"
#include "base/util.h"

/* The keys are our own: nothing in the sentence is from the document. */
int reader__refuse(struct reader *rd, const char *fmt, ...)
{
	va_list ap;
	int err;

	va_start(ap, fmt);
	err = json_path__refuse(&rd->path, rd->err->text, sizeof(rd->err->text), fmt, ap);
	va_end(ap);
	return err;
}

int reader__refuse_type(struct reader *rd, const char *wanted, const json_t *v)
{
	return reader__refuse(rd, "%s is wanted, it is %s", wanted, json__type_text(v));
}

int reader__string(struct reader *rd, json_t *v, void *to)
{
	char **s = to;

	if (!json_is_string(v))
		return reader__refuse_type(rd, "a string", v);
	*s = strdup(json_string_value(v));
	return *s ? 0 : -ENOMEM;
}

/* A word for what is static in a report that was measured. */
int reader__word(struct reader *rd, json_t *v, void *to)
{
	const char **s = to;

	if (!json_is_string(v))
		return reader__refuse_type(rd, "a string", v);
	*s = report__keep_string(rd->r, json_string_value(v));
	return *s ? 0 : -ENOMEM;
}

int reader__bool(struct reader *rd, json_t *v, void *to)
{
	if (!json_is_boolean(v))
		return reader__refuse_type(rd, "true or false", v);
	*(bool *)to = json_is_true(v);
	return 0;
}

int reader__number(struct reader *rd, json_t *v, void *to)
{
	if (!json_is_number(v))
		return reader__refuse_type(rd, "a number", v);
	*(double *)to = json_number_value(v);
	return 0;
}

int reader__amount(struct reader *rd, json_t *v, void *to)
{
	int err = reader__number(rd, v, to);

	return !err && *(double *)to < 0 ? reader__refuse(rd, "a number from 0 on is wanted") : err;
}

int reader__share(struct reader *rd, json_t *v, void *to)
{
	int err = reader__number(rd, v, to);

	if (!err && !(*(double *)to > 0 && *(double *)to <= 1))
		err = reader__refuse(rd, "a number above 0, up to 1 is wanted");
	return err;
}

/*
 * A whole number from min to max. Those over INT64_MAX are reals in JSON as it is written: 15 digits,
 * which may be rounded to just above the largest.
 */
static int read_whole(struct reader *rd, json_t *v, __u64 min, __u64 max, __u64 *out)
{
	static const double rounding = 1 + 1e-14;
	double d = json_number_value(v);

	if (!json_is_number(v))
		return reader__refuse_type(rd, "a number", v);
	if (d != floor(d))
		return reader__refuse(rd, "a whole number is wanted");
	if (json_is_integer(v) && d >= 0)
		*out = json_integer_value(v);
	else if (d >= 0 && d < 0x1p64)
		*out = d;
	else if (d >= 0 && d <= 0x1p64 * rounding)
		*out = UINT64_MAX;
	else
		d = -1;
	if (d < 0 || *out < min || *out > max)
		return reader__refuse(rd, "a number from %llu to %llu is wanted",
				      (unsigned long long)min, (unsigned long long)max);
	return 0;
}

int reader__u64(struct reader *rd, json_t *v, void *to)
{
	return read_whole(rd, v, 0, UINT64_MAX, to);
}

int reader__natural(struct reader *rd, json_t *v, void *to)
{
	return read_whole(rd, v, 1, UINT64_MAX, to);
}

int reader__id(struct reader *rd, json_t *v, void *to)
{
	__u64 id;
	int err = read_whole(rd, v, 0, UINT32_MAX, &id);

	if (!err)
		*(__u32 *)to = id;
	return err;
}

int reader__retval(struct reader *rd, json_t *v, void *to)
{
	__u64 value;
	int err = read_whole(rd, v, 0, UINT32_MAX, &value);

	if (!err)
		*(double *)to = value;
	return err;
}

int reader__int(struct reader *rd, json_t *v, void *to)
{
	__u64 n;
	int err = read_whole(rd, v, 0, INT_MAX, &n);

	if (!err)
		*(int *)to = n;
	return err;
}

/* The verifier lets 8 functions be in progress (MAX_CALL_FRAMES); each is an indent in the tree. */
int reader__depth(struct reader *rd, json_t *v, void *to)
{
	__u64 n;
	int err = read_whole(rd, v, 0, 256, &n);

	if (!err)
		*(int *)to = n;
	return err;
}

int reader__repeats(struct reader *rd, json_t *v, void *to)
{
	int err = reader__int(rd, v, to);

	return !err && !*(int *)to ? reader__refuse(rd, "there is one repeat at least") : err;
}

/* UTC, in the one way that it is written. */
int reader__time(struct reader *rd, json_t *v, void *to)
{
	static const char fmt[] = "%Y-%m-%dT%H:%M:%SZ";
	struct timespec *ts = to;
	char again[64] = "";
	struct tm tm = {};
	const char *end;

	if (!json_is_string(v))
		return reader__refuse_type(rd, "a string", v);
	end = strptime(json_string_value(v), fmt, &tm);
	if (end && !*end) {
		ts->tv_sec = timegm(&tm);
		strftime(again, sizeof(again), fmt, &tm);
	}
	if (strcmp(again, json_string_value(v)))
		return reader__refuse(rd, "a time as 2026-01-31T00:00:00Z is wanted");
	return 0;
}

int reader__tag(struct reader *rd, json_t *v, void *to)
{
	const char *s = json_string_value(v);

	if (!s)
		return reader__refuse_type(rd, "a string", v);
	if (strlen(s) >= sizeof(((struct report_prog *)NULL)->tag) ||
	    s[strspn(s, "0123456789abcdef")])
		return reader__refuse(rd, "up to 16 hexadecimal digits are wanted");
	strcpy(to, s);
	return 0;
}

int reader__status(struct reader *rd, json_t *v, void *to)
{
	const char *s = json_string_value(v);

	if (!s)
		return reader__refuse_type(rd, "a string", v);
	for (int i = 0; i < EVENT_STATUS_CNT; i++) {
		if (!strcmp(s, event_status_specs[i].name)) {
			*(enum event_status *)to = i;
			return 0;
		}
	}
	return reader__refuse(rd, "no status of an event");
}

int reader__object(struct reader *rd, json_t *obj, const struct field *fields, size_t cnt, void *to)
{
	int err = 0;

	if (!json_is_object(obj))
		return reader__refuse_type(rd, "an object", obj);
	for (size_t i = 0; !err && i < cnt; i++) {
		json_t *v = json_object_get(obj, fields[i].key);

		err = json_path__enter_field(&rd->path, fields[i].key);
		if (err)
			return reader__refuse(rd, "nested too deeply");
		if (v)
			err = fields[i].read(rd, v, (char *)to + fields[i].offset);
		else if (fields[i].required)
			err = reader__refuse(rd, "is missing");
		rd->path.depth--;
	}
	return err;
}

int reader__element(struct reader *rd, json_t *array, size_t i, read_fn read, void *to)
{
	int err;

	if (json_path__enter_element(&rd->path, i))
		return reader__refuse(rd, "nested too deeply");
	err = read(rd, json_array_get(array, i), to);
	rd->path.depth--;
	return err;
}

int reader__array(struct reader *rd, json_t *array, read_fn read, void *to)
{
	int err = 0;

	if (!json_is_array(array))
		return reader__refuse_type(rd, "an array", array);
	for (size_t i = 0; !err && i < json_array_size(array); i++)
		err = reader__element(rd, array, i, read, to);
	return err;
}
