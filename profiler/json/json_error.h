/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Errors in JSON documents and their positions. Prints nothing. */
#ifndef BPROF_JSON_ERROR_H
#define BPROF_JSON_ERROR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <jansson.h>

/* The path from the root of a document to a value. */
struct json_path {
	struct json_step {
		const char *key; /* not owned; NULL: the step is an element of an array */
		size_t index;
	} step[32];
	int depth;
};

/*
 * Appends a step to the path. Returns 0, or -EINVAL if nested too deeply. If the result is 0, the
 * caller later removes the step with path->depth--.
 */
int json_path__enter_field(struct json_path *path, const char *key);
int json_path__enter_element(struct json_path *path, size_t index);
/* Writes the path, such as "programs[2].events", to buf, cut to sz bytes. */
void json_path__print(const struct json_path *path, char *buf, size_t sz);
/*
 * Writes the path and a message, such as "programs[2].events: is missing", to buf, cut to sz bytes.
 * Keys are copied unchanged: the caller makes the keys of a foreign document printable. Returns
 * -EINVAL.
 */
int json_path__refuse(const struct json_path *path, char *buf, size_t sz, const char *fmt,
		      va_list ap);

/*
 * Type checks of a value. They are functions, because each of jansson's macros checks repeatedly
 * whether v is NULL.
 */
bool json__is(const json_t *v, json_type type);
bool json__is_number(const json_t *v);
bool json__is_boolean(const json_t *v);
/* Returns a text such as "an object", "a number" or "true". */
const char *json__type_text(const json_t *v);
/*
 * Returns why jansson refused a text. jansson's own messages quote the text, which may contain
 * anything.
 */
const char *json__syntax_text(const json_error_t *err);

#endif
