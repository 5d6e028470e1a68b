// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests reports of the public interface, which are read as JSON: accessors, reports that are refused,
 * and rendering, which must give the same output as the command line.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "lib/bprof.h"
#include "lib/bprof_model.h"
#include "tests/unit/report_models.h"

typedef struct report *make_fn(int n);

/* The caller frees the text. */
static char *render_model(make_fn *make, report_render_fn *fn, const struct render_opts *o)
{
	struct report *r = make(0);
	char *text = render_report(r, fn, o, NULL);

	report__free(r);
	return text;
}

static struct bprof_report *read_model(make_fn *make)
{
	char *text =
		render_model(make, report__render_json, &(struct render_opts){.per_cpu = true});
	FILE *in = fmemopen(text, strlen(text), "r");
	struct bprof_error error;
	struct bprof_report *r;

	assert_non_null(in);
	if (bprof_report_read(in, &r, &error))
		fail_msg("%s", error.text);
	fclose(in);
	free(text);
	return r;
}

static void test_whole(void **state)
{
	struct bprof_report *r = read_model(make_two_programs);

	assert_string_equal(bprof_report_version(r), "0.1.0");
	assert_string_equal(bprof_report_kernel(r), "6.12.57");
	assert_string_equal(bprof_report_arch(r), "aarch64");
	assert_string_equal(bprof_report_cpu_model(r), "Cortex-A72");
	assert_int_equal(bprof_report_cpus(r), 4);
	assert_int_equal(bprof_report_started_ns(r), 1767225600000000000);
	assert_int_equal(bprof_report_elapsed_ns(r), 1003000000);
	assert_true(bprof_report_is_calibrated(r));
	assert_int_equal(bprof_report_program_count(r), 2);
	assert_null(bprof_report_program(r, -1));
	assert_null(bprof_report_program(r, 2));
	assert_int_equal(bprof_report_skip_count(r), 0);
	assert_null(bprof_report_skip(r, 0));
	bprof_report_free(r);
	bprof_report_free(NULL);
}

/* A text that the report lacks is "", not NULL. An index outside of a list gives NULL. */
static void test_sparse(void **state)
{
	static const char text[] =
		"{\"schema\":1,\"tool\":\"bprof\",\"elapsed_ns\":1,\"calibrated\":true,"
		"\"programs\":[{\"id\":7,\"method\":\"fentry\",\"runs\":0,\"measured\":0,"
		"\"lost\":{\"entry\":0,\"read\":0,\"overflow\":0,\"recursion\":0},"
		"\"events\":[{\"name\":\"cycles\",\"status\":\"ok\",\"measured\":0,\"total\":0,"
		"\"per_run\":{}}]}],"
		"\"skipped\":[{\"id\":9,\"reason\":\"gone\"}]}";
	FILE *in = fmemopen((void *)text, sizeof(text) - 1, "r");
	const struct bprof_program *p;
	struct bprof_error error;
	struct bprof_report *r;

	if (bprof_report_read(in, &r, &error))
		fail_msg("%s", error.text);
	fclose(in);
	p = bprof_report_program(r, 0);
	{
		const char *const empty[] = {
			bprof_report_version(r),
			bprof_report_kernel(r),
			bprof_report_arch(r),
			bprof_report_cpu_model(r),
			bprof_program_name(p),
			bprof_program_func(p),
			bprof_program_type(p),
			bprof_program_tag(p),
			bprof_event_unit(bprof_program_event(p, 0)),
			bprof_skip_name(bprof_report_skip(r, 0)),
			bprof_skip_detail(bprof_report_skip(r, 0)),
		};

		for (size_t i = 0; i < sizeof(empty) / sizeof(empty[0]); i++)
			assert_string_equal(empty[i], "");
	}
	assert_null(bprof_program_event(p, -1));
	assert_null(bprof_program_event(p, 1));
	assert_null(bprof_program_note(p, -1));
	assert_null(bprof_program_note(p, 0));
	assert_null(bprof_report_skip(r, -1));
	assert_null(bprof_report_skip(r, 1));
	assert_null(bprof_lost_name(-1));
	assert_null(bprof_stat_name(-1));
	bprof_report_free(r);
}

static void test_program(void **state)
{
	struct bprof_report *r = read_model(make_two_programs);
	const struct bprof_program *p = bprof_report_program(r, 1);

	assert_int_equal(bprof_program_id(p), 57);
	assert_string_equal(bprof_program_name(p), "xdp_firewall_in");
	assert_string_equal(bprof_program_func(p), "xdp_firewall_ingress");
	assert_string_equal(bprof_program_type(p), "xdp");
	assert_string_equal(bprof_program_tag(p), "d4f8542f2b42fac5");
	assert_string_equal(bprof_program_method(p), "fentry");
	assert_null(bprof_program_input(p));
	assert_int_equal(bprof_program_runs(p), 1234567);
	assert_int_equal(bprof_program_measured(p), 1234567);
	assert_int_equal(bprof_program_lost(p, NULL), 0);
	assert_int_equal(bprof_program_event_count(p), 2);
	assert_null(bprof_program_event(p, 2));
	assert_null(bprof_program_find_event(p, "cache-misses"));
	assert_null(bprof_program_note(p, 0));
	bprof_report_free(r);
}

static void test_retval(void **state)
{
	static const char *const names[] = {"XDP_DROP", "-1", "other", "not measured", "-7"};
	struct bprof_report *r = read_model(make_by_retval);
	char buf[32];

	for (int i = 0; i < 5; i++)
		assert_string_equal(
			bprof_program_retval_name(bprof_report_program(r, i), buf, sizeof(buf)),
			names[i]);
	assert_true(bprof_program_retval(bprof_report_program(r, 1)) == UINT32_MAX);
	assert_true(isnan(bprof_program_retval(bprof_report_program(r, 2))));
	assert_string_equal(bprof_program_retval_name(bprof_report_program(r, 0), buf, 4), "XDP");
	/* a program whose runs were not divided */
	assert_null(bprof_program_retval_name(bprof_report_program(r, 5), buf, sizeof(buf)));
	assert_true(isnan(bprof_program_retval(bprof_report_program(r, 5))));
	bprof_report_free(r);
}

static void test_event(void **state)
{
	struct bprof_report *r = read_model(make_two_programs);
	const struct bprof_event *ev =
		bprof_program_find_event(bprof_report_program(r, 0), "instructions");

	assert_ptr_equal(ev, bprof_program_event(bprof_report_program(r, 0), 1));
	assert_string_equal(bprof_event_name(ev), "instructions");
	assert_string_equal(bprof_event_unit(ev), "");
	assert_string_equal(bprof_event_status(ev), "ok");
	assert_null(bprof_event_detail(ev));
	assert_int_equal(bprof_event_measured(ev), 100000);
	assert_true(bprof_event_total(ev) == 9900000);
	assert_true(bprof_event_stat(ev, "mean") == 99);
	assert_true(bprof_event_stat(ev, "max") == 4012);
	assert_true(isnan(bprof_event_stat(ev, "p12")));
	assert_true(bprof_event_bias(ev) == 495);
	assert_true(fabs(bprof_event_bias_stddev(ev) - 0.1) < 1e-9);
	assert_true(bprof_event_bias_uncertainty(ev) == 0);
	/* p50 and the bias of this event were not measured */
	ev = bprof_program_event(bprof_report_program(r, 0), 0);
	assert_true(isnan(bprof_event_stat(ev, "p50")));
	assert_true(isnan(bprof_event_bias(ev)) && isnan(bprof_event_bias_uncertainty(ev)));
	bprof_report_free(r);
}

/*
 * All names of statistics and of causes of lost runs are known, and other names are not. Skips have
 * the values of the model.
 */
static void test_names(void **state)
{
	struct bprof_report *r = read_model(make_cells);
	int lost = 0, stats = 0, skips = bprof_report_skip_count(r);
	uint64_t sum = 0;

	while (bprof_stat_name(stats))
		assert_string_equal(bprof_stat_name(stats), stat_specs[stats].name), stats++;
	assert_int_equal(stats, STAT_CNT);
	assert_null(bprof_stat_name(-1));
	for (; bprof_lost_name(lost); lost++)
		sum += bprof_program_lost(bprof_report_program(r, 0), bprof_lost_name(lost));
	assert_int_equal(lost, LOST_CNT);
	assert_int_equal(sum, bprof_program_lost(bprof_report_program(r, 0), NULL));
	assert_int_equal(bprof_program_lost(bprof_report_program(r, 0), "nonsense"), 0);
	assert_true(skips > 0);
	for (int i = 0; i < skips; i++) {
		const struct report_skip *skip = &bprof_report__model(r)->skip[i];
		const struct bprof_skip *view = bprof_report_skip(r, i);

		assert_int_equal(bprof_skip_id(view), skip->id);
		assert_string_equal(bprof_skip_name(view), skip->name);
		assert_string_equal(bprof_skip_reason(view), skip->reason);
		assert_string_equal(bprof_skip_detail(view), skip->detail);
	}
	bprof_report_free(r);
}

static void test_notes(void **state)
{
	struct bprof_report *r = read_model(make_notes);
	int notes = 0;

	for (int i = 0; i < bprof_report_program_count(r); i++)
		for (int k = 0; bprof_program_note(bprof_report_program(r, i), k); k++, notes++)
			assert_ptr_equal(bprof_program_note(bprof_report_program(r, i), k),
					 bprof_report__model(r)->prog[i].notes.text[k]);
	assert_true(notes > 0);
	bprof_report_free(r);
}

/* ---- reports that are refused ---- */

static void assert_unreadable(const char *text, int err, const char *why)
{
	FILE *in = fmemopen((void *)text, strlen(text) ?: 1, "r");
	struct bprof_report *r = (struct bprof_report *)text;
	struct bprof_error error;

	assert_non_null(in);
	if (!*text)
		getc(in);
	assert_int_equal(bprof_report_read(in, &r, &error), err);
	assert_null(r);
	assert_int_equal(error.err, err);
	if (!strstr(error.text, why))
		fail_msg("'%s' is not in '%s'", why, error.text);
	fclose(in);
}

static void test_unreadable(void **state)
{
	char path[512], text[600];
	struct bprof_error error;
	struct bprof_report *r;

	assert_unreadable("", -ENODATA, "input: is empty");
	assert_unreadable("\n\nnonsense", -EINVAL, "input:3: not a report of bprof");
	assert_unreadable("{\"schema\":1,\"tool\":\"bprof\",\"comparisons\":[]}", -EINVAL,
			  "a comparison");
	assert_int_equal(bprof_report_read_path("/nonexistent", &r, &error), -ENOENT);
	assert_null(r);
	assert_string_equal(error.text, "/nonexistent: No such file or directory");
	assert_int_equal(bprof_report_read_path("/nonexistent", &r, NULL), -ENOENT);
	snprintf(path, sizeof(path), "%.*s/../../golden/tree.txt",
		 (int)(strrchr(__FILE__, '/') - __FILE__), __FILE__);
	snprintf(text, sizeof(text), "%s:1: not a report of bprof", path);
	assert_int_equal(bprof_report_read_path(path, &r, &error), -EINVAL);
	assert_string_equal(error.text, text);
}

/* ---- rendering of reports ---- */

static char *render(const struct bprof_report *r, const char *format,
		    const struct bprof_render_opts *o)
{
	struct bprof_error error;
	char *text = NULL;
	size_t sz;
	FILE *out = open_memstream(&text, &sz);

	assert_non_null(out);
	if (bprof_report_render(r, format, o, out, &error))
		fail_msg("%s", error.text);
	fclose(out);
	return text;
}

static void assert_renders(make_fn *make, const char *format, uint64_t flags, report_render_fn *fn,
			   const struct render_opts *same)
{
	const struct bprof_render_opts o = {.size = sizeof(o), .flags = flags};
	struct bprof_report *r = read_model(make);
	char *want = render_model(make, fn, same), *got = render(r, format, flags ? &o : NULL);

	assert_string_equal(got, want);
	free(got);
	free(want);
	bprof_report_free(r);
}

/* The outputs are those of the command line. */
static void test_render(void **state)
{
	const struct render_opts plain = {.sep = ","}, per_cpu = {.per_cpu = true},
				 verbose = {.verbose = 1};

	assert_renders(make_two_programs, "text", 0, report__render_text, &plain);
	assert_renders(make_two_programs, "csv", 0, report__render_csv, &plain);
	assert_renders(make_two_programs, "json", 0, report__render_json, &plain);
	assert_renders(make_tails, "text", BPROF_RENDER_VERBOSE, report__render_text, &verbose);
	assert_renders(make_tails, "tsv", 0, report__render_tsv, &plain);
	assert_renders(make_per_cpu, "text", BPROF_RENDER_PER_CPU, report__render_text, &per_cpu);
	assert_renders(make_system, "text", 0, report__render_text, &plain);
}

static void test_render_refused(void **state)
{
	struct bprof_report *r = read_model(make_two_programs);
	struct bprof_report *scopes = read_model(make_system);
	struct bprof_render_opts o = {.size = sizeof(o), .flags = 1 << 20};
	struct bprof_error error;
	FILE *full = fopen("/dev/full", "w");

	assert_int_equal(bprof_report_render(r, "junit", NULL, stdout, &error), -EINVAL);
	assert_non_null(strstr(error.text, "format 'junit': give one of text, json, csv"));
	/* Go's benchmark format supports programs only */
	assert_int_equal(bprof_report_render(scopes, "benchfmt", NULL, stdout, &error), -EINVAL);
	bprof_report_free(scopes);
	assert_int_equal(bprof_report_render(r, "text", &o, stdout, &error), -E2BIG);
	o.size = 1;
	assert_int_equal(bprof_report_render(r, "text", &o, stdout, &error), -EINVAL);
	o = (struct bprof_render_opts){.size = sizeof(o), .separator = ""};
	assert_int_equal(bprof_report_render(r, "csv", &o, stdout, &error), -EINVAL);
	assert_string_equal(error.code, "argument");
	assert_string_equal(error.text, "separator: the separator is empty");
	o.separator = ";\n";
	assert_int_equal(bprof_report_render(r, "csv", &o, stdout, &error), -EINVAL);
	o.separator = "\"";
	assert_int_equal(bprof_report_render(r, "csv", &o, stdout, &error), -EINVAL);
	assert_non_null(full);
	assert_int_equal(bprof_report_render(r, "text", NULL, full, &error), -ENOSPC);
	assert_string_equal(error.text, strerror(ENOSPC));
	fclose(full);
	bprof_report_free(r);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),	       cmocka_unit_test(test_program),
		cmocka_unit_test(test_retval),	       cmocka_unit_test(test_event),
		cmocka_unit_test(test_names),	       cmocka_unit_test(test_notes),
		cmocka_unit_test(test_unreadable),     cmocka_unit_test(test_render),
		cmocka_unit_test(test_render_refused), cmocka_unit_test(test_sparse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
