// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests that docs/bprof-report.schema.json describes exactly the fields of the tables from which
 * reports and recordings are written: no field is missing, none is left over, and the types agree.
 * tests/schema.py checks the other documents by their contents.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>
#include <jansson.h>

#include "base/util.h"
#include "report/metric.h"
#include "report/report_head.h"
#include "sampling/record_json.h"

static json_t *defs; /* the schema's definitions */

/* Returns the definition to which the schema refers, or the schema itself. */
static json_t *resolve(json_t *schema)
{
	const char *ref = json_string_value(json_object_get(schema, "$ref"));
	json_t *def = ref ? json_object_get(defs, ref + strlen("#/$defs/")) : schema;

	assert_non_null(def);
	return def;
}

/* Returns the definition whose fields def has too, or NULL. */
static json_t *base_of(json_t *def)
{
	return json_object_get(def, "$ref") ? resolve(def) : NULL;
}

static json_t *find_property(json_t *def, const char *key)
{
	json_t *found = NULL;

	for (; def && !found; def = base_of(def))
		found = json_object_get(json_object_get(def, "properties"), key);
	return found;
}

static bool is_required(json_t *def, const char *key)
{
	json_t *required, *v;
	size_t i;

	for (; def; def = base_of(def)) {
		required = json_object_get(def, "required");
		json_array_foreach(required, i,
				   v) if (!strcmp(json_string_value(v), key)) return true;
	}
	return false;
}

/* Returns the properties of a definition. check_row() deletes those that a row writes. */
static json_t *all_properties(json_t *def)
{
	json_t *all = json_object();

	for (; def; def = base_of(def))
		assert_int_equal(json_object_update(all, json_object_get(def, "properties")), 0);
	return all;
}

static void assert_empty(json_t *left)
{
	const char *key;
	json_t *v;

	json_object_foreach(left, key, v)
		fail_msg("the schema has '%s', which no row of a table writes", key);
	json_decref(left);
}

static void check_rows(json_t *def, const struct json_field *rows, json_t *left);

static void check_object(json_t *def, const struct json_field *rows)
{
	json_t *left = all_properties(def);

	check_rows(def, rows, left);
	assert_empty(left);
}

static const char *type_of(const struct json_field *f)
{
	static const struct {
		const struct json_kind *kind;
		const char *type;
	} types[] = {
		{&field_string, "string"}, {&field_chars, "string"},  {&field_word, "string"},
		{&field_tag, "string"},	   {&field_time, "string"},   {&field_bytes, "string"},
		{&field_number, "number"}, {&field_amount, "number"}, {&field_share, "number"},
		{&field_u64, "integer"},   {&field_u32, "integer"},   {&field_int, "integer"},
		{&field_argv, "array"},	   {&field_list, "array"},
	};

	if (f->kind == &field_number && f->arg)
		return "integer";
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (types[i].kind == f->kind)
			return types[i].type;
	return f->kind == &field_bool ? (f->omit ? NULL : "boolean") : NULL;
}

static void check_type(const char *key, json_t *property, const struct json_field *f)
{
	const char *type = type_of(f), *found;

	found = json_string_value(json_object_get(resolve(property), "type"));
	if (type && (!found || strcmp(found, type)))
		fail_msg("%s: the type is %s, and %s in the schema", key, type, found ?: "none");
	if (f->kind == &field_bool && f->omit)
		assert_true(json_is_true(json_object_get(property, "const")));
}

static void check_keys(const char *const *name, size_t step, int cnt, json_t *left)
{
	for (int i = 0; i < cnt; i++, name = (const void *)((const char *)name + step))
		if (json_object_del(left, *name))
			fail_msg("%s is not in the schema", *name);
}

static void check_table(json_t *def, const struct json_table *t, json_t *left)
{
	check_keys(t->name, t->name_step, t->cnt, left);
	for (int i = 0; t->row.required && i < t->cnt; i++)
		assert_true(is_required(
			def, *(const char *const *)((const char *)t->name + i * t->name_step)));
}

static void check_tuple(json_t *def, const struct json_field *parts)
{
	size_t cnt = 0;

	for (; parts[cnt].kind; cnt++)
		check_type(parts[cnt].key, json_array_get(json_object_get(def, "prefixItems"), cnt),
			   &parts[cnt]);
	assert_int_equal(json_integer_value(json_object_get(def, "minItems")), cnt);
	assert_int_equal(json_integer_value(json_object_get(def, "maxItems")), cnt);
}

static const struct json_field *rows_of(const struct json_field *f)
{
	return f->kind == &field_part ? ((const struct json_part *)f->arg)->rows : f->arg;
}

/* Checks a value that is an object or an array, by its definition. */
static void check_inside(const char *key, json_t *property, const struct json_field *f)
{
	json_t *def = resolve(property), *left;
	const struct json_list *list = f->arg;

	if (f->kind == &field_object || f->kind == &field_pointed || f->kind == &field_part) {
		check_object(def, rows_of(f));
	} else if (f->kind == &field_list) {
		check_type(key, json_object_get(def, "items"), &list->elem);
		check_inside(key, json_object_get(def, "items"), &list->elem);
	} else if (f->kind == &field_tuple) {
		check_tuple(def, f->arg);
	} else if (f->kind == &field_table) {
		left = all_properties(def);
		check_table(def, f->arg, left);
		assert_empty(left);
	} else if (!strcmp(key, "metrics")) {
		left = all_properties(def);
		check_keys(&metrics[0].name, sizeof(metrics[0]), metric_cnt, left);
		assert_empty(left);
	}
}

static void check_row(json_t *def, const struct json_field *f, json_t *left)
{
	json_t *property = find_property(def, f->key);

	if (!property)
		fail_msg("%s is not in the schema", f->key);
	if (json_object_del(left, f->key))
		fail_msg("%s: two rows write it", f->key);
	if (!*(json_string_value(json_object_get(property, "description")) ?: ""))
		fail_msg("%s has no description", f->key);
	if (f->required && !is_required(def, f->key))
		fail_msg("%s: bprof refuses documents without it; the schema does not", f->key);
	if ((f->omit || f->has) && is_required(def, f->key))
		fail_msg("%s may be left out; the schema requires it", f->key);
	check_type(f->key, property, f);
	check_inside(f->key, property, f);
}

static void check_rows(json_t *def, const struct json_field *rows, json_t *left)
{
	for (const struct json_field *f = rows; f->kind; f++) {
		if (f->key)
			check_row(def, f, left);
		else if (f->kind == &field_table)
			check_table(def, f->arg, left);
		else
			check_rows(def, rows_of(f), left);
	}
}

/* Checks the document "name". The field called key, its version, is in no table. */
static void check_document(const char *name, const char *key, const struct json_field *rows)
{
	json_t *def = json_object_get(defs, name), *left = all_properties(def);

	assert_int_equal(json_object_del(left, key), 0);
	check_rows(def, rows, left);
	assert_empty(left);
}

static void test_report(void **state)
{
	check_document("report", "schema", report_rows);
}

static void test_recording(void **state)
{
	check_document("recording", "record", record_rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_report),
		cmocka_unit_test(test_recording),
	};
	json_error_t err;
	json_t *schema = json_load_file("docs/bprof-report.schema.json", 0, &err);
	int failed;

	if (!schema) {
		fprintf(stderr, "docs/bprof-report.schema.json:%d: %s\n", err.line, err.text);
		return 1;
	}
	defs = json_object_get(schema, "$defs");
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	json_decref(schema);
	return failed;
}
