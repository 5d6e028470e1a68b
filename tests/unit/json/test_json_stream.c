// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests that documents which are written a value at a time are the same as those which are made as a
 * whole, and that they take no more memory the longer they are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "json/json_ascii.h"
#include "json/json_stream.h"
#include "tests/unit/json_memory.h"

struct point {
	__u32 x;
	double y;
};

struct inner {
	char *name;
	struct point *point;
	int point_cnt;
};

struct outer {
	bool set;
	char *text;
	struct point at, *elsewhere;
	struct inner *inner;
	int inner_cnt;
	double amount[2];
};

#define INNER(field) offsetof(struct inner, field)
#define OUTER(field) offsetof(struct outer, field)

static const struct {
	const char *name;
} amount_specs[] = {{"first"}, {"second"}};

HAS(is_set, struct outer, o, o->set)

static const struct json_field point_rows[] = {
	FIELD("x", u32, offsetof(struct point, x)),
	FIELD("y", number, offsetof(struct point, y)),
	{},
};

static const struct json_field empty_rows[] = {{}};

static const struct json_field inner_rows[] = {
	FIELD("name", string, INNER(name), .omit = true),
	FIELD("tuples", list, 0,
	      .arg = LIST(struct inner, point, point_cnt, tuple, .elem.arg = point_rows)),
	FIELD("points", list, 0, .omit = true,
	      .arg = LIST(struct inner, point, point_cnt, object, .elem.arg = point_rows)),
	{},
};

static const struct json_field embedded_rows[] = {
	FIELD("amounts", table, OUTER(amount), .arg = TABLE(amount_specs, number, double)),
	FIELD("text", string, OUTER(text)),
	{},
};

static const struct json_field outer_rows[] = {
	FIELD("set", bool, OUTER(set), .omit = true),
	FIELD("only_if_set", object, OUTER(at), .arg = point_rows, .has = is_set),
	FIELD("nothing", object, 0, .arg = empty_rows),
	FIELD("no_object", object, 0, .arg = empty_rows, .omit = true),
	FIELD(NULL, object, 0, .arg = embedded_rows),
	FIELD(NULL, pointed, OUTER(elsewhere), .arg = point_rows),
	FIELD(NULL, table, OUTER(amount), .arg = TABLE(amount_specs, number, double)),
	FIELD("inner", list, 0,
	      .arg = LIST(struct outer, inner, inner_cnt, object, .elem.arg = inner_rows)),
	{},
};

static struct point points[] = {{1, 0.1}, {2, NAN}, {3, -1e300}};
static struct inner inners[] = {
	{"a\nb\x7f\xff\"\\\033[m", points, 3}, {}, {"one", points, 1}, {"none", NULL, 0}};

static char *write_with(void (*write)(const struct outer *o, FILE *out), const struct outer *o)
{
	char *text = NULL;
	size_t sz = 0;
	FILE *out = text__open(&text, &sz);

	write(o, out);
	fclose(out);
	return text;
}

static void write_whole(const struct outer *o, FILE *out)
{
	json_t *doc = json_object();

	json__set_fields(doc, outer_rows, o, NULL);
	json__print(doc, JSON_INDENTED, out);
}

static void write_stream(const struct outer *o, FILE *out)
{
	json__stream(outer_rows, o, NULL, out);
}

static const struct outer outers[] = {
	{true, "text", {1, 2}, &points[0], inners, ARRAY_SIZE(inners), {1, 2}},
	{false, NULL, {1, 2}, &points[1], inners, 1, {NAN, 2}},
	{false, "", {}, &points[2], NULL, 0, {NAN, INFINITY}},
};

static void test_same(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(outers); i++) {
		char *whole = write_with(write_whole, &outers[i]);
		char *stream = write_with(write_stream, &outers[i]);

		if (strcmp(whole, stream))
			fail_msg("%s instead of %s", stream, whole);
		free(whole);
		free(stream);
	}
}

/* ---- memory ---- */

static void test_long(void **state)
{
	struct point *many = calloc(10000, sizeof(*many));
	struct inner long_one = {"long", many, 10000};
	struct outer o = {.elsewhere = points, .inner = &long_one, .inner_cnt = 1};
	FILE *out = fopen("/dev/null", "w");

	assert_true(many && out);
	count_json_memory();
	json__stream(outer_rows, &o, NULL, out);
	end_json_memory(10000);
	fclose(out);
	free(many);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
