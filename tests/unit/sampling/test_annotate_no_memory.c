// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tests recordings and annotations that are short of memory: they fail, or are complete. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sampling/annotate.h"
#include "tests/unit/output_no_memory.h"

#define RECORDING "tests/golden/record/hot_loop_x86_64.json"

/* LLVM ends a process that is short of memory: this test has none. */
#include "sampling/disasm_none.c"

static int read_record(struct record **out)
{
	FILE *in = fopen(RECORDING, "r");
	struct report_error err = {};
	int ret = in ? record__read(in, out, &err) : -errno;

	if (in)
		fclose(in);
	return ret;
}

/* A recording that is read and written again. */
static int write_record(const void *model, FILE *out)
{
	struct record *r = NULL;
	int err = read_record(&r) ?: record__write(r, out);

	record__free(r);
	return err;
}

static int write_annotation(const struct record *r, annotation_render_fn *fn, FILE *out)
{
	static const struct annotate_opts o;
	struct annotation *a = NULL;
	int err = annotate(r, &o, &a) ?: annotation__render(a, fn, &o, out);

	annotation__free(a);
	return err;
}

static int write_text(const void *model, FILE *out)
{
	return write_annotation(model, annotation__print_text, out);
}

static int write_json(const void *model, FILE *out)
{
	return write_annotation(model, annotation__print_json, out);
}

static int write_html(const void *model, FILE *out)
{
	return write_annotation(model, annotation__print_html, out);
}

static int write_folded(const void *model, FILE *out)
{
	return write_annotation(model, annotation__print_folded, out);
}

static void test_record(void **state)
{
	check_without_memory(write_record, NULL);
}

static void test_annotations(void **state)
{
	static write_model_fn *const writers[] = {write_text, write_json, write_html, write_folded};
	struct record *r;

	assert_int_equal(read_record(&r), 0);
	for (size_t i = 0; i < sizeof(writers) / sizeof(writers[0]); i++)
		check_without_memory(writers[i], r);
	record__free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_record),
		cmocka_unit_test(test_annotations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
