// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests reading saved comparisons, written by hand: the labels of programs, sizes that only one
 * report has, and documents that are too large.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>

#include "base/util.h"
#include "compare/compare.h"
#include "tests/unit/compare_models.h"

/* Makes a comparison with these rows and sizes. The caller frees it. */
static json_t *make_doc(const char *rows, const char *sizes)
{
	json_t *doc;
	char *text;

	assert_true(asprintf(&text,
			     "{\"schema\": 1, \"tool\": \"bprof\", \"version\": \"9.8\", "
			     "\"verdict\": \"same\", \"base\": \"a\", \"new\": \"b\", "
			     "\"counts\": {}, \"differences\": [], "
			     "\"comparisons\": [%s], \"sizes\": [%s]}",
			     rows, sizes) > 0);
	doc = json_loads(text, 0, NULL);
	assert_non_null(doc);
	free(text);
	return doc;
}

static int parse(json_t *doc, struct compare_saved *saved, struct report_error *err)
{
	const struct report_source src = {.kind = "comparison", .line = 1};

	*err = (struct report_error){.line = 1};
	return compare_saved__parse(&src, doc, saved, err);
}

/* The end of a row, after the names of its program. */
#define VALUES                                                                               \
	"\"type\": \"xdp\", \"event\": \"time\", \"unit\": \"ns\", \"stat\": \"p50\", "      \
	"\"exact\": false, \"base\": 2, \"new\": 3, \"base_blocks\": 0, \"new_blocks\": 0, " \
	"\"verdict\": \"same\"}"

/* A program has the label that the document has, also if it is one that bprof never writes. */
static void test_labels(void **state)
{
	static const struct {
		const char *label, *func;
		bool subprog;
	} cases[] = {
		{"lb", "lb", false},
		{"lb:parse", "parse", true},
		{"a:parse", "parse", true},
		{"xdp_parse", "parse", false},
		{":parse", "parse", false},
		{"e", "parse", false},
		{"lb:", "", false},
		{"lb:other", "parse", false},
		{"lb:parse2", "parse", false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char row[1024], label[COMPARE_LABEL_SZ];
		struct compare_saved saved;
		struct report_error err;
		json_t *doc;

		snprintf(
			row, sizeof(row),
			"{\"program\": \"%s\", \"base_program\": \"%s\", \"func\": \"%s\", " VALUES,
			cases[i].label, cases[i].label, cases[i].func);
		doc = make_doc(row, "");
		if (parse(doc, &saved, &err))
			fail_msg("%s", err.text);
		assert_string_equal(compare_row__label(&saved.c->row[0], label), cases[i].label);
		assert_int_equal(saved.c->row[0].base->subprog, cases[i].subprog);
		compare_saved__free(&saved);
		json_decref(doc);
	}
}

/* If only one report has a program, its sizes have only "base" or only "new", which shows which report has it. */
static void test_one_sided_sizes(void **state)
{
	for (int id = 0; id < SIZE_CNT; id++) {
		for (int is_new = 0; is_new < 2; is_new++) {
			struct compare_saved saved;
			struct report_error err;
			char size[256];
			json_t *doc;

			snprintf(size, sizeof(size), "{\"program\": \"lb\", \"%s\": {\"%s\": 5}}",
				 size_specs[id].name, is_new ? "new" : "base");
			doc = make_doc("", size);
			if (parse(doc, &saved, &err))
				fail_msg("%s", err.text);
			assert_int_equal(saved.c->size_cnt, 1);
			assert_int_equal(!saved.c->size[0].base, is_new);
			assert_int_equal(!saved.c->size[0].new, !is_new);
			compare_saved__free(&saved);
			json_decref(doc);
		}
	}
}

/* A comparison that is written again keeps the version of the bprof that compared. */
static void test_version(void **state)
{
	struct compare_render_opts o = {.one_line = true};
	struct compare_saved saved;
	struct report_error err;
	json_t *doc = make_doc("", ""), *again;
	char *text;

	assert_int_equal(parse(doc, &saved, &err), 0);
	o.version = saved.version;
	o.base_name = saved.base_name;
	o.new_name = saved.new_name;
	text = render_comparison(saved.c, comparison__render_json, &o);
	again = json_loads(text, 0, NULL);
	assert_string_equal(json_string_value(json_object_get(again, "version")), "9.8");
	compare_saved__free(&saved);
	json_decref(again);
	json_decref(doc);
	free(text);
}

/* Each entry of a suite has limits of its own: there may be more than one entry can have. */
static void test_many_limits(void **state)
{
	json_t *doc = make_doc("", ""), *rows = json_object_get(doc, "comparisons");
	struct compare_saved saved;
	struct report_error err;
	char limit[64];

	for (int i = 0; i < 2 * COMPARE_MAX_LIMITS; i++) {
		json_t *row =
			json_loads("{\"program\": \"lb\", \"func\": \"lb\", " VALUES, 0, NULL);

		snprintf(limit, sizeof(limit), "time:p50>%d%%", i % (COMPARE_MAX_LIMITS + 5));
		json_object_set_new(row, "limit", json_string(limit));
		json_array_append_new(rows, row);
	}
	if (parse(doc, &saved, &err))
		fail_msg("%s", err.text);
	for (int i = 0; i < saved.c->row_cnt; i++) {
		snprintf(limit, sizeof(limit), "time:p50>%d%%", i % (COMPARE_MAX_LIMITS + 5));
		assert_string_equal(saved.c->row[i].limit->spec, limit);
	}
	compare_saved__free(&saved);
	json_decref(doc);
}

/*
 * A document is refused before bprof makes a program for each row, which would take time and
 * memory.
 */
static void test_too_many(void **state)
{
	json_t *doc = make_doc("", ""), *rows = json_object_get(doc, "comparisons");
	struct compare_saved saved;
	struct report_error err;

	for (int i = 0; i < (64 << 10) + 1; i++)
		json_array_append_new(rows, json_null());
	assert_int_equal(parse(doc, &saved, &err), -EINVAL);
	assert_string_equal(err.text, "too many rows");
	json_decref(doc);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_labels),	 cmocka_unit_test(test_one_sided_sizes),
		cmocka_unit_test(test_version),	 cmocka_unit_test(test_many_limits),
		cmocka_unit_test(test_too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
