// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads the elements of a map from JSON. Owns the format of the file. Must not know how a single
 * value becomes bytes (json_encode.c), or which maps accept elements.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "host/cpus.h"
#include "json/json_encode.h"
#include "json/json_lenient.h"
#include "object/map_file.h"

static size_t padded(size_t sz)
{
	return (sz + 7) / 8 * 8;
}

static int parse_part(struct json_encoder *e, const char *name, const json_t *v, __u32 type,
		      __u8 *data, size_t sz)
{
	int err;

	json_path__enter_field(&e->path, name);
	err = json_encoder__write(e, type, v, data, sz);
	e->path.depth--;
	return err;
}

/* Returns a CPU's index in the possible CPUs, and so in a per-CPU map's values, or -EINVAL. */
static int find_cpu(struct json_encoder *e, const struct cpus *cpus, const json_t *v)
{
	char list[64];

	for (int i = 0; v && i < cpus->cnt; i++)
		if (json_is_integer(v) && json_integer_value(v) == cpus->id[i])
			return i;
	return json_encoder__refuse(e, "\"cpu\": expected one of this machine's: %s",
				    cpus__format(cpus, list, sizeof(list)));
}

static int parse_cpu_value(struct json_encoder *e, const struct map_shape *shape, const json_t *v,
			   __u8 *data)
{
	const json_t *value = json_object_get(v, "value");
	int cpu;

	if (!json_is_object(v) || !value)
		return json_encoder__refuse(e, "expected {\"cpu\": ..., \"value\": ...}");
	cpu = find_cpu(e, shape->cpus, json_object_get(v, "cpu"));
	if (cpu < 0)
		return cpu;
	return parse_part(e, "value", value, shape->value_type,
			  data + cpu * padded(shape->value_sz), shape->value_sz);
}

static int parse_cpu_values(struct json_encoder *e, const struct map_shape *shape, const json_t *v,
			    __u8 *data)
{
	int err = 0;

	if (!json_is_array(v))
		return json_encoder__refuse_type(e, "an array", v);
	for (size_t i = 0; !err && i < json_array_size(v); i++) {
		json_path__enter_element(&e->path, i);
		err = parse_cpu_value(e, shape, json_array_get(v, i), data);
		e->path.depth--;
	}
	return err;
}

static int parse_value(struct json_encoder *e, const struct map_shape *shape, const json_t *elem,
		       __u8 *data)
{
	const json_t *value = json_object_get(elem, "value");
	const json_t *values = json_object_get(elem, "values");
	int err;

	if (!value == !values)
		return json_encoder__refuse(
			e, values ? "\"value\" and \"values\": give only one of them"
				  : "\"value\" is missing");
	if (values && !shape->cpus)
		return json_encoder__refuse(e, "\"values\": this is not a per-CPU map");
	if (values) {
		json_path__enter_field(&e->path, "values");
		err = parse_cpu_values(e, shape, values, data);
		e->path.depth--;
		return err;
	}
	err = parse_part(e, "value", value, shape->value_type, data, shape->value_sz);
	for (int i = 1; !err && shape->cpus && i < shape->cpus->cnt; i++)
		memcpy(data + i * padded(shape->value_sz), data, shape->value_sz);
	return err;
}

static int check_fields(struct json_encoder *e, const json_t *elem)
{
	static const char *const known[] = {"key", "value", "values", "formatted"};
	const char *name;
	json_t *field;

	if (!json_is_object(elem))
		return json_encoder__refuse_type(e, "{\"key\": ..., \"value\": ...}", elem);
	json_object_foreach((json_t *)elem, name, field)
	{
		bool found = false;

		for (size_t i = 0; i < ARRAY_SIZE(known); i++)
			found |= !strcmp(name, known[i]);
		if (!found)
			return json_encoder__refuse(
				e, "'%.60s': an element has \"key\" and \"value\"", name);
	}
	return 0;
}

static int parse_elem(struct json_encoder *e, const struct map_shape *shape, const json_t *elem,
		      __u8 *key, __u8 *value)
{
	const json_t *k = json_object_get(elem, "key");
	int err = check_fields(e, elem);

	if (err)
		return err;
	if (!k != !shape->key_sz)
		return json_encoder__refuse(e, k ? "\"key\": this map has no keys"
						 : "\"key\" is missing");
	if (k)
		err = parse_part(e, "key", k, shape->key_type, key, shape->key_sz);
	return err ?: parse_value(e, shape, elem, value);
}

static int parse_elems(const json_t *doc, const struct map_shape *shape, struct map_elems *out,
		       struct json_encoder *e)
{
	size_t cnt = json_array_size(doc);
	int err = 0;

	if (!json_is_array(doc))
		return json_encoder__refuse_type(e, "an array of {\"key\": ..., \"value\": ...}",
						 doc);
	out->key_sz = shape->key_sz;
	out->value_sz = shape->cpus ? shape->cpus->cnt * padded(shape->value_sz) : shape->value_sz;
	/* One element more than needed, because calloc(0, …) may return NULL. */
	out->keys = xcalloc(cnt + 1, out->key_sz + 1);
	out->values = xcalloc(cnt + 1, out->value_sz + 1);
	out->cnt = cnt;
	for (size_t i = 0; !err && i < cnt; i++) {
		json_path__enter_element(&e->path, i);
		err = parse_elem(e, shape, json_array_get(doc, i), out->keys + i * out->key_sz,
				 out->values + i * out->value_sz);
		e->path.depth--;
	}
	return err;
}

int map_elems__parse(const char *json, const struct map_shape *shape, struct map_elems *out,
		     struct map_file_error *err)
{
	struct json_encoder e = {.btf = shape->btf};
	json_error_t jerr;
	json_t *doc;
	int ret;

	*out = (struct map_elems){};
	*err = (struct map_file_error){};
	ret = json_lenient__load(json, 0, &doc, &jerr);
	if (ret) {
		err->line = jerr.line;
		snprintf(err->text, sizeof(err->text), "%s", json__syntax_text(&jerr));
		return ret;
	}
	ret = parse_elems(doc, shape, out, &e);
	if (ret)
		snprintf(err->text, sizeof(err->text), "%s", e.text);
	json_decref(doc);
	return ret;
}

void map_elems__free(struct map_elems *elems)
{
	free(elems->keys);
	free(elems->values);
	*elems = (struct map_elems){};
}
