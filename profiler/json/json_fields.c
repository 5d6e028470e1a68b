// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Structs as JSON objects and arrays. Owns the writing and reading of a struct by the rows of a
 * table, and the path in errors. Must not know the form of single values or the fields of any
 * document.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/suggest.h"
#include "base/util.h"
#include "json/json_fields.h"
#include "json/json_make.h"

int json_reader__refuse(struct json_reader *rd, const char *fmt, ...)
{
	va_list ap;
	int err;

	va_start(ap, fmt);
	err = json_path__refuse(&rd->path, rd->text, rd->text_sz, fmt, ap);
	va_end(ap);
	return err;
}

int json_reader__refuse_type(struct json_reader *rd, const char *wanted, const json_t *v)
{
	return json_reader__refuse(rd, "expected %s, found %s", wanted, json__type_text(v));
}

/* ---- objects ---- */

static json_t *make_value(const struct json_field *f, const void *from, const void *user)
{
	json_t *obj;

	if (f->kind->make)
		return f->kind->make(f, from, user);
	obj = json_object();
	f->kind->set(f, obj, from, user);
	return obj;
}

static int read_value(const struct json_field *f, struct json_reader *rd, json_t *v, void *to)
{
	int err = f->kind->read(f, rd, v, to);

	return !err && f->check ? f->check(rd, v, to) : err;
}

static bool is_nothing(const json_t *v)
{
	return json__is(v, JSON_FALSE) || (json__is(v, JSON_INTEGER) && !json_integer_value(v)) ||
	       (json__is(v, JSON_ARRAY) && !json_array_size(v)) ||
	       (json__is(v, JSON_OBJECT) && !json_object_size(v));
}

json_t *json_field__make(const struct json_field *f, const void *from, const void *user)
{
	json_t *v = make_value(f, (const char *)from + f->offset, user);

	if (!f->omit || !is_nothing(v))
		return v;
	json_decref(v);
	return json_null();
}

static void set_field(const struct json_field *f, json_t *obj, const void *from, const void *user)
{
	json_t *v;

	if (f->has && !f->has(from, user))
		return;
	if (!f->key) {
		f->kind->set(f, obj, (const char *)from + f->offset, user);
		return;
	}
	v = json_field__make(f, from, user);
	if (!json__is(v, JSON_NULL))
		json_object_set_new(obj, f->key, v);
}

static int read_field(const struct json_field *f, struct json_reader *rd, json_t *obj, void *to)
{
	json_t *v = json_object_get(obj, f->key);
	void *member = (char *)to + f->offset;
	int err = 0;

	if (!f->kind->read)
		return 0;
	if (!f->key)
		return read_value(f, rd, obj, member);
	if (json_path__enter_field(&rd->path, f->key))
		return json_reader__refuse(rd, "nested too deeply");
	if (v)
		err = read_value(f, rd, v, member);
	else if (f->required)
		err = json_reader__refuse(rd, "is missing");
	rd->path.depth--;
	return err;
}

void json__set_fields(json_t *obj, const struct json_field *rows, const void *from,
		      const void *user)
{
	for (const struct json_field *f = rows; f->kind; f++)
		set_field(f, obj, from, user);
}

int json_reader__object(struct json_reader *rd, json_t *obj, const struct json_field *rows,
			void *to)
{
	int err = 0;

	if (!json__is(obj, JSON_OBJECT))
		return json_reader__refuse_type(rd, "an object", obj);
	for (const struct json_field *f = rows; !err && f->kind; f++)
		err = read_field(f, rd, obj, to);
	return err;
}

int json_reader__check_keys(struct json_reader *rd, json_t *obj, const struct json_field *rows)
{
	const char *key;
	json_t *value;

	json_object_foreach(obj, key, value)
	{
		const struct json_field *f = rows;
		struct suggest near;
		char hint[128];

		suggest__init(&near, key, strlen(key));
		for (; f->kind && strcmp(f->key, key); f++)
			suggest__offer(&near, f->key);
		if (!f->kind)
			return json_reader__refuse(rd, "\"%.60s\": no such key%s", key,
						   suggest__text(&near, hint, sizeof(hint)));
	}
	return 0;
}

static void set_object(const struct json_field *f, json_t *obj, const void *from, const void *user)
{
	json__set_fields(obj, f->arg, from, user);
}

static int read_object(const struct json_field *f, struct json_reader *rd, json_t *v, void *to)
{
	return json_reader__object(rd, v, f->arg, to);
}

static void set_pointed(const struct json_field *f, json_t *obj, const void *from, const void *user)
{
	set_object(f, obj, *(void *const *)from, user);
}

static int read_pointed(const struct json_field *f, struct json_reader *rd, json_t *v, void *to)
{
	return read_object(f, rd, v, *(void **)to);
}

const struct json_kind field_object = {.set = set_object, .read = read_object};
const struct json_kind field_pointed = {.set = set_pointed, .read = read_pointed};

static void set_part(const struct json_field *f, json_t *obj, const void *from, const void *user)
{
	const struct json_part *p = f->arg;
	const void *part = *(void *const *)((const char *)from + p->pointer);

	if (part)
		json__set_fields(obj, p->rows, part, user);
}

static int read_part(const struct json_field *f, struct json_reader *rd, json_t *v, void *to)
{
	const struct json_part *p = f->arg;

	if (p->sign && !json_object_get(v, p->sign))
		return 0;
	return json_reader__object(rd, v, p->rows, p->add(to));
}

const struct json_kind field_part = {.set = set_part, .read = read_part};

static struct json_field table_row(const struct json_table *t, int i)
{
	struct json_field f = t->row;

	f.key = *(const char *const *)((const char *)t->name + i * t->name_step);
	f.offset += i * t->step;
	return f;
}

static void set_table(const struct json_field *f, json_t *obj, const void *from, const void *user)
{
	const struct json_table *t = f->arg;

	for (int i = 0; i < t->cnt; i++) {
		const struct json_field row = table_row(t, i);

		set_field(&row, obj, from, user);
	}
}

static int read_table(const struct json_field *f, struct json_reader *rd, json_t *v, void *to)
{
	const struct json_table *t = f->arg;
	int err = 0;

	if (!json__is(v, JSON_OBJECT))
		return json_reader__refuse_type(rd, "an object", v);
	for (int i = 0; !err && i < t->cnt; i++) {
		const struct json_field row = table_row(t, i);

		err = read_field(&row, rd, v, to);
	}
	return err;
}

const struct json_kind field_table = {.set = set_table, .read = read_table};

/* ---- arrays ---- */

static int read_element(const struct json_field *f, struct json_reader *rd, json_t *array, size_t i,
			void *to)
{
	int err;

	if (json_path__enter_element(&rd->path, i))
		return json_reader__refuse(rd, "nested too deeply");
	err = read_value(f, rd, json_array_get(array, i), to);
	rd->path.depth--;
	return err;
}

static json_t *make_tuple(const struct json_field *f, const void *from, const void *user)
{
	json_t *array = json_array();

	for (const struct json_field *part = f->arg; part->kind; part++)
		json_array_append_new(array,
				      make_value(part, (const char *)from + part->offset, user));
	return array;
}

/* Refuses with a message such as "expected [low, high, runs]". */
static int refuse_tuple(struct json_reader *rd, const struct json_field *parts)
{
	char keys[128] = "";
	size_t len = 0;

	for (const struct json_field *part = parts; part->kind && len < sizeof(keys); part++)
		len += snprintf(keys + len, sizeof(keys) - len, "%s%s", len ? ", " : "", part->key);
	return json_reader__refuse(rd, "expected [%s]", keys);
}

static int read_tuple(const struct json_field *f, struct json_reader *rd, json_t *v, void *to)
{
	const struct json_field *parts = f->arg;
	size_t cnt = 0;
	int err = 0;

	while (parts[cnt].kind)
		cnt++;
	if (!json__is(v, JSON_ARRAY) || json_array_size(v) != cnt)
		return refuse_tuple(rd, parts);
	for (size_t i = 0; !err && i < cnt; i++)
		err = read_element(&parts[i], rd, v, i, (char *)to + parts[i].offset);
	return err;
}

const struct json_kind field_tuple = {.make = make_tuple, .read = read_tuple};

static json_t *make_argv(const struct json_field *f, const void *from, const void *user)
{
	json_t *array = json_array();

	for (char *const *arg = *(char *const *const *)from; arg && *arg; arg++)
		json_array_append_new(array, json__make_string(*arg));
	return array;
}

static int read_argv(const struct json_field *f, struct json_reader *rd, json_t *v, void *to)
{
	const struct json_field elem = {.kind = &field_string};
	char ***argv = to;
	int err = 0;

	if (!json__is(v, JSON_ARRAY))
		return json_reader__refuse_type(rd, "an array", v);
	*argv = xcalloc(json_array_size(v) + 1, sizeof(**argv));
	for (size_t i = 0; !err && i < json_array_size(v); i++)
		err = read_element(&elem, rd, v, i, &(*argv)[i]);
	return err;
}

const struct json_kind field_argv = {.make = make_argv, .read = read_argv};

static json_t *make_list(const struct json_field *f, const void *from, const void *user)
{
	const struct json_list *l = f->arg;
	const char *array = *(char *const *)((const char *)from + l->array);
	const int *cnt = (const void *)((const char *)from + l->cnt);
	json_t *list = json_array();

	for (int i = 0; i < *cnt; i++)
		json_array_append_new(list, make_value(&l->elem, array + i * l->elem_sz, user));
	return list;
}

static int read_appended(const struct json_field *f, struct json_reader *rd, json_t *v, void *owner)
{
	const struct json_list *l = f->arg;
	int *cnt = (void *)((char *)owner + l->cnt);
	void *elem;

	if (l->max && *cnt == l->max)
		return json_reader__refuse(rd, "more than %d %s", l->max, f->key);
	elem = l->add ? l->add(owner) : array__add((char *)owner + l->array, cnt, l->elem_sz);
	return read_value(&l->elem, rd, v, elem);
}

static int read_list(const struct json_field *f, struct json_reader *rd, json_t *v, void *to)
{
	int err = 0;

	if (!json__is(v, JSON_ARRAY))
		return json_reader__refuse_type(rd, "an array", v);
	for (size_t i = 0; !err && i < json_array_size(v); i++) {
		if (json_path__enter_element(&rd->path, i))
			return json_reader__refuse(rd, "nested too deeply");
		err = read_appended(f, rd, json_array_get(v, i), to);
		rd->path.depth--;
	}
	return err;
}

const struct json_kind field_list = {.make = make_list, .read = read_list};
