// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * JSON documents, a value at a time. Owns their layout between the values, which is that of jansson;
 * must not know the form of single values (json_kinds.c) or the fields of any document.
 */
#include <errno.h>

#include "json/json_ascii.h"
#include "json/json_stream.h"

struct stream {
	FILE *out;
	const void *user;
	int depth; /* of objects and lists that are open; each indents its contents by a blank */
	bool any;  /* the one that was opened last has contents */
};

static void begin_line(const struct stream *s)
{
	fprintf(s->out, "\n%*s", s->depth, "");
}

/* Begins an element of a list (key is NULL) or a field of an object. */
static void begin(struct stream *s, const char *key)
{
	if (s->any)
		fputc(',', s->out);
	begin_line(s);
	if (key)
		fprintf(s->out, "\"%s\": ", key);
	s->any = true;
}

static void open_bracket(struct stream *s, char bracket)
{
	fputc(bracket, s->out);
	s->depth++;
	s->any = false;
}

static void close_bracket(struct stream *s, char bracket)
{
	s->depth--;
	if (s->any)
		begin_line(s);
	fputc(bracket, s->out);
	s->any = true;
}

/* Writes an element or a field, and frees v. NULL: there was no memory for it. */
static int put(struct stream *s, const char *key, json_t *v)
{
	if (!v)
		return -ENOMEM;
	if (json__is(v, JSON_NULL))
		return 0;
	begin(s, key);
	return json__print_value(v, s->depth, s->out);
}

static int put_fields(struct stream *s, const struct json_field *rows, const void *from);

static int put_element(struct stream *s, const struct json_field *elem, const void *from)
{
	int err;

	if (elem->kind != &field_object)
		return put(s, NULL, json_field__make(elem, from, s->user));
	begin(s, NULL);
	open_bracket(s, '{');
	err = put_fields(s, elem->arg, from);
	close_bracket(s, '}');
	return err;
}

static int put_list(struct stream *s, const struct json_field *f, const char *from)
{
	const struct json_list *l = f->arg;
	const char *array = *(char *const *)(from + l->array);
	const int cnt = *(const int *)(const void *)(from + l->cnt);
	int err = 0;

	if (!cnt && f->omit)
		return 0;
	begin(s, f->key);
	open_bracket(s, '[');
	for (int i = 0; !err && i < cnt; i++)
		err = put_element(s, &l->elem, array + i * l->elem_sz);
	close_bracket(s, ']');
	return err;
}

/* Writes the fields of a kind that puts several of them into the enclosing object. */
static int put_several(struct stream *s, const struct json_field *f, const void *from)
{
	json_t *obj = json_object(), *v;
	int err = f->kind->set(f, obj, from, s->user) ? -ENOMEM : 0;
	const char *key;

	json_object_foreach(obj, key, v)
	{
		err = err ?: put(s, key, json_incref(v));
	}
	json_decref(obj);
	return err;
}

static int put_field(struct stream *s, const struct json_field *f, const void *from)
{
	const char *member = (const char *)from + f->offset;

	if (f->has && !f->has(from, s->user))
		return 0;
	if (f->kind == &field_list)
		return put_list(s, f, member);
	if (f->key)
		return put(s, f->key, json_field__make(f, from, s->user));
	return f->kind == &field_object ? put_fields(s, f->arg, member) : put_several(s, f, member);
}

static int put_fields(struct stream *s, const struct json_field *rows, const void *from)
{
	int err = 0;

	for (const struct json_field *f = rows; !err && f->kind; f++)
		err = put_field(s, f, from);
	return err;
}

int json__stream(const struct json_field *rows, const void *from, const void *user, FILE *out)
{
	struct stream s = {.out = out, .user = user};
	int err;

	open_bracket(&s, '{');
	err = put_fields(&s, rows, from);
	close_bracket(&s, '}');
	fputc('\n', out);
	return err;
}
