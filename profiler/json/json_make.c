// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Values of JSON documents. Owns the JSON form of numbers and foreign strings; must not know the
 * fields of any document.
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/memory.h"
#include "base/text.h"
#include "json/json_make.h"

/* Runs before main(), because jansson's allocator must be set before the first document is made. */
static void __attribute__((constructor)) set_allocator(void)
{
	json_set_alloc_funcs(xmalloc, free);
}

json_t *json__make_string(const char *s)
{
	char *valid = text__json(s);
	json_t *str = json_string_nocheck(valid);

	free(valid);
	return str;
}

int json__make_utf8(const char *s, json_t **out)
{
	*out = json_string(s);
	return *out ? 0 : -EINVAL;
}

int json__set_utf8(json_t *string, const char *s)
{
	return json_string_set(string, s) ? -EINVAL : 0;
}

json_t *json__make_hex(const __u8 *bytes, size_t sz)
{
	static const char digits[] = "0123456789abcdef";
	char *text = xmalloc(2 * sz + 1), *to = text;
	json_t *str;

	for (size_t i = 0; i < sz; i++) {
		*to++ = digits[bytes[i] >> 4];
		*to++ = digits[bytes[i] & 15];
	}
	*to = '\0';
	str = json_string(text);
	free(text);
	return str;
}

json_t *json__make_u64(__u64 v)
{
	/* A json_int_t is signed: use a real for larger numbers. */
	return v <= INT64_MAX ? json_integer(v) : json_real(v);
}

json_t *json__make_number(double v)
{
	v = number__round(v);
	return v == floor(v) && fabs(v) < 0x1p63 ? json_integer(v) : json_real(v);
}

void json__set(json_t *obj, const char *key, json_t *v)
{
	char *valid = text__json(key);

	json_object_set_new_nocheck(obj, valid, v);
	free(valid);
}

void json__set_string(json_t *obj, const char *key, const char *s)
{
	json__set(obj, key, json__make_string(s));
}

void json__set_number(json_t *obj, const char *key, double v)
{
	if (isfinite(v))
		json__set(obj, key, json__make_number(v));
}
