/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is wrong with a JSON document, and where in it. Pure: prints nothing.
 */
#ifndef BPROF_JSON_ERROR_H
#define BPROF_JSON_ERROR_H

#include <stdarg.h>
#include <stddef.h>
#include <jansson.h>

/* The way from a document to a value in it. */
struct json_path {
	struct json_step {
		const char *key; /* NULL: an element of an array; not owned */
		size_t index;
	} step[32];
	int depth;
};

/* -EINVAL: nested too deeply. Whoever enters leaves with path->depth--. */
int json_path__enter_field(struct json_path *path, const char *key);
int json_path__enter_element(struct json_path *path, size_t index);
/*
 * Writes a sentence after its path: "programs[2].events: is missing", cut off at sz. Keys stand as
 * they are in the path: the caller makes those of a foreign document printable. -EINVAL.
 */
int json_path__refuse(const struct json_path *path, char *buf, size_t sz, const char *fmt,
		      va_list ap);

/* "an object", "a number", "true", … */
const char *json__type_text(const json_t *v);
/* Why jansson refused a text: jansson's own sentences quote the text, which may be anything. */
const char *json__syntax_text(const json_error_t *err);

#endif
