// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests that one row of a table defines how a field is written and read: every kind of value in
 * both directions, what is left out, and what is refused with which message.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/util.h"
#include "json/json_fields.h"

struct point {
	double x, y;
};

struct thing {
	char *name, *nick;
	char **argv;
	char kind[8], tail[8];
	bool on, odd;
	struct timespec when;
	double mean, cost, share, answer;
	struct point *other;
	__u64 runs, from_one;
	__u32 id;
	int depth;
	__u8 *data, *code;
	__u32 data_sz, code_sz;
	struct {
		double low, high;
	} inner;
	double stat[2];
	__u64 lost[2];
	struct point *point;
	int point_cnt;
	char **note;
	int note_cnt;
	struct thing *child;
	int child_cnt;
};

#define THING(field) offsetof(struct thing, field)

static const struct {
	int order;
	const char *name;
} stats[] = {{7, "mean"}, {8, "p99"}};

static const struct json_range from_one = {1, UINT64_MAX}, depth_range = {0, 256};
static const struct json_range answers = {42, UINT32_MAX};
static const struct json_bytes data_bytes = {THING(data), THING(data_sz)};
static const struct json_bytes code_bytes = {THING(code), THING(code_sz)};

static const struct json_field other_rows[] = {
	FIELD("other_x", number, offsetof(struct point, x)),
	{},
};

static const struct json_field inner_rows[] = {
	FIELD("low", number, THING(inner.low), .required = true),
	FIELD("high", number, THING(inner.high)),
	{},
};

static int check_inner(struct json_reader *rd, json_t *v, void *to)
{
	struct thing *t = to;

	return t->inner.low > t->inner.high ? json_reader__refuse(rd, "not in order") : 0;
}

static const struct json_field point_rows[] = {
	FIELD("x", number, offsetof(struct point, x)),
	FIELD("y", number, offsetof(struct point, y)),
	{},
};

static void *add_child(void *owner)
{
	struct thing *t = owner, *child = array__add(&t->child, &t->child_cnt, sizeof(*child));

	child->mean = 42;
	return child;
}

static const struct json_field child_rows[] = {
	FIELD(NULL, table, THING(stat), .arg = TABLE(stats, number, double)),
	FIELD("id", u32, THING(id), .required = true),
	{},
};

static bool is_shared(const void *obj, const void *user)
{
	return user;
}

static const struct json_field rows[] = {
	FIELD("tool", const, 0, .arg = "bprof"),
	FIELD("name", string, THING(name), .required = true),
	FIELD("nick", string, THING(nick), .omit = true),
	FIELD("argv", argv, THING(argv), .omit = true),
	FIELD("kind", chars, THING(kind)),
	FIELD("tail", chars, THING(tail), .omit = true),
	FIELD("on", bool, THING(on)),
	FIELD("odd", bool, THING(odd), .omit = true),
	FIELD("when", time, THING(when)),
	FIELD("mean", number, THING(mean)),
	FIELD("cost", amount, THING(cost)),
	FIELD("share", share, THING(share), .has = is_shared),
	FIELD("runs", u64, THING(runs)),
	FIELD("from_one", u64, THING(from_one), .omit = true, .arg = &from_one),
	FIELD("answer", number, THING(answer), .arg = &answers),
	FIELD(NULL, pointed, THING(other), .arg = other_rows),
	FIELD("id", u32, THING(id)),
	FIELD("depth", int, THING(depth), .arg = &depth_range),
	FIELD("data", bytes, 0, .arg = &data_bytes),
	FIELD("code", bytes, 0, .omit = true, .arg = &code_bytes),
	FIELD("inner", object, 0, .arg = inner_rows, .check = check_inner),
	FIELD("stats", table, THING(stat), .omit = true, .arg = TABLE(stats, number, double)),
	FIELD("lost", table, THING(lost), .arg = TABLE(stats, u64, __u64, .row.required = true)),
	FIELD("points", list, 0, .omit = true,
	      .arg = LIST(struct thing, point, point_cnt, tuple, .elem.arg = point_rows)),
	FIELD("notes", list, 0, .arg = LIST(struct thing, note, note_cnt, string)),
	FIELD("children", list, 0, .omit = true,
	      .arg = LIST(struct thing, child, child_cnt, object, .elem.arg = child_rows,
			  .add = add_child, .max = 2)),
	{},
};

static char *write_thing(const struct thing *t, bool shared)
{
	json_t *obj = json_object();
	char *text;

	json__set_fields(obj, rows, t, shared ? t : NULL);
	text = json_dumps(obj, JSON_COMPACT | JSON_ENSURE_ASCII);
	assert_non_null(text);
	json_decref(obj);
	return text;
}

static struct point other[1];

static int read_thing(struct thing *t, const char *json, char *why, size_t why_sz)
{
	struct json_reader rd = {.text = why, .text_sz = why_sz};
	json_t *doc = json_loads(json, 0, NULL);
	int err;

	assert_non_null(doc);
	*t = (struct thing){.mean = NAN, .cost = NAN, .share = NAN, .answer = NAN, .depth = 7};
	t->other = other;
	*why = '\0';
	err = json_reader__object(&rd, doc, rows, t);
	json_decref(doc);
	return err;
}

static void free_thing(struct thing *t)
{
	for (char **arg = t->argv; arg && *arg; arg++)
		free(*arg);
	for (int i = 0; i < t->note_cnt; i++)
		free(t->note[i]);
	free(t->argv);
	free(t->name);
	free(t->nick);
	free(t->data);
	free(t->code);
	free(t->point);
	free(t->note);
	free(t->child);
}

static const char all[] =
	"{\"tool\":\"bprof\",\"name\":\"n\",\"nick\":\"\",\"argv\":[\"a\",\"b\"],\"kind\":"
	"\"k\\uFFFD\",\"tail\":\"t\",\"on\":true,"
	"\"odd\":true,\"when\":\"2026-01-31T12:00:00Z\",\"mean\":-1.5,\"cost\":2,\"share\":0.25,"
	"\"runs\":9223372036854775807,\"from_one\":1,\"answer\":4294967295,\"other_x\":3,\"id\":"
	"4294967295,"
	"\"depth\":256,"
	"\"data\":\"00ff7a\",\"code\":\"\",\"inner\":{\"low\":1,\"high\":2},"
	"\"stats\":{\"mean\":7,\"p99\":8},\"lost\":{\"mean\":0,\"p99\":2},"
	"\"points\":[[1,2],[3.5,4]],\"notes\":[\"x\",\"y\"],"
	"\"children\":[{\"mean\":5,\"p99\":6,\"id\":1},{\"p99\":6,\"id\":0}]}";

static void test_all(void **state)
{
	struct thing t;
	char why[100], *text;

	assert_int_equal(read_thing(&t, all, why, sizeof(why)), 0);
	assert_string_equal(t.argv[1], "b");
	assert_null(t.argv[2]);
	assert_int_equal(t.when.tv_sec, 1769860800);
	assert_int_equal(t.data_sz, 3);
	assert_memory_equal(t.data, "\x00\xff\x7a", 3);
	assert_true(t.stat[1] == 8 && t.lost[1] == 2 && t.point[1].x == 3.5);
	assert_int_equal(t.child_cnt, 2);
	assert_true(t.child[0].stat[0] == 5 && t.child[1].mean == 42);
	/*
	 * the text does not have a statistic of the second child, which keeps the value that
	 * add_child() has set
	 */
	t.child[1].stat[0] = NAN;
	strcpy(t.kind, "k\xff");
	strcpy(t.tail, "t");
	text = write_thing(&t, true);
	assert_string_equal(text, all);
	free(text);
	free_thing(&t);
}

/* Unknown values are left out of the written object, and are still unknown when it is read. */
static void test_minimal(void **state)
{
	static const char minimal[] =
		"{\"tool\":\"bprof\",\"name\":\"\",\"kind\":\"\",\"on\":false,"
		"\"when\":\"1970-01-01T00:00:00Z\",\"runs\":0,\"id\":0,"
		"\"depth\":0,\"data\":\"\",\"inner\":{\"low\":0,\"high\":0},"
		"\"lost\":{\"mean\":0,\"p99\":0},\"notes\":[]}";
	struct point none = {NAN, NAN};
	struct thing t = {.mean = NAN,
			  .cost = NAN,
			  .share = .5,
			  .answer = NAN,
			  .stat = {NAN, INFINITY},
			  .other = &none};
	char why[100], *text = write_thing(&t, false);

	assert_string_equal(text, minimal);
	free(text);
	assert_int_equal(read_thing(&t, "{\"name\":\"n\",\"new\":{\"a\":null}}", why, sizeof(why)),
			 0);
	assert_true(isnan(t.mean) && isnan(t.share) && t.depth == 7);
	assert_null(t.nick);
	assert_null(t.argv);
	assert_int_equal(t.note_cnt, 0);
	free_thing(&t);
}

static void test_refused(void **state)
{
	static const struct {
		const char *field, *why;
	} cases[] = {
		{"\"nick\":1", "nick: expected a string, found a number"},
		{"\"argv\":{}", "argv: expected an array, found an object"},
		{"\"argv\":[\"a\",null]", "argv[1]: expected a string, found null"},
		{"\"on\":0", "on: expected true or false, found a number"},
		{"\"when\":7", "when: expected a string, found a number"},
		{"\"when\":\"2026-02-30T00:00:00Z\"",
		 "when: expected a time as 2026-01-31T00:00:00Z"},
		{"\"when\":\"x\"", "when: expected a time as 2026-01-31T00:00:00Z"},
		{"\"when\":\"2026-01-31T00:00:00Z \"",
		 "when: expected a time as 2026-01-31T00:00:00Z"},
		{"\"mean\":\"1\"", "mean: expected a number, found a string"},
		{"\"cost\":-1", "cost: expected a number of at least 0"},
		{"\"share\":0", "share: expected a number above 0 and up to 1"},
		{"\"share\":1.5", "share: expected a number above 0 and up to 1"},
		{"\"runs\":-5", "runs: expected a number from 0 to 18446744073709551615"},
		{"\"runs\":1.5", "runs: expected a whole number"},
		{"\"runs\":1e20", "runs: expected a number from 0 to 18446744073709551615"},
		{"\"from_one\":0", "from_one: expected a number from 1 to 18446744073709551615"},
		{"\"id\":4294967296", "id: expected a number from 0 to 4294967295"},
		{"\"depth\":257", "depth: expected a number from 0 to 256"},
		{"\"answer\":41", "answer: expected a number from 42 to 4294967295"},
		{"\"answer\":1.5", "answer: expected a whole number"},
		{"\"other_x\":[]", "other_x: expected a number, found an array"},
		{"\"data\":[0]", "data: expected a string, found an array"},
		{"\"data\":\"g0\"", "data: expected hexadecimal digits"},
		{"\"data\":\"0g\"", "data: expected hexadecimal digits"},
		{"\"data\":\"001\"", "data: an odd number of digits"},
		{"\"inner\":[]", "inner: expected an object, found an array"},
		{"\"inner\":{}", "inner.low: is missing"},
		{"\"inner\":{\"low\":2,\"high\":1}", "inner: not in order"},
		{"\"stats\":1", "stats: expected an object, found a number"},
		{"\"stats\":{\"p99\":true}", "stats.p99: expected a number, found true"},
		{"\"lost\":{\"mean\":1}", "lost.p99: is missing"},
		{"\"points\":[[1,2],[1]]", "points[1]: expected [x, y]"},
		{"\"points\":[{}]", "points[0]: expected [x, y]"},
		{"\"points\":[[1,\"2\"]]", "points[0][1]: expected a number, found a string"},
		{"\"notes\":true", "notes: expected an array, found true"},
		{"\"children\":[{\"id\":1},{}]", "children[1].id: is missing"},
		{"\"children\":[{\"id\":1},{\"id\":2},{}]", "children[2]: more than 2 children"},
	};
	char json[200], why[100];
	struct thing t;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(json, sizeof(json), "{\"name\":\"n\",%s}", cases[i].field);
		assert_int_equal(read_thing(&t, json, why, sizeof(why)), -EINVAL);
		assert_string_equal(why, cases[i].why);
		free_thing(&t);
	}
	assert_int_equal(read_thing(&t, "{}", why, sizeof(why)), -EINVAL);
	assert_string_equal(why, "name: is missing");
	assert_int_equal(read_thing(&t, "[]", why, sizeof(why)), -EINVAL);
	assert_string_equal(why, "expected an object, found an array");
	/* the message is truncated, and never exceeds the buffer */
	assert_int_equal(read_thing(&t, "{\"name\":1}", why, 10), -EINVAL);
	assert_string_equal(why, "name: exp");
}

/* Whole numbers may be written as reals. The real for the largest number may be a little larger. */
static void test_whole_reals(void **state)
{
	static const struct {
		const char *number;
		__u64 want;
	} cases[] = {
		{"0", 0},
		{"0.0", 0},
		{"5.0", 5},
		{"1e19", 10000000000000000000ULL},
		{"18446744073709551616.0", UINT64_MAX},
		{"1.84467440737096e19", UINT64_MAX},
		{"1.8446744073709736e19", UINT64_MAX}, /* 2^64 * (1 + 1e-14) */
	};
	char json[100], why[100];
	struct thing t;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(json, sizeof(json), "{\"name\":\"\",\"runs\":%s,\"share\":1}",
			 cases[i].number);
		assert_int_equal(read_thing(&t, json, why, sizeof(why)), 0);
		assert_true(t.runs == cases[i].want);
		assert_true(t.share == 1);
		free_thing(&t);
	}
	assert_int_equal(
		read_thing(&t, "{\"name\":\"\",\"runs\":1.844674407370975e19}", why, sizeof(why)),
		-EINVAL);
	free_thing(&t);
}

/* A time outside of the calendar is written as an empty text. */
static void test_no_time(void **state)
{
	struct thing t = {.when.tv_sec = INT64_MAX, .other = other};
	char *text = write_thing(&t, false);

	assert_non_null(strstr(text, "\"when\":\"\""));
	free(text);
}

static void test_keys(void **state)
{
	static const struct json_field key_rows[] = {
		FIELD("x", number, 0),
		FIELD("y", number, 0),
		FIELD("other_x", number, 0),
		{},
	};
	static const struct {
		const char *json, *why;
	} cases[] = {
		{"{}", ""},
		{"{\"y\":1}", ""},
		{"{\"y\":1,\"x\":2}", ""},
		{"{\"x\":1,\"z\":2}", "\"z\": no such key"},
		{"{\"otherx\":1}", "\"otherx\": no such key; did you mean 'other_x'?"},
		{"{\"\":1}", "\"\": no such key"},
		{"{\"width\":1}", "\"width\": no such key"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char why[100] = "";
		struct json_reader rd = {.text = why, .text_sz = sizeof(why)};
		json_t *doc = json_loads(cases[i].json, 0, NULL);

		assert_int_equal(json_reader__check_keys(&rd, doc, key_rows),
				 *cases[i].why ? -EINVAL : 0);
		assert_string_equal(why, cases[i].why);
		json_decref(doc);
	}
}

/*
 * If a path is too long for the message, the message is the beginning of the path and nothing else.
 */
static void test_long_path(void **state)
{
	static const struct {
		size_t sz;
		const char *path, *why;
	} cases[] = {
		{1, "", ""},
		{4, "inn", "inn"},
		{5, "inne", "inne"},
		{6, "inner", "inner"},
		{10, "inner.low", "inner.low"},
		{11, "inner.low", "inner.low:"},
		{12, "inner.low", "inner.low: "},
		{22, "inner.low", "inner.low: is missing"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct json_path path = {};
		char why[40], text[40];
		struct thing t;

		assert_int_equal(read_thing(&t, "{\"name\":\"\",\"inner\":{}}", why, cases[i].sz),
				 -EINVAL);
		assert_string_equal(why, cases[i].why);
		free_thing(&t);
		assert_int_equal(json_path__enter_field(&path, "inner"), 0);
		assert_int_equal(json_path__enter_field(&path, "low"), 0);
		json_path__print(&path, text, cases[i].sz);
		assert_string_equal(text, cases[i].path);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),	  cmocka_unit_test(test_minimal),
		cmocka_unit_test(test_refused),	  cmocka_unit_test(test_whole_reals),
		cmocka_unit_test(test_no_time),	  cmocka_unit_test(test_keys),
		cmocka_unit_test(test_long_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
