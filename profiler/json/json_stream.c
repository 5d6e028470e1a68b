// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * JSON documents, one value at a time. Owns the layout between the values, which is the same as
 * jansson's. Must not know the form of single values (json_kinds.c) or the fields of any document.
 */
#include "json/json_ascii.h"
#include "json/json_stream.h"

struct stream {
	FILE *out;
	const void *user;
	int depth; /* number of open objects and lists; each indents its contents by a blank */
	bool any;  /* the innermost open object or list has contents */
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

/* Writes an element or a field, and frees v. */
static void put(struct stream *s, const char *key, json_t *v)
{
	if (json__is(v, JSON_NULL))
		return;
	begin(s, key);
	json__print_value(v, s->depth, s->out);
}

static void put_fields(struct stream *s, const struct json_field *rows, const void *from);

static void put_list(struct stream *s, const struct json_field *f, const char *from)
{
	const struct json_list *l = f->arg;
	const char *array = *(char *const *)(from + l->array);
	const int cnt = *(const int *)(const void *)(from + l->cnt);

	if (!cnt && f->omit)
		return;
	begin(s, f->key);
	open_bracket(s, '[');
	for (int i = 0; i < cnt; i++, array += l->elem_sz) {
		if (l->elem.kind != &field_object) {
			put(s, NULL, json_field__make(&l->elem, array, s->user));
			continue;
		}
		begin(s, NULL);
		open_bracket(s, '{');
		put_fields(s, l->elem.arg, array);
		close_bracket(s, '}');
	}
	close_bracket(s, ']');
}

/* Writes a row whose kind adds several fields to the enclosing object (json_kind.set). */
static void put_several(struct stream *s, const struct json_field *f, const void *from)
{
	json_t *obj = json_object(), *v;
	const char *key;

	f->kind->set(f, obj, from, s->user);
	json_object_foreach(obj, key, v)
	{
		put(s, key, json_incref(v));
	}
	json_decref(obj);
}

static void put_fields(struct stream *s, const struct json_field *rows, const void *from)
{
	for (const struct json_field *f = rows; f->kind; f++) {
		const char *member = (const char *)from + f->offset;

		if (f->has && !f->has(from, s->user))
			continue;
		if (f->kind == &field_list)
			put_list(s, f, member);
		else if (f->key)
			put(s, f->key, json_field__make(f, from, s->user));
		else if (f->kind == &field_object)
			put_fields(s, f->arg, member);
		else
			put_several(s, f, member);
	}
}

void json__stream(const struct json_field *rows, const void *from, const void *user, FILE *out)
{
	struct stream s = {.out = out, .user = user};

	open_bracket(&s, '{');
	put_fields(&s, rows, from);
	close_bracket(&s, '}');
	fputc('\n', out);
}
