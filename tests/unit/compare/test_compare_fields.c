// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Compares reports of which one field is missing or has another value than bprof writes, as reports
 * of older versions and of other programs have: the reports are refused with a reason, or compared,
 * and the comparison is rendered in every format.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <locale.h>
#include <stdio.h>

#include "base/util.h"
#include "compare/compare.h"
#include "render/render.h"
#include "tests/unit/compare_models.h"
#include "tests/unit/each_field.h"
#include "tests/unit/long_test.h"
#include "tests/unit/scratch_file.h"

static struct report *make_old_side(int n)
{
	return make_side(false);
}

static struct report *(*const models[])(int n) = {
	make_old_side, make_blocks, make_bench,	  make_by_retval, make_followed,
	make_tails,    make_tree,   make_samples, make_system,	  make_two_programs,
};

static comparison_render_fn *const renderers[] = {
	comparison__render_text,  comparison__render_json, comparison__render_markdown,
	comparison__render_junit, comparison__render_html,
};

struct changed {
	const struct report *whole;
	struct scratch_file file, json;
	int compared, refused;
};

static void render_all(struct changed *c, const struct comparison *cmp, const char *key)
{
	const struct compare_render_opts o = {
		.base_name = "a", .new_name = "b", .excuses = EXCUSE_ONE_SIDED, .verbose = 1};

	for (size_t i = 0; i < ARRAY_SIZE(renderers); i++) {
		/* each value is rendered by only two of the renderers, in turn, because there are many values */
		if (!is_long_test() && (i + c->compared) % ARRAY_SIZE(renderers) > 1)
			continue;
		scratch_file__empty(&c->file);
		assert_int_equal(comparison__render(cmp, renderers[i], &o, c->file.out), 0);
		if (strstr(scratch_file__text(&c->file), "(null)"))
			fail_msg("%s: %s", key, c->file.text);
	}
}

static void compare_sides(struct changed *c, const struct report *base, const struct report *new,
			  const char *key)
{
	struct compare_limits limits = {};
	struct compare_matches matches = {};
	const struct compare_opts o = {&limits, &matches, true};
	struct comparison *cmp = NULL;
	struct reason reason = {};
	int err = compare__reports(base, new, &o, &cmp, &reason);

	if (err) {
		assert_true(err == -ENODATA || err == -EINVAL);
		assert_string_not_equal(reason.detail, "");
		assert_null(strchr(reason.detail, '\x1b'));
		c->refused++;
	} else {
		render_all(c, cmp, key);
		c->compared++;
	}
	comparison__free(cmp);
}

static void check_changed(void *arg, const char *text, const char *key, bool missing)
{
	struct report_source src = {.in = fmemopen((void *)text, strlen(text), "r")};
	struct changed *c = arg;
	struct report_error err;
	struct report *r;

	if (!report__read(&src, &r, &err)) {
		compare_sides(c, c->whole, r, key);
		compare_sides(c, r, c->whole, key);
		report__free(r);
	}
	fclose(src.in);
}

static void test_fields(void **state)
{
	static struct changed c;
	json_t *seen = json_object();

	scratch_file__open(&c.file);
	scratch_file__open(&c.json);
	for (size_t i = 0; i < ARRAY_SIZE(models); i++) {
		struct report *r = models[i](0);

		c.whole = r;
		scratch_file__empty(&c.json);
		assert_int_equal(
			report__render(r, report__render_json, &(struct render_opts){}, c.json.out),
			0);
		check_each_field(scratch_file__text(&c.json), seen, &c, check_changed);
		report__free(r);
	}
	assert_true(c.compared > 500);
	assert_true(c.refused > 5);
	json_decref(seen);
	fclose(c.file.out);
	fclose(c.json.out);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8")) {
		fprintf(stderr, "this test needs the locale C.UTF-8\n");
		return 1;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
