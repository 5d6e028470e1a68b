// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Every renderer against golden files, made from fixed reports, and what must hold of any output.
 * BPROF_GOLDEN_UPDATE=1 writes the golden files anew: read the diff then.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>

#include "report.h"
#include "report_models.h"
#include "util.h"

enum { TEXT = 1 << OUTPUT_TEXT, JSON = 1 << OUTPUT_JSON, CSV = 1 << OUTPUT_CSV, ALL = 7 };

static const struct golden_case {
	const char *name;
	struct report *(*make)(int n);
	int cnt; /* reports in one file */
	struct render_opts opts;
	unsigned int formats;
} cases[] = {
	{"two_programs", make_two_programs, 1, {.sep = ","}, ALL},
	{"verbose", make_two_programs, 1, {.verbose = 1}, TEXT},
	{"cells", make_cells, 1, {.sep = ","}, ALL},
	{"color", make_cells, 1, {.color = true}, TEXT},
	{"per_cpu", make_per_cpu, 1, {.sep = ",", .per_cpu = true}, ALL},
	{"interval", make_interval, 3, {.sep = ";", .interval = true}, ALL},
	{"interval_per_cpu", make_per_cpu, 1, {.sep = ",", .interval = true, .per_cpu = true}, CSV},
	{"repeats", make_repeats, 1, {.sep = ","}, ALL},
	{"hostile", make_hostile, 1, {.sep = ","}, ALL},
	{"huge", make_huge, 1, {.sep = "\t"}, ALL},
	{"empty", make_empty, 1, {.sep = ","}, ALL},
};

static char *render_case(const struct golden_case *c, enum output_format format)
{
	struct render_opts opts = c->opts;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	opts.format = format;
	for (int i = 0; i < c->cnt; i++) {
		struct report *r = c->make(i);

		opts.header = i == 0;
		assert_int_equal(report__render(r, &opts, out), 0);
		report__free(r);
	}
	fclose(out);
	return text;
}

/* ---- tests ---- */

static void golden_path(char *buf, size_t size, const char *name, enum output_format format)
{
	static const char *const ext[] = {"txt", "json", "csv"};
	const char *slash = strrchr(__FILE__, '/');

	assert_non_null(slash);
	snprintf(buf, size, "%.*s/../golden/%s.%s", (int)(slash - __FILE__), __FILE__, name,
		 ext[format]);
}

static void check_golden(const struct golden_case *c, enum output_format format)
{
	char *got = render_case(c, format), *want = NULL, path[512];
	size_t size = 0;
	FILE *f;

	golden_path(path, sizeof(path), c->name, format);
	if (getenv("BPROF_GOLDEN_UPDATE")) {
		f = fopen(path, "w");
		assert_non_null(f);
		fputs(got, f);
		assert_int_equal(fclose(f), 0);
	}
	f = fopen(path, "r");
	if (!f)
		fail_msg("%s: %s (paths are relative to the top of the source)", path,
			 strerror(errno));
	if (getdelim(&want, &size, '\0', f) < 0)
		fail_msg("%s is empty", path);
	fclose(f);
	if (strcmp(got, want))
		fail_msg("%s differs, expected:\n%s\ngot:\n%s", path, want, got);
	free(want);
	free(got);
}

static void for_each_output(void (*fn)(const struct golden_case *, enum output_format))
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		for (int format = OUTPUT_TEXT; format <= OUTPUT_CSV; format++)
			if (cases[i].formats & (1 << format))
				fn(&cases[i], format);
}

static void test_golden(void **state)
{
	for_each_output(check_golden);
}

static void check_plain_text(const struct golden_case *c, enum output_format format)
{
	char *text = render_case(c, format);

	for (const char *p = text; *p && format == OUTPUT_TEXT && !c->opts.color; p++) {
		assert_true(*p == '\n' || (unsigned char)*p >= ' ');
		assert_int_not_equal(*p, 0x7f);
		if (*p == '\n' && p > text)
			assert_int_not_equal(p[-1], ' ');
	}
	for (const char *p = text; *p && format == OUTPUT_JSON; p++)
		assert_true(*p == '\n' || (*p >= ' ' && *p < 0x7f));
	assert_null(strstr(text, "nan"));
	free(text);
}

/* No escape, no control character, no blank at a line's end, whatever a program is called. */
static void test_harmless(void **state)
{
	for_each_output(check_plain_text);
}

/* The fields of one line of CSV; *line moves behind it. Quoted as in RFC 4180. */
static int count_fields(const char **line, const char *sep)
{
	bool quoted = false;
	int cnt = 1;

	for (; **line && (quoted || **line != '\n'); (*line)++) {
		if (**line == '"')
			quoted = !quoted;
		else if (!quoted && **line == *sep)
			cnt++;
	}
	assert_false(quoted);
	assert_int_equal(**line, '\n');
	(*line)++;
	return cnt;
}

static void check_csv(const struct golden_case *c, enum output_format format)
{
	char *text = render_case(c, format);
	const char *line = text;
	int want = 17 + c->opts.interval + c->opts.per_cpu + (c->make == make_repeats);

	while (format == OUTPUT_CSV && *line)
		assert_int_equal(count_fields(&line, c->opts.sep), want);
	free(text);
}

/* Skipped targets and events without a value have as many fields as all the others. */
static void test_csv_fields(void **state)
{
	for_each_output(check_csv);
}

static const struct golden_case *find_case(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (!strcmp(cases[i].name, name))
			return &cases[i];
	fail_msg("no case %s", name);
	return NULL;
}

static json_t *load_case(const char *name)
{
	char *text = render_case(find_case(name), OUTPUT_JSON);
	json_t *doc = json_loads(text, JSON_REJECT_DUPLICATES, NULL);

	free(text);
	assert_non_null(doc);
	return doc;
}

static json_t *get(json_t *doc, const char *array, int i)
{
	return json_array_get(json_object_get(doc, array), i);
}

static void test_json_values(void **state)
{
	json_t *doc = load_case("huge"), *ev = get(get(doc, "programs", 0), "events", 1);

	/* Counts are whole to the last digit. */
	assert_true(json_is_integer(json_object_get(ev, "measured")));
	assert_int_equal(json_integer_value(json_object_get(ev, "measured")), 9007199254740993);
	assert_int_equal(json_integer_value(json_object_get(ev, "total")), (1LL << 53) + 2);
	json_decref(doc);

	/* What does not exist is not there: no null, no 0 in its place. */
	doc = load_case("cells");
	ev = get(get(doc, "programs", 0), "events", 1);
	assert_string_equal(json_string_value(json_object_get(ev, "status")), "not_supported");
	assert_null(json_object_get(ev, "total"));
	assert_null(json_object_get(json_object_get(ev, "per_run"), "mean"));
	ev = get(get(doc, "programs", 2), "events", 0);
	assert_string_equal(json_string_value(json_object_get(ev, "status")), "ok");
	assert_int_equal(json_object_size(json_object_get(ev, "per_run")), 0);
	assert_int_equal(json_array_size(json_object_get(doc, "skipped")), 2);
	json_decref(doc);

	/* A name that is UTF-8 comes back as it was. */
	doc = load_case("hostile");
	assert_string_equal(json_string_value(json_object_get(get(doc, "programs", 0), "name")),
			    "na\xc3\xafve_\xe5\x8c\x85");
	json_decref(doc);
}

static void test_output_error(void **state)
{
	for (int format = OUTPUT_TEXT; format <= OUTPUT_CSV; format++) {
		struct render_opts opts = {.format = format, .sep = ","};
		struct report *r = make_cells(0);
		FILE *full = fopen("/dev/full", "w");

		assert_non_null(full);
		assert_int_equal(report__render(r, &opts, full), -ENOSPC);
		fclose(full);
		report__free(r);
	}
}

static int mallocs_left;

static void *scarce_malloc(size_t size)
{
	return mallocs_left-- == 0 ? NULL : malloc(size);
}

/* One allocation after the other fails: the whole document or none, never one with a gap. */
static void test_json_no_memory(void **state)
{
	struct render_opts opts = {.format = OUTPUT_JSON, .per_cpu = true};
	char *whole = render_case(find_case("per_cpu"), OUTPUT_JSON);
	struct report *r = make_per_cpu(0);
	int failed = 0;

	json_set_alloc_funcs(scarce_malloc, free);
	for (int cnt = 0; mallocs_left <= 0; cnt++) {
		char *text = NULL;
		size_t size;
		FILE *out = open_memstream(&text, &size);
		int err;

		assert_non_null(out);
		mallocs_left = cnt;
		err = report__render(r, &opts, out);
		fclose(out);
		assert_true(err == 0 || err == -ENOMEM);
		assert_string_equal(text, err ? "" : whole);
		failed += !!err;
		free(text);
	}
	assert_true(failed > 100);
	json_set_alloc_funcs(malloc, free);
	report__free(r);
	free(whole);
}

static void test_model(void **state)
{
	struct report *r = make_cells(0);
	struct report_event *ev = &r->prog[0].all.event[0];

	assert_int_equal(report_row__lost(&r->prog[0].all), 20);
	assert_true(isnan(report_event__variation(ev)));
	ev->repeat_stddev = 123.45678;
	assert_true(fabs(report_event__variation(ev) - 1) < 1e-12);
	assert_false(report_event__has_value(&r->prog[0].all.event[1]));
	r->elapsed_ns = 0;
	assert_true(isnan(report_row__runs_per_s(r, &r->prog[0].all)));
	report__free(r);
	report__free(NULL);
	report__free(report__new());
}

/* diff finds what it reads by these names. */
static void test_names(void **state)
{
	for (int i = 0; i < STAT_CNT; i++)
		assert_true(stat_specs[i].name && stat_specs[i].header);
	for (int i = 0; i < LOST_CNT; i++)
		assert_true(lost_specs[i].name && lost_specs[i].text);
	for (int i = 0; i < EVENT_STATUS_CNT; i++)
		assert_true(event_status_specs[i].name && event_status_specs[i].text &&
			    event_status_specs[i].cell);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),	     cmocka_unit_test(test_harmless),
		cmocka_unit_test(test_csv_fields),   cmocka_unit_test(test_json_values),
		cmocka_unit_test(test_output_error), cmocka_unit_test(test_json_no_memory),
		cmocka_unit_test(test_model),	     cmocka_unit_test(test_names),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8")) {
		fprintf(stderr, "this test needs the locale C.UTF-8\n");
		return 1;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
