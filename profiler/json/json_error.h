/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Errors in JSON documents and their places. Pure: prints nothing.
 */
#ifndef BPROF_JSON_ERROR_H
#define BPROF_JSON_ERROR_H

#include <stdarg.h>
#include <stddef.h>
#include <jansson.h>

/* The path from a document to a value in it. */
struct json_path {
	struct json_step {
		const char *key; /* NULL: an element of an array; not owned */
		size_t index;
	} step[32];
	int depth;
};

/* 0, or -EINVAL if nested too deeply. After 0, the caller leaves the value with path->depth--. */
int json_path__enter_field(struct json_path *path, const char *key);
int json_path__enter_element(struct json_path *path, size_t index);
/*
 * Formats a message after its path: "programs[2].events: is missing", truncated to sz. Keys are
 * copied unchanged: the caller makes those of a foreign document printable. Returns -EINVAL.
 */
int json_path__refuse(const struct json_path *path, char *buf, size_t sz, const char *fmt,
		      va_list ap);

/* "an object", "a number", "true", … */
const char *json__type_text(const json_t *v);
/*
 * Returns why jansson refused a text. jansson's own messages quote the text, which may contain
 * anything.
 */
const char *json__syntax_text(const json_error_t *err);

#endif
