// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the text of errors in JSON documents and of their positions. Must not know the meaning of the
 * documents.
 */
#include <errno.h>
#include <stdio.h>

#include "base/util.h"
#include "json/json_error.h"

static int enter(struct json_path *path, struct json_step step)
{
	if (path->depth == ARRAY_SIZE(path->step))
		return -EINVAL;
	path->step[path->depth++] = step;
	return 0;
}

int json_path__enter_field(struct json_path *path, const char *key)
{
	return enter(path, (struct json_step){.key = key});
}

int json_path__enter_element(struct json_path *path, size_t index)
{
	return enter(path, (struct json_step){.index = index});
}

/* Writes the path to buf. Returns its length, which is less than sz. */
static size_t print_path(const struct json_path *path, char *buf, size_t sz)
{
	size_t len = 0;

	*buf = '\0';
	for (int i = 0; i < path->depth && len < sz; i++) {
		const struct json_step *s = &path->step[i];

		if (s->key)
			len += snprintf(buf + len, sz - len, "%s%s", i ? "." : "", s->key);
		else
			len += snprintf(buf + len, sz - len, "[%zu]", s->index);
	}
	return len < sz ? len : sz - 1;
}

void json_path__print(const struct json_path *path, char *buf, size_t sz)
{
	print_path(path, buf, sz);
}

int json_path__refuse(const struct json_path *path, char *buf, size_t sz, const char *fmt,
		      va_list ap)
{
	size_t len = print_path(path, buf, sz);

	if (path->depth)
		len += snprintf(buf + len, sz - len, ": ");
	if (len >= sz)
		return -EINVAL;
	vsnprintf(buf + len, sz - len, fmt, ap);
	return -EINVAL;
}

bool json__is(const json_t *v, json_type type)
{
	return v && json_typeof(v) == type;
}

bool json__is_number(const json_t *v)
{
	return json__is(v, JSON_INTEGER) || json__is(v, JSON_REAL);
}

bool json__is_boolean(const json_t *v)
{
	return json__is(v, JSON_TRUE) || json__is(v, JSON_FALSE);
}

const char *json__type_text(const json_t *v)
{
	static const char *const names[] = {
		[JSON_OBJECT] = "an object", [JSON_ARRAY] = "an array", [JSON_STRING] = "a string",
		[JSON_INTEGER] = "a number", [JSON_REAL] = "a number",	[JSON_TRUE] = "true",
		[JSON_FALSE] = "false",	     [JSON_NULL] = "null",
	};

	return names[json_typeof(v)];
}

const char *json__syntax_text(const json_error_t *err)
{
	switch (json_error_code(err)) {
	case json_error_invalid_utf8:
		return "not UTF-8";
	case json_error_null_character:
	case json_error_null_byte_in_key:
		return "a NUL character in a string";
	case json_error_duplicate_key:
		return "an object has two fields with the same name";
	case json_error_numeric_overflow:
		return "a number is too large";
	case json_error_stack_overflow:
		return "nested too deeply";
	default:
		return "not JSON";
	}
}
