/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For each field of a JSON document, makes documents in which this field is missing, has another
 * type, or has a strange value, as in documents of other versions and in damaged ones. Fields at
 * the same place of several elements of an array count as one.
 */
#ifndef BPROF_TEST_EACH_FIELD_H
#define BPROF_TEST_EACH_FIELD_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct each_field {
	/* text: the changed document; key: the field's name; missing: the field was deleted */
	void (*check)(void *arg, const char *text, const char *key, bool missing);
	void *arg;
	json_t *doc, *seen;
};

static inline void each_field__check(struct each_field *f, const char *key, bool missing)
{
	char *text = json_dumps(f->doc, JSON_COMPACT);

	assert_non_null(text);
	f->check(f->arg, text, key, missing);
	free(text);
}

static inline void each_field__change(struct each_field *f, json_t *parent, const char *name)
{
	char *key = strdup(name); /* name is freed with the field */
	json_t *old = json_incref(json_object_get(parent, name));
	json_t *const values[] = {
		json_null(),	     json_true(),
		json_integer(-1),    json_integer(0),
		json_real(-1.5e300), json_string(""),
		json_string("x"),    json_string("\x1b[2J"),
		json_array(),	     json_pack("[[i]]", 7),
		json_object(),
	};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		json_object_set_new(parent, key, values[i]);
		each_field__check(f, key, false);
	}
	json_object_del(parent, key);
	each_field__check(f, key, true);
	json_object_set_new(parent, key, old);
	free(key);
}

static inline void each_field__visit(struct each_field *f, json_t *node, const char *path)
{
	char place[256];
	const char *key;
	json_t *child;
	void *next;
	size_t i;

	json_array_foreach(node, i, child) each_field__visit(f, child, path);
	json_object_foreach_safe(node, next, key, child)
	{
		snprintf(place, sizeof(place), "%s.%s", path, key);
		each_field__visit(f, child, place);
		if (json_object_get(f->seen, place))
			continue;
		json_object_set_new(f->seen, place, json_true());
		each_field__change(f, node, key);
	}
}

/* Calls check() for each change of the document. Skips the places in "seen" and adds to them. */
static inline void check_each_field(const char *text, json_t *seen, void *arg,
				    void (*check)(void *arg, const char *text, const char *key,
						  bool missing))
{
	struct each_field f = {check, arg, json_loads(text, 0, NULL), seen};

	assert_non_null(f.doc);
	each_field__visit(&f, f.doc, "");
	json_decref(f.doc);
}

#endif
