// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests reports in which one field is missing or has another value than bprof writes, as in reports
 * of older versions and of other programs: each is refused with the field's name, or is read and
 * rendered in every format.
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
#include "render/render.h"
#include "report/report.h"
#include "tests/unit/each_field.h"
#include "tests/unit/long_test.h"
#include "tests/unit/report_models.h"
#include "tests/unit/scratch_file.h"

static struct report *(*const models[])(int n) = {
	make_two_programs,   make_cells,	  make_per_cpu,	       make_repeats,
	make_tails,	     make_hist,		  make_blocks,	       make_bench,
	make_multiplexed,    make_thinned,	  make_thinned_auto,   make_samples,
	make_verify,	     make_notes,	  make_tree,	       make_followed,
	make_by_retval,	     make_by_key,	  make_system_per_cpu, make_system,
	make_system_repeats, make_system_skipped, make_interval,       make_followed_intervals,
};

static report_render_fn *const renderers[] = {
	report__render_text,	 report__render_json,  report__render_csv,
	report__render_tsv,	 report__render_pprof, report__render_trace_event,
	report__render_benchfmt, report__render_html,
};

static int fields_read, fields_refused;

/*
 * Checks that formats can be rendered, and show no missing string as "(null)": a quarter of the
 * formats in turn, as each field has many values, or all with BPROF_TEST_LONG=1.
 */
static void check_output(struct scratch_file *file, const struct report *r, const char *key)
{
	static const struct render_opts all[] = {
		{.sep = ",", .per_cpu = true, .dist = true, .verbose = 1, .header = true},
		{.sep = ",", .interval = true, .active = true, .top = 1, .header = true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(all) * ARRAY_SIZE(renderers); i++) {
		report_render_fn *render = renderers[i % ARRAY_SIZE(renderers)];
		const char *text;

		if (!is_long_test() && i % 4 != (size_t)fields_read % 4)
			continue;
		scratch_file__empty(file);
		assert_int_equal(
			report__render(r, render, &all[i / ARRAY_SIZE(renderers)], file->out), 0);
		text = scratch_file__text(file);
		if (render != report__render_pprof && strstr(text, "(null)"))
			fail_msg("%s: %s", key, text);
		if (render == report__render_text && strchr(text, '\x1b'))
			fail_msg("%s: %s", key, text);
	}
}

static void check_changed(void *arg, const char *text, const char *key, bool missing)
{
	struct report_source src = {.in = fmemopen((void *)text, strlen(text), "r")};
	struct report_error err = {};
	struct report *r = NULL;
	int ret = report__read(&src, &r, &err);

	if (ret) {
		assert_int_equal(ret, -EINVAL);
		assert_null(r);
		if (missing && strcmp(key, "tool") && !strstr(err.text, key))
			fail_msg("without %s: %s", key, err.text);
		assert_string_not_equal(err.text, "");
		assert_null(strchr(err.text, '\x1b'));
		fields_refused++;
	} else {
		check_output(arg, r, key);
		fields_read++;
	}
	report__free(r);
	fclose(src.in);
}

static void test_fields(void **state)
{
	static struct scratch_file file, json;
	json_t *seen = json_object();

	scratch_file__open(&file);
	scratch_file__open(&json);
	for (size_t i = 0; i < ARRAY_SIZE(models); i++) {
		struct report *r = models[i](0);

		scratch_file__empty(&json);
		assert_int_equal(report__render(r, report__render_json,
						&(struct render_opts){.per_cpu = true}, json.out),
				 0);
		report__free(r);
		check_each_field(scratch_file__text(&json), seen, &file, check_changed);
	}
	/* Some reports must be read and some refused, or the test tests nothing. */
	assert_true(fields_read > 500);
	assert_true(fields_refused > 500);
	json_decref(seen);
	fclose(file.out);
	fclose(json.out);
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
