// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Compares the output of every renderer with golden files: a report that has everything, a call tree, bench,
 * the system. Other reports must show certain lines (report_lines.h). All outputs must meet the rules for any
 * output, such as no control characters.
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

#include "base/util.h"
#include "html/html.h"
#include "render/render.h"
#include "report/report.h"
#include "report/report_sum.h"
#include "tests/unit/golden.h"
#include "tests/unit/pprof_text.h"
#include "tests/unit/render/report_lines.h"
#include "tests/unit/report_models.h"
#include "tests/unit/timeline.h"

/* The renderers, and the extensions of their golden files. */
static const struct output {
	const char *ext;
	report_render_fn *render;
} outputs[] = {
	{"txt", report__render_text},
	{"json", report__render_json},
	{"csv", report__render_csv},
	{"bench", report__render_benchfmt},
	{"tsv", report__render_tsv},
	{"pprof", report__render_pprof},
	{"timeline", report__render_trace_event},
	{"html", report__render_html},
};

/* Bits for the output formats in which a golden case is tested. */
enum {
	TEXT = 1,
	JSON = 2,
	CSV = 4,
	BENCHFMT = 8,
	TSV = 16,
	PPROF = 32,
	TIMELINE = 64,
	HTML = 128,
	ALL = TEXT | JSON | CSV
};

static const struct golden_case {
	const char *name;
	struct report *(*make)(int n);
	int cnt; /* number of reports in the golden file */
	struct render_opts opts;
	unsigned int formats;
	unsigned int whole; /* formats that have a golden file; of others, some lines are tested */
} cases[] = {
	{"rich",
	 make_rich,
	 1,
	 {.sep = ",", .per_cpu = true, .dist = true},
	 ALL | BENCHFMT | TSV | PPROF | HTML,
	 TEXT | JSON | CSV | BENCHFMT | TSV | PPROF | HTML},
	{"two_programs", make_two_programs, 1, {.sep = ","}, ALL | PPROF},
	{"verbose", make_two_programs, 1, {.verbose = 1}, TEXT},
	{"cells", make_cells, 1, {.sep = ","}, ALL | PPROF | HTML},
	{"color", make_cells, 1, {.screen = {.color = true}}, TEXT},
	{"order_name", make_cells, 1, {.sort = "NAME", .top = 2}, TEXT},
	{"order_mean", make_cells, 1, {.sort = "mean", .active = true}, TEXT},
	{"order_tree", make_tree, 1, {.sort = "id", .top = 1}, TEXT},
	{"per_cpu", make_per_cpu, 1, {.sep = ",", .per_cpu = true}, ALL | PPROF | HTML},
	{"cpus",
	 make_cpus,
	 1,
	 {.sep = ",", .per_cpu = true, .dist = true},
	 TEXT | CSV | PPROF | TIMELINE | HTML},
	{"interval",
	 make_interval,
	 3,
	 {.sep = ";", .interval = true},
	 ALL | TSV | TIMELINE,
	 TEXT | JSON | TIMELINE},
	{"interval_per_cpu", make_per_cpu, 1, {.sep = ",", .interval = true, .per_cpu = true}, CSV},
	{"repeats", make_repeats, 1, {.sep = ","}, ALL | TSV},
	{"blocks", make_blocks, 1, {.sep = ","}, ALL},
	{"bench",
	 make_bench,
	 1,
	 {.version = "new", .dist = true},
	 TEXT | JSON | BENCHFMT | PPROF | HTML,
	 TEXT | JSON | HTML},
	{"bench_80", make_bench, 1, {.dist = true, .screen = {.width = 80}}, TEXT},
	{"bench_100", make_bench, 1, {.dist = true, .screen = {.width = 100}}, TEXT},
	{"bench_200", make_bench, 1, {.dist = true, .screen = {.width = 200}}, TEXT},
	{"hostile", make_hostile, 1, {.sep = ","}, ALL | BENCHFMT | TSV | PPROF | HTML},
	{"huge", make_huge, 1, {.sep = "\t"}, ALL | PPROF},
	{"empty", make_empty, 1, {.sep = ","}, ALL | TSV | PPROF | HTML},
	{"tails", make_tails, 1, {.sep = ",", .dist = true}, ALL | TSV | HTML},
	{"tails_80", make_tails, 1, {.dist = true, .screen = {.width = 80}}, TEXT},
	{"tails_100", make_tails, 1, {.dist = true, .screen = {.width = 100}}, TEXT},
	{"tails_200", make_tails, 1, {.dist = true, .screen = {.width = 200}}, TEXT},
	{"tree_80", make_tree, 1, {.screen = {.width = 80}}, TEXT},
	{"samples_80", make_samples, 1, {.screen = {.width = 80}}, TEXT},
	{"system_80", make_system, 1, {.screen = {.width = 80}}, TEXT},
	{"tails_verbose", make_tails, 1, {.verbose = 1}, TEXT},
	{"tails_interval", make_tails, 2, {.interval = true, .dist = true}, TEXT},
	{"hist", make_hist, 1, {.sep = ",", .per_cpu = true, .dist = true}, TEXT | JSON | HTML},
	{"multiplexed", make_multiplexed, 1, {.sep = ",", .per_cpu = true}, ALL},
	{"multiplexed_verbose",
	 make_multiplexed,
	 1,
	 {.verbose = 1, .screen = {.color = true}},
	 TEXT},
	{"sampled", make_thinned, 1, {.sep = ","}, ALL | PPROF},
	{"sampled_interval", make_thinned, 1, {.interval = true}, TEXT},
	{"sampled_auto", make_thinned_auto, 1, {.sep = ",", .per_cpu = true}, TEXT | JSON},
	{"max_overhead", make_turns, 1, {.sep = ","}, TEXT | JSON},
	{"sums", make_sums, 1, {.sep = ",", .names = true}, TEXT | CSV | JSON},
	{"path", make_path, 1, {.sep = ",", .names = true}, TEXT | CSV | JSON | HTML},
	{"operations", make_operations, 1, {}, TEXT | JSON | HTML},
	{"verify", make_verify, 1, {.sep = ","}, TEXT | JSON | HTML},
	{"verify_80", make_verify, 1, {.screen = {.width = 80}}, TEXT},
	{"path_top", make_path, 1, {.top = 1}, TEXT},
	{"path_interval", make_path, 3, {.interval = true}, TEXT},
	{"sums_tsv", make_sums, 1, {.sep = ","}, TSV, TSV},
	{"sampled_auto_interval", make_thinned_auto, 2, {.interval = true}, TEXT},
	{"samples", make_samples, 1, {.sep = ","}, ALL | PPROF | HTML},
	{"samples_interval", make_samples, 2, {.interval = true}, TEXT},
	{"notes", make_notes, 1, {}, TEXT | JSON},
	{"tree", make_tree, 1, {.sep = ","}, ALL | PPROF | HTML, TEXT | JSON},
	{"namesakes",
	 make_namesakes,
	 1,
	 {.sep = ","},
	 ALL | BENCHFMT | TSV | PPROF | TIMELINE | HTML},
	{"tree_roots", make_roots, 1, {}, TEXT},
	{"tree_interval", make_tree, 2, {.interval = true}, TEXT | TIMELINE},
	{"followed", make_followed, 1, {.sep = ","}, ALL | PPROF, JSON},
	{"followed_intervals",
	 make_followed_intervals,
	 3,
	 {.sep = ",", .interval = true},
	 ALL | TSV | TIMELINE | HTML,
	 TSV},
	{"by_retval",
	 make_by_retval,
	 1,
	 {.sep = ",", .dist = true},
	 ALL | BENCHFMT | TSV | PPROF,
	 JSON | TSV},
	{"by_retval_80", make_by_retval, 1, {.dist = true, .screen = {.width = 80}}, TEXT},
	{"by_key",
	 make_by_key,
	 1,
	 {.sep = ",", .dist = true},
	 ALL | TSV | BENCHFMT | PPROF | TIMELINE,
	 TSV},
	{"by_key_80", make_by_key, 1, {.dist = true, .screen = {.width = 80}}, TEXT},
	{"by_retval_interval", make_by_retval, 2, {.sep = ",", .interval = true}, ALL | TIMELINE},
	{"notes_interval", make_notes, 2, {.interval = true}, TEXT},
	{"system",
	 make_system,
	 1,
	 {.sep = ",", .per_cpu = true},
	 ALL | TSV | HTML,
	 TEXT | JSON | TSV | HTML},
	{"system_per_cpu", make_system_per_cpu, 1, {.sep = ",", .per_cpu = true}, ALL | TSV | HTML},
	{"system_interval",
	 make_system_per_cpu,
	 2,
	 {.sep = ",", .interval = true},
	 ALL | TSV | TIMELINE},
	{"hostile_interval", make_hostile, 1, {.interval = true}, TIMELINE},
	{"system_repeats", make_system_repeats, 1, {.sep = ";"}, ALL},
	{"system_skipped", make_system_skipped, 1, {.sep = ","}, CSV},
	{"system_hostile", make_system_hostile, 1, {.sep = ","}, ALL | TSV | HTML},
};

static char *render_case(const struct golden_case *c, report_render_fn *render)
{
	struct render_opts opts = c->opts;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	for (int i = 0; i < c->cnt; i++) {
		struct report *r = c->make(i), *next = i + 1 < c->cnt ? c->make(i + 1) : NULL;

		opts.header = i == 0;
		opts.last = !next || next->total;
		report__free(next);
		assert_int_equal(report__render(r, render, &opts, out), 0);
		report__free(r);
	}
	if (opts.interval && render == report__render_html)
		html_page__end(out);
	fclose(out);
	return render == report__render_pprof ? pprof_text__make(text, size) : text;
}

static void for_each_output(void (*fn)(const struct golden_case *, const struct output *))
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		for (size_t k = 0; k < ARRAY_SIZE(outputs); k++)
			if (cases[i].formats & (1 << k))
				fn(&cases[i], &outputs[k]);
}

static void check_shown(const struct golden_case *c, const struct output *output)
{
	assert_shown_as(c->name, output->ext, golden__cut_html(render_case(c, output->render)),
			c->whole & 1 << (output - outputs));
}

/* Tests the lines in shown_lines: most cases have lines that the golden files do not have. */
static void test_shown(void **state)
{
	for_each_output(check_shown);
}

static void check_plain_text(const struct golden_case *c, const struct output *output)
{
	char *text = render_case(c, output->render);

	for (const char *p = text;
	     *p && output->render == report__render_text && !c->opts.screen.color; p++) {
		assert_true(*p == '\n' || (unsigned char)*p >= ' ');
		assert_int_not_equal(*p, 0x7f);
		if (*p == '\n' && p > text)
			assert_int_not_equal(p[-1], ' ');
	}
	for (const char *p = text; *p && (output->render == report__render_json ||
					  output->render == report__render_trace_event);
	     p++)
		assert_true(*p == '\n' || (*p >= ' ' && *p < 0x7f));
	if (output->render == report__render_trace_event)
		assert_timeline(text);
	/* A profile is not searched: it has whole numbers only, and "nanoseconds" has a "nan". */
	if (output->render != report__render_pprof)
		assert_null(strstr(text, "nan"));
	free(text);
}

/*
 * Whatever a program's name is, the output has no escape, no control character, and no blank at the
 * end of a line.
 */
static void test_harmless(void **state)
{
	for_each_output(check_plain_text);
}

/*
 * Counts the fields of one line of CSV (quoted as in RFC 4180), and moves *line to the next line.
 */
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

static void check_csv(const struct golden_case *c, const struct output *output)
{
	char *text = render_case(c, output->render);
	const char *line = text;
	struct report *r = c->make(0);
	int want = (r->scope_cnt || r->of_scopes ? 12
		    : r->followed		 ? 37
		    : r->by_retval		 ? 31
						 : 29) +
		   c->opts.interval + c->opts.per_cpu + (r->repeats > 1) + (r->sum != NULL) +
		   2 * (r->per != NULL);

	while (output->render == report__render_csv && *line)
		assert_int_equal(count_fields(&line, c->opts.sep), want);
	report__free(r);
	free(text);
}

/*
 * The lines of skipped targets and of events without a value have as many fields as all other
 * lines.
 */
static void test_csv_fields(void **state)
{
	for_each_output(check_csv);
}

/* Counts the fields of a line of TSV, which has no quoting, and moves *line to the next line. */
static int count_tabbed(const char **line)
{
	int cnt = 1;

	for (; **line && **line != '\n'; (*line)++)
		cnt += **line == '\t';
	assert_int_equal(**line, '\n');
	(*line)++;
	return cnt;
}

/*
 * The first line has the names of the columns, which are those of CSV. All lines have the same
 * number of fields. Whatever a program's name is, no field contains a tab or a newline.
 */
static void check_tsv(const struct golden_case *c, const struct output *output)
{
	char *text, *csv;
	const char *line, *csv_line;
	int want;

	if (output->render != report__render_tsv)
		return;
	line = text = render_case(c, report__render_tsv);
	csv_line = csv = render_case(c, report__render_csv);
	assert_non_null(strstr(text, "value\tunit\tevent\t"));
	assert_null(strchr(text, '\r'));
	want = count_tabbed(&line);
	while (*csv_line) {
		assert_int_equal(count_tabbed(&line), want);
		assert_int_equal(count_fields(&csv_line, c->opts.sep), want);
	}
	assert_string_equal(line, "");
	free(text);
	free(csv);
}

static void test_tsv_fields(void **state)
{
	for_each_output(check_tsv);
}

/* Renders a report on one program with the given name. The caller frees the text. */
static char *render_named(const char *name, report_render_fn *render, const struct render_opts *o)
{
	struct report *r = make_base();
	char *text;

	add_event(&add_prog(r, 42, name, "f", 1)->all, "cycles", 1);
	text = render_report(r, render, o, NULL);
	report__free(r);
	return text;
}

/* Every name can be read back from a field of TSV. */
static void test_tsv_escapes(void **state)
{
	char *text = render_named("a\tb\nc\\x09", report__render_tsv, &(struct render_opts){});

	assert_non_null(strstr(text, "\ta\\x09b\\x0ac\\\\x09\t"));
	free(text);
}

/* The names of the columns come once: before the first report, and only if they are wanted. */
static void test_csv_header(void **state)
{
	static const struct {
		report_render_fn *render;
		struct render_opts o;
		bool header;
	} headers[] = {
		{report__render_csv, {.sep = ","}, false},
		{report__render_csv, {.sep = ",", .names = true}, true},
		{report__render_csv, {.sep = ",", .names = true, .continues = true}, false},
		{report__render_csv, {.sep = ",", .names = true, .interval = true}, false},
		{report__render_csv,
		 {.sep = ",", .names = true, .interval = true, .header = true},
		 true},
		{report__render_tsv, {}, true},
		{report__render_tsv, {.continues = true}, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(headers); i++) {
		char *text = render_named("lb", headers[i].render, &headers[i].o);

		assert_int_equal(!!strstr(text, "measured"), headers[i].header);
		free(text);
	}
}

/* A document in a series is one line. */
static void test_json_line(void **state)
{
	char *text =
		render_named("lb", report__render_json, &(struct render_opts){.one_line = true});

	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
	free(text);
}

/*
 * No two statistics have the same position, and CSV has all of them.
 */
static void test_stats(void **state)
{
	double quantile = 0;
	enum stat_id id;

	for (int list = 0; list < STAT_LIST_CNT; list++)
		for (int i = 0; i < STAT_CNT; i++)
			for (int k = 0; k < i && stat_specs[i].place[list]; k++)
				assert_int_not_equal(stat_specs[i].place[list],
						     stat_specs[k].place[list]);
	for (int i = 0; i < STAT_CNT; i++)
		assert_int_not_equal(stat_specs[i].place[STATS_CSV], 0);
	/* in the table, percentiles are in ascending order */
	for (int place = 0; (id = stats__next(STATS_TABLE, &place)) < STAT_CNT;) {
		if (!stat__is_percentile(id))
			continue;
		assert_true(stat_specs[id].quantile > quantile);
		quantile = stat_specs[id].quantile;
	}
	assert_true(quantile > 0.99);
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
	char *text = render_case(find_case(name), report__render_json);
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

	/* Counts are integers, exact to the last digit. */
	assert_true(json_is_integer(json_object_get(ev, "measured")));
	assert_int_equal(json_integer_value(json_object_get(ev, "measured")), 9007199254740993);
	assert_int_equal(json_integer_value(json_object_get(ev, "total")), (1LL << 53) + 2);
	json_decref(doc);

	/* Values that do not exist are left out: they are neither null nor 0. */
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

	/*
	 * JSON has the buckets themselves, not those that are merged into bars to fit a terminal.
	 */
	doc = load_case("hist");
	ev = get(get(doc, "programs", 0), "events", 0);
	assert_int_equal(json_array_size(json_object_get(ev, "hist")), 3);
	ev = json_array_get(json_object_get(ev, "hist"), 1);
	assert_int_equal(json_integer_value(json_array_get(ev, 0)), 104);
	assert_int_equal(json_integer_value(json_array_get(ev, 1)), 105);
	assert_int_equal(json_integer_value(json_array_get(ev, 2)), 9);
	json_decref(doc);

	/* runs = measured + thinned out + lost */
	doc = load_case("sampled");
	assert_int_equal(json_integer_value(json_object_get(doc, "sample")), 16);
	ev = get(doc, "programs", 0);
	assert_int_equal(json_integer_value(json_object_get(ev, "sampled_out")), 150000);
	assert_null(json_object_get(ev, "notes"));
	json_decref(doc);

	/* A name in UTF-8 is read back unchanged. */
	doc = load_case("hostile");
	assert_string_equal(json_string_value(json_object_get(get(doc, "programs", 0), "name")),
			    "na\xc3\xafve_\xe5\x8c\x85");
	json_decref(doc);
}

/* A page has the same JSON as the JSON format, in one line for each report. */
static void check_page_json(const struct golden_case *c, const struct output *output)
{
	static const char script[] = "<script type=\"application/json\" class=\"bprof\">";
	char *page, *at, *want;
	json_t *got, *expected;
	size_t len;

	if (output->render != report__render_html)
		return;
	at = page = render_case(c, report__render_html);
	want = render_case(c, report__render_json);
	for (const char *next = want; (at = strstr(at, script)); next += len) {
		at += strlen(script);
		got = json_loads(at, JSON_DISABLE_EOF_CHECK, NULL);
		expected = json_loads(next, JSON_DISABLE_EOF_CHECK, NULL);
		assert_non_null(got);
		assert_true(json_equal(got, expected));
		assert_memory_equal(at + strcspn(at + 1, "\n") + 1, "\n</script>", 10);
		len = c->cnt > 1 ? strcspn(next, "\n") + 1 : strlen(next);
		json_decref(got);
		json_decref(expected);
	}
	free(page);
	free(want);
}

static void test_page_json(void **state)
{
	for_each_output(check_page_json);
}

static void test_output_error(void **state)
{
	const struct render_opts opts = {.sep = ","};

	for (size_t k = 0; k < ARRAY_SIZE(outputs); k++) {
		struct report *r = make_cells(0);
		FILE *full = fopen("/dev/full", "w");

		assert_non_null(full);
		assert_int_equal(report__render(r, outputs[k].render, &opts, full), -ENOSPC);
		fclose(full);
		report__free(r);
	}
}

/* Returns the number of lines before the program's first row. */
static int first_line(const char *text, __u32 id)
{
	char begin[16];
	int len = snprintf(begin, sizeof(begin), "%u  ", id), n = 0;

	for (; strncmp(text, begin, len); n++) {
		text = strchr(text, '\n');
		assert_non_null(text);
		text++;
	}
	return n;
}

/*
 * With --by, the rows of a program stay together. Counts, rates, shares and totals sort a program
 * by the sum of its rows, other numbers by their maximum, and none by its first row.
 */
static void test_order(void **state)
{
	enum { CNT = 3 };
	static const struct {
		const char *column;
		__u32 ids[CNT]; /* in the order of the text */
	} orders[] = {
		{"id", {42, 57, 58}},	  {"name", {58, 42, 57}}, {"type", {57, 58, 42}},
		{"method", {58, 57, 42}}, {"runs", {42, 57, 58}}, {"runs/s", {42, 57, 58}},
		{"cpu%", {42, 57, 58}},	  {"lost", {42, 57, 58}}, {"mean", {57, 42, 58}},
		{"p99", {57, 42, 58}},	  {"max", {57, 42, 58}},  {"total", {42, 57, 58}},
	};
	static const struct {
		__u32 id;
		const char *name, *type, *method;
		int value; /* of each number of the row */
	} rows[] = {
		{42, "lb", "xdp", "samples", 100},
		{42, "lb", "xdp", "samples", 300},
		{57, "mark", "cgroup_skb", "run_stats", 350},
		{58, "filter", "lsm", "fentry", 200},
	};
	struct report *r = make_base();

	r->by_retval = true;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int v = rows[i].value;
		struct report_prog *p = add_part(r, rows[i].id, rows[i].name, i, v, v);

		free(p->type);
		p->type = strdup(rows[i].type);
		set_method(p, rows[i].method);
		p->all.cpu_share = v / 1e6;
		p->all.lost[LOST_READ] = v;
		p->all.event[0].total = v;
	}
	for (size_t i = 0; i < ARRAY_SIZE(orders); i++) {
		const struct render_opts o = {.sort = orders[i].column};
		char *text = render_report(r, report__render_text, &o, NULL);

		assert_string_equal(report_order__column(i), orders[i].column);
		for (int k = 1; k < CNT; k++)
			if (first_line(text, orders[i].ids[k - 1]) >
			    first_line(text, orders[i].ids[k]))
				fail_msg("%s: not in order:\n%s", orders[i].column, text);
		free(text);
	}
	assert_null(report_order__column(ARRAY_SIZE(orders)));
	report__free(r);
}

/* ---- bars of distributions ---- */

/* Makes a report of one program with one event. The test adds the event's buckets. */
static struct report *make_one_event(struct report_event **ev)
{
	struct report *r = make_base();

	*ev = add_event(&add_prog(r, 1, "p", "p", 1)->all, "cycles", 1);
	return r;
}

static char *render_text(const struct report *r, bool dist)
{
	return render_report(r, report__render_text, &(struct render_opts){.dist = dist}, NULL);
}

/* A program of a sum that did not run has no values: its row is no other function of the sum. */
static void test_sum_without_tree(void **state)
{
	struct report *r = make_base();
	char *text;

	r->by_retval = true;
	add_part(r, 42, "xdp_lb", 1, 300, 10);
	add_part(r, 42, "xdp_lb", 2, 100, 50);
	add_event(&add_prog(r, 43, "xdp_lb", "xdp_lb", 0)->all, "instructions", NAN);
	report__sum(r, SUM_NAME);
	assert_int_equal(r->prog_cnt, 3);
	text = render_text(r, false);
	assert_null(strstr(text, "net cost of a call"));
	free(text);
	report__free(r);
}

static double parse_number(char **p)
{
	char digits[64] = "";
	size_t len = 0;

	*p += strspn(*p, " ");
	for (; **p && **p != ' ' && **p != '\n'; (*p)++)
		if (**p != ',' && len < sizeof(digits) - 1)
			digits[len++] = **p;
	return strtod(digits, NULL);
}

/*
 * Checks that bars consist of complete buckets. Bars are in order, from the first bucket to the
 * last; each limit of a bar is a limit of a bucket; and each run is in the bar of its bucket.
 * Returns the number of bars.
 */
static int check_bars(const struct report *r)
{
	const struct report_event *ev = &r->prog[0].all.event[0];
	char *text = render_text(r, false), *line = strstr(text, "SHARE");
	int bars = 0, b = 0;

	assert_non_null(line);
	for (line = strchr(line, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
		char *p = line;
		double low, high;
		__u64 runs, want = 0;

		if (line[strspn(line, " ")] == '.')
			continue;
		low = parse_number(&p);
		high = parse_number(&p);
		runs = parse_number(&p);
		assert_true(b < ev->bucket_cnt && low == ev->bucket[b].low);
		while (b < ev->bucket_cnt && ev->bucket[b].high < high)
			want += ev->bucket[b++].count;
		assert_true(b < ev->bucket_cnt && high == ev->bucket[b].high);
		want += ev->bucket[b++].count;
		assert_int_equal(runs, want);
		bars++;
	}
	assert_int_equal(b, ev->bucket_cnt);
	free(text);
	return bars;
}

static void test_hist_flat(void **state)
{
	struct report_event *ev;
	struct report *r = make_one_event(&ev);
	char *text, *bar;
	int bars;

	for (int v = 1; v <= 1200; v++)
		add_bucket(ev, v, v, 10);
	bars = check_bars(r);
	assert_in_range(bars, 12, 20);
	/* A flat distribution looks flat, except at both ends. */
	text = render_text(r, false);
	bar = strstr(text, "########################################\n");
	for (bars = 0; bar; bars++)
		bar = strstr(bar + 1, "########################################\n");
	assert_in_range(bars, 11, 12);
	free(text);
	report__free(r);
}

static void test_hist_shapes(void **state)
{
	struct report_event *ev;
	struct report *r;

	/* First the distribution has one bucket, and then as many buckets as there can be bars. */
	r = make_one_event(&ev);
	add_bucket(ev, 7, 7, 1);
	assert_int_equal(check_bars(r), 1);
	for (int v = 8; v < 27; v++)
		add_bucket(ev, v, v, v);
	assert_int_equal(check_bars(r), 20);
	/*
	 * Now there is one bucket more than there can be bars, and this bucket has nearly all runs.
	 */
	add_bucket(ev, 27, 27, 1000000);
	assert_in_range(check_bars(r), 2, 20);
	report__free(r);

	/* The distribution has two humps far from each other, and an outlier on either side. */
	r = make_one_event(&ev);
	add_bucket(ev, -1e15, -1e15, 1);
	for (int v = 100; v < 150; v++)
		add_bucket(ev, v, v, 1000);
	for (double v = 1 << 20; v < 2 << 20; v = bucket_high(v) + 1)
		add_bucket(ev, v, bucket_high(v), 400);
	add_bucket(ev, 0x1p58, 0x1p58 + 0x1p53, 1);
	assert_in_range(check_bars(r), 3, 20);
	report__free(r);

	/* The event has a scale, so neighboring values differ by 8. */
	r = make_one_event(&ev);
	for (int v = 1; v <= 400; v++)
		add_bucket(ev, v * 8, v * 8, 1);
	assert_in_range(check_bars(r), 12, 20);
	report__free(r);
}

/*
 * With the minimum and the maximum only, there is no table of the distribution. With a median, the
 * table has no empty columns. Without --dist, it is not shown.
 */
static void test_no_hist(void **state)
{
	struct report_event *ev;
	struct report *r = make_one_event(&ev);
	char *text;

	ev->stat[STAT_MIN] = 1;
	ev->stat[STAT_MAX] = 3;
	text = render_text(r, true);
	assert_null(strstr(text, "distribution"));
	assert_non_null(strstr(text, "MAX"));
	assert_null(strstr(text, "P99"));
	free(text);
	ev->stat[STAT_P50] = 2;
	text = render_text(r, true);
	assert_non_null(strstr(text, "distribution"));
	assert_non_null(strstr(text, "P50"));
	assert_null(strstr(text, "P90"));
	assert_null(strstr(text, "COVERAGE"));
	free(text);
	text = render_text(r, false);
	assert_null(strstr(text, "distribution"));
	free(text);
	report__free(r);
}

/* ---- the report model ---- */

static void test_model(void **state)
{
	struct report *r = make_cells(0);
	struct report_event *ev = &r->prog[0].all.event[0];

	assert_int_equal(report_row__lost(&r->prog[0].all), 20);
	assert_true(isnan(report_row__variation(&r->prog[0].all, ev)));
	ev->repeat_stddev = 123.45678;
	assert_true(fabs(report_row__variation(&r->prog[0].all, ev) - 1) < 1e-12);
	assert_false(report_event__has_value(&r->prog[0].all.event[1]));
	assert_false(report_event__is_partial(&r->prog[0].all, &r->prog[0].all.event[1]));
	assert_true(report_event__is_partial(&r->prog[0].all, &r->prog[0].all.event[3]));
	assert_ptr_equal(report__probed(r), &r->prog[0]);
	assert_int_equal(r->thin_period, 1);
	r->elapsed_ns = 0;
	assert_true(isnan(report_row__runs_per_s(r, &r->prog[0].all)));
	report__free(r);
	report__free(NULL);
	report__free(report__new());
}

/* A scope's events have totals, but no runs and no mean. */
static void test_scope_model(void **state)
{
	struct report *r = report__new();
	struct report_scope *s = report__add_scope(r);
	struct report_row *rows[2];

	assert_non_null(s);
	assert_int_equal(s->id, 0);
	rows[0] = &s->all;
	rows[1] = report_scope__add_cpu(s, 3);
	assert_non_null(rows[1]);
	assert_int_equal(rows[0]->cpu, -1);
	assert_int_equal(rows[1]->cpu, 3);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct report_event *ev = report_row__add_event(rows[i]);

		assert_non_null(ev);
		assert_true(isnan(report_row__value(rows[i], ev)));
		assert_true(isnan(ev->enabled_ns) && isnan(ev->running_ns));
		assert_false(report_event__is_partial(rows[i], ev));
		ev->total = 500;
		assert_true(report_row__value(rows[i], ev) == 500);
		assert_true(isnan(report_row__variation(rows[i], ev)));
		ev->repeat_stddev = 5;
		assert_true(report_row__variation(rows[i], ev) == 1);
		ev->enabled_ns = ev->running_ns = 1000;
		assert_false(report_event__is_partial(rows[i], ev));
		ev->running_ns = 999;
		assert_true(report_event__is_partial(rows[i], ev));
		ev->status = EVENT_NOT_SUPPORTED;
		assert_true(isnan(report_row__value(rows[i], ev)));
		assert_false(report_event__is_partial(rows[i], ev));
	}
	assert_null(report__probed(r));
	report__free(r);
}

/*
 * 'bprof diff' finds statistics, causes of lost runs and statuses by name, so all of them need
 * names.
 */
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
		cmocka_unit_test(test_shown),
		cmocka_unit_test(test_harmless),
		cmocka_unit_test(test_csv_fields),
		cmocka_unit_test(test_tsv_fields),
		cmocka_unit_test(test_tsv_escapes),
		cmocka_unit_test(test_csv_header),
		cmocka_unit_test(test_json_line),
		cmocka_unit_test(test_stats),
		cmocka_unit_test(test_json_values),
		cmocka_unit_test(test_output_error),
		cmocka_unit_test(test_page_json),
		cmocka_unit_test(test_hist_flat),
		cmocka_unit_test(test_hist_shapes),
		cmocka_unit_test(test_no_hist),
		cmocka_unit_test(test_sum_without_tree),
		cmocka_unit_test(test_model),
		cmocka_unit_test(test_scope_model),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_order),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8")) {
		fprintf(stderr, "this test needs the locale C.UTF-8\n");
		return 1;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
