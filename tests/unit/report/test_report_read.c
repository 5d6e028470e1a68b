// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests reading reports: everything that is written is read back, and documents that are invalid or
 * that are not reports are refused with the position and the reason.
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

#include "base/util.h"
#include "formats/formats.h"
#include "render/render.h"
#include "report/report_head.h"
#include "tests/unit/report_models.h"

static char *render(const struct report *r, report_render_fn *fn, const struct render_opts *o)
{
	struct render_opts opts = *o;

	opts.sep = ",";
	return render_report(r, fn, &opts, NULL);
}

static void render_all(const struct report *r)
{
	const struct render_opts opts = {.verbose = 1, .per_cpu = true};
	const struct format *f;

	for (int i = 0; (f = formats__next(DOC_PROGRAMS, i)); i++)
		free(render(r, f->report, &opts));
}

static FILE *open_text(const char *text, size_t len)
{
	/* fmemopen() refuses an empty buffer. */
	FILE *in = len ? fmemopen((void *)text, len, "r") : fopen("/dev/null", "r");

	assert_non_null(in);
	return in;
}

static struct report *read_good(struct report_source *src)
{
	struct report_error err = {};
	struct report *r;
	int ret = report__read(src, &r, &err);

	if (ret)
		fail_msg("%d, line %lu: %s", ret, err.line, err.text);
	assert_non_null(r);
	return r;
}

static struct report *read_text(const char *text)
{
	struct report_source src = {.in = open_text(text, strlen(text))};
	struct report_error err;
	struct report *r = read_good(&src), *none;

	assert_int_equal(report__read(&src, &none, &err), -ENODATA);
	assert_null(none);
	fclose(src.in);
	return r;
}

/* ---- reading back what was written ---- */

/* An event's canonical name may differ from the name in the report. */
static struct report *make_aliases(int n)
{
	struct report *r = make_base();
	struct report_row *row = &add_prog(r, 42, "xdp_lb", "xdp_lb", 1000)->all;
	struct report_event *ev = add_event(row, "cpu-cycles:k", 200);

	free(ev->base);
	ev->base = strdup("cycles");
	add_event(row, "instructions:k", 300);
	return r;
}

static struct report *make_total(int n)
{
	return make_followed_intervals(2);
}

/* Sets all members that a row may have. The row is that of a program or of one CPU. */
static void fill_row(struct report_row *row)
{
	struct report_event *ev;
	struct report_block *b;

	row->runs = row->measured = 1000;
	row->unprobed = 2;
	row->at_least = true;
	row->thinned_out = row->period_min = row->period_max = 3;
	row->cpu_share = 0.5;
	row->share_estimated = true;
	row->share_error = 0.125;
	ev = add_event(row, "instructions:k", 100);
	set_bias(ev, 495, 0.125);
	ev->bias_uncertainty = ev->repeat_stddev = 0.25;
	*report_event__add_change(ev) = (struct report_change){1, 1, 41, NULL};
	ev->detail = strdup("in detail");
	ev->read = "pinned";
	ev->exact = true;
	*report_event__add_estimate(ev) = (struct report_estimate){5, 5};
	ev->mean_stddev = 5;
	add_verify(ev, "more", 5, 1, 16);
	add_bucket(ev, 1, 2, 3);
	b = report_event__add_block(ev);
	assert_non_null(b);
	b->measured = 7;
	for (int i = 0; i < STAT_CNT; i++) {
		ev->stat[i] = b->stat[i] = 100 + i;
		set_bounds(ev, i, 99.5 + i, 101 + i);
	}
	add_event(row, "cycles:k", 200);
}

static void fill_scope_row(struct report_row *row)
{
	struct report_event *ev = add_total(row, "instructions:k", 100, 50);

	ev->repeat_stddev = 0.25;
	ev->detail = strdup("in detail");
	add_total(row, "cycles:k", 100, 50);
}

static struct report *make_full(int n)
{
	struct report *r = make_base();
	struct report_prog *p = add_prog(r, 42, "xdp_lb", "xdp_lb", 0);
	struct report_scope *s = add_scope(r, "process", 7, "nginx");

	r->host.newest_tested = strdup("7.3");
	r->thin_period = 0; /* as in a report with "verify" */
	fill_row(&p->all);
	fill_row(report_prog__add_cpu(p, 3));
	fill_scope_row(&s->all);
	fill_scope_row(report_scope__add_cpu(s, 3));
	return r;
}

static const struct {
	struct report *(*make)(int n);
	struct render_opts opts;
	bool foreign_bytes; /* has bytes that JSON cannot hold, and that are written as U+FFFD */
} models[] = {
	{make_two_programs, {}, false},
	{make_two_programs, {.verbose = 1}, false},
	{make_cells, {}, false},
	{make_per_cpu, {.per_cpu = true}, false},
	{make_per_cpu, {.per_cpu = true, .interval = true}, false},
	{make_interval, {.interval = true}, false},
	{make_repeats, {}, false},
	{make_blocks, {}, false},
	{make_samples, {}, false},
	{make_verify, {}, false},
	{make_bench, {}, false},
	{make_hostile, {}, true},
	{make_huge, {}, false},
	{make_tails, {.verbose = 1}, false},
	{make_hist, {.per_cpu = true}, false},
	{make_multiplexed, {.per_cpu = true, .verbose = 1}, false},
	{make_thinned, {}, false},
	{make_thinned_auto, {.per_cpu = true}, false},
	{make_turns, {}, false},
	{make_tree, {}, false},
	{make_by_retval, {.dist = true}, false},
	{make_by_retval, {.interval = true}, false},
	{make_by_key, {.dist = true}, false},
	{make_by_key, {.interval = true}, false},
	{make_notes, {}, false},
	{make_followed, {}, false},
	{make_followed_intervals, {.interval = true}, false},
	{make_sums, {}, false},
	{make_path, {}, false},
	{make_operations, {}, false},
	{make_empty, {}, false},
	{make_system, {}, false},
	{make_system_per_cpu, {.per_cpu = true}, false},
	{make_system_per_cpu, {.per_cpu = true, .interval = true}, false},
	{make_system_repeats, {}, false},
	{make_system_hostile, {}, true},
	{make_aliases, {}, false},
	{make_total, {.interval = true}, false},
	{make_full, {.per_cpu = true}, false},
	{make_rich, {.per_cpu = true, .dist = true}, false},
};

/* All outputs of a report that was read are the same as those of the original. */
static void test_models(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(models); i++) {
		struct report *written = models[i].make(1);
		char *json = render(written, report__render_json, &models[i].opts);
		struct report *r = read_text(json);

		for (int k = 0; formats__next(DOC_PROGRAMS, k); k++) {
			report_render_fn *fn = formats__next(DOC_PROGRAMS, k)->report;
			char *want = render(written, fn, &models[i].opts);
			char *got = render(r, fn, &models[i].opts);

			if (fn == report__render_json || !models[i].foreign_bytes)
				assert_string_equal(got, want);
			free(want);
			free(got);
		}
		report__free(written);
		report__free(r);
		free(json);
	}
}

/* ---- every field is tested ---- */

/*
 * Returns the values of the field "key" in all objects. If elements is set, returns the elements of
 * arrays instead of the arrays.
 */
static json_t *collect(json_t *objects, const char *key, bool elements)
{
	json_t *found = json_array();

	for (size_t i = 0; i < json_array_size(objects); i++) {
		json_t *v = json_object_get(json_array_get(objects, i), key);

		if (v && !elements)
			json_array_append(found, v);
		else if (v)
			json_array_extend(found, v);
	}
	if (!json_array_size(found))
		fail_msg("%s: no model has it", key);
	return found;
}

static void check_table(json_t *objects, const struct json_table *t)
{
	for (int i = 0; i < t->cnt; i++)
		json_decref(collect(
			objects, *(const char *const *)((const char *)t->name + i * t->name_step),
			false));
}

/*
 * Checks for each field in rows that at least one of the objects has it. Also checks that the field
 * is read back, unless it follows from other fields.
 */
static void check_rows(json_t *objects, const struct json_field *rows)
{
	static const char *const only_written[] = {"tool", "interval", "runs_per_s", "metrics",
						   "operations"};

	for (const struct json_field *f = rows; f->kind; f++) {
		const struct json_list *l = f->kind == &field_list ? f->arg : NULL;
		json_t *values = f->key ? collect(objects, f->key, l) : json_incref(objects);
		bool known = f->kind->read;

		for (size_t i = 0; i < ARRAY_SIZE(only_written); i++)
			known |= !strcmp(f->key ?: "", only_written[i]);
		if (!known)
			fail_msg("%s: it is never read back", f->key);
		if (f->kind == &field_table)
			check_table(values, f->arg);
		else if (f->kind == &field_object)
			check_rows(values, f->arg);
		else if (l && l->elem.kind == &field_object)
			check_rows(values, l->elem.arg);
		json_decref(values);
	}
}

/*
 * Checks that each field is in at least one of models[], which test_models() writes and reads back.
 */
static void test_every_field(void **state)
{
	json_t *docs = json_array();

	for (size_t i = 0; i < ARRAY_SIZE(models); i++) {
		struct report *r = models[i].make(1);
		char *text = render(r, report__render_json, &models[i].opts);

		json_array_append_new(docs, json_loads(text, 0, NULL));
		report__free(r);
		free(text);
	}
	check_rows(docs, report_rows);
	json_decref(docs);
}

static void test_lines(void **state)
{
	static const struct render_opts opts = {.interval = true};
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	struct report_source src = {};
	struct report_error err;
	struct report *r;

	assert_non_null(out);
	for (int i = 0; i < 5; i++) {
		struct report *interval = make_interval(i);
		char *line = render(interval, report__render_json, &opts);

		fprintf(out, "%s%s", i == 3 ? "\n \t\r\n" : "", line);
		free(line);
		report__free(interval);
	}
	/*
	 * Lines before an invalid line are still read. The message has the number of the invalid
	 * line, 8.
	 */
	fputs("{\"schema\":1,\"tool\":\"bprof\"}\n", out);
	fclose(out);
	src.in = open_text(text, len);
	for (int i = 0; i < 5; i++) {
		r = read_good(&src);
		assert_int_equal(r->interval_ns, (i + 1) * 1000000000ULL + 98765);
		report__free(r);
	}
	assert_int_equal(report__read(&src, &r, &err), -EINVAL);
	assert_int_equal(err.line, 8);
	assert_string_equal(err.text, "calibrated: is missing");
	fclose(src.in);
	free(text);
}

/* ---- documents written by hand ---- */

#define HEAD "{\"schema\":1,\"tool\":\"bprof\",\"calibrated\":true"
#define DOC(...) HEAD ",\"programs\":[" __VA_ARGS__ "]}"
#define LOST "\"lost\":{\"entry\":0,\"read\":0,\"overflow\":0,\"recursion\":0}"
#define PROG_BEGIN "{\"id\":1,\"method\":\"fentry\",\"runs\":9,\"measured\":9," LOST
#define PROG(...) DOC(PROG_BEGIN __VA_ARGS__ "}")
#define EVENT_BEGIN ",\"events\":[{\"name\":\"cycles\",\"status\":\"ok\",\"measured\":9"
#define EVENT(...) PROG(EVENT_BEGIN __VA_ARGS__ "}]")
#define HIST(...) EVENT(",\"hist\":[" __VA_ARGS__ "]")

/* In a minimal report, missing values are unknown, never 0. */
static void test_minimal(void **state)
{
	struct report *r = read_text(EVENT(""));
	const struct report_event *ev = &r->prog[0].all.event[0];

	assert_null(r->version);
	assert_null(r->command);
	assert_null(r->host.kernel);
	assert_int_equal(r->repeats, 1);
	assert_int_equal(r->thin_period, 1);
	assert_int_equal(r->interval_ns, 0);
	assert_int_equal(r->skip_cnt, 0);
	assert_int_equal(r->prog_cnt, 1);
	assert_null(r->prog[0].name);
	assert_null(r->prog[0].input);
	assert_string_equal(r->prog[0].tag, "");
	assert_string_equal(r->prog[0].method, "fentry");
	assert_int_equal(r->prog[0].notes.cnt, 0);
	assert_int_equal(r->prog[0].cpu_cnt, 0);
	assert_false(r->prog[0].subprog);
	assert_true(isnan(r->prog[0].calls_per_run));
	assert_true(isnan(r->prog[0].retval));
	assert_false(r->prog[0].retval_varies);
	assert_false(r->prog[0].short_code);
	assert_false(r->prog[0].uncalibrated);
	for (int i = 0; i < SIZE_CNT; i++)
		assert_true(isnan(r->prog[0].size[i]));
	assert_int_equal(r->prog[0].all.cpu, -1);
	assert_int_equal(r->prog[0].all.period_max, 0);
	assert_true(isnan(r->prog[0].all.cpu_share));
	assert_string_equal(ev->name, "cycles");
	assert_string_equal(ev->base, "cycles");
	assert_int_equal(ev->block_cnt, 0);
	assert_false(ev->exact);
	assert_null(ev->detail);
	assert_null(ev->read);
	assert_true(isnan(ev->total) && isnan(ev->raw_per_run) && isnan(ev->bias) &&
		    isnan(ev->bias_stddev) && isnan(ev->repeat_stddev));
	for (int i = 0; i < STAT_CNT; i++)
		assert_true(isnan(ev->stat[i]));
	/* all renderers accept the report */
	render_all(r);
	report__free(r);
}

#define SYSTEM(...) HEAD ",\"programs\":[],\"system\":[" __VA_ARGS__ "]}"
#define SCOPE(...) SYSTEM("{\"scope\":\"system\",\"method\":\"bperf\"" __VA_ARGS__ "}")
#define TOTAL(...) SCOPE(",\"events\":[{\"name\":\"cycles\",\"status\":\"ok\"" __VA_ARGS__ "}]")

static void test_minimal_scope(void **state)
{
	struct report *r = read_text(TOTAL(""));
	const struct report_scope *s = &r->scope[0];
	const struct report_event *ev = &s->all.event[0];

	assert_int_equal(r->prog_cnt, 0);
	assert_int_equal(r->scope_cnt, 1);
	assert_string_equal(s->kind, "system");
	assert_string_equal(s->method, "bperf");
	assert_null(s->name);
	assert_int_equal(s->id, 0);
	assert_false(s->shared);
	assert_int_equal(s->notes.cnt, 0);
	assert_int_equal(s->cpu_cnt, 0);
	assert_true(s->all.of_scope);
	assert_string_equal(ev->base, "cycles");
	assert_true(isnan(ev->total) && isnan(ev->enabled_ns) && isnan(ev->running_ns) &&
		    isnan(ev->repeat_stddev));
	render_all(r);
	report__free(r);
}

/* This scope has every field that a scope may have. */
static void test_scope(void **state)
{
	struct report *r =
		read_text(SCOPE(",\"id\":42,\"name\":\"n\",\"shared\":true,\"notes\":[\"a\",\"b\"],"
				"\"events\":[],\"cpus\":[{\"cpu\":3,\"events\":[{\"name\":\"x:k\","
				"\"base\":\"x\",\"unit\":\"ns\",\"status\":\"ok\",\"total\":5.5,"
				"\"enabled_ns\":8,\"running_ns\":4,\"repeat_stddev\":0.5}]}]"));
	const struct report_scope *s = &r->scope[0];
	const struct report_event *ev;

	assert_int_equal(s->id, 42);
	assert_string_equal(s->name, "n");
	assert_true(s->shared);
	assert_int_equal(s->notes.cnt, 2);
	assert_string_equal(s->notes.text[1], "b");
	assert_int_equal(s->all.event_cnt, 0);
	assert_int_equal(s->cpu_cnt, 1);
	assert_int_equal(s->cpu[0].cpu, 3);
	assert_true(s->cpu[0].of_scope);
	ev = &s->cpu[0].event[0];
	assert_string_equal(ev->base, "x");
	assert_string_equal(ev->unit, "ns");
	assert_true(ev->total == 5.5 && ev->enabled_ns == 8 && ev->running_ns == 4 &&
		    ev->repeat_stddev == 0.5);
	report__free(r);
}

static void test_unknown_fields(void **state)
{
	struct report *r = read_text(
		EVENT(",\"new\":{\"a\":[null,1e300]},\"per_run\":{\"mean\":7,\"p42\":\"x\"}"));

	assert_true(r->prog[0].all.event[0].stat[STAT_MEAN] == 7);
	report__free(r);
}

/* Other programs may write numbers in other forms, such as 3.0 for 3. */
static void test_numbers(void **state)
{
	struct report *r = read_text(HIST("[-1.5,-1.5,1],[1e300,1e300,3.0],[1e300,2e300,1e3]"));
	const struct report_event *ev = &r->prog[0].all.event[0];

	assert_int_equal(ev->bucket_cnt, 3);
	assert_true(ev->bucket[0].low == -1.5);
	assert_int_equal(ev->bucket[1].count, 3);
	assert_int_equal(ev->bucket[2].count, 1000);
	report__free(r);
}

#define BAD_TIME "started: expected a time as 2026-01-31T00:00:00Z"
#define BAD_U64 "expected a number from 0 to 18446744073709551615"
#define FIRST_EVENT "programs[0].events[0]"

static const struct {
	const char *text;
	unsigned long line;
	const char *why; /* the complete message */
} bad[] = {
	/* documents that are not JSON, or truncated */
	{"ID  NAME\n", 1, "not a report of bprof"},
	{"\n\n  {\n\"schema\" 1}", 4, "not JSON"},
	{"{\"schema\":1,\n\"tool\":\"bpr", 2, "the document is cut off"},
	{"{\"schema\":1,\n\n", 3, "the document is cut off"},
	{"\x7f"
	 "ELF",
	 1, "not a report of bprof"},
	{"{\"tool\":\"\xff\"}", 1, "not UTF-8"},
	{"{\"tool\":\"a\\u0000\"}", 1, "a NUL character in a string"},
	{"{\"a\\u0000\":1}", 1, "a NUL character in a string"},
	{"{\"schema\":1,\"schema\":2}", 1, "an object has two fields with the same name"},
	{"{\"schema\":9223372036854775808}", 1, "a number is too large"},
	{"{\"schema\":1e999}", 1, "a number is too large"},
	{"1", 1, "not a report of bprof"},
	{"\"bprof\"", 1, "not a report of bprof"},
	/* documents that are not reports */
	{"{}", 1, "not a report of bprof"},
	{"[]", 1, "not a report of bprof"},
	{"\n{\n\"tool\":\"perf\"}", 2, "not a report of bprof"},
	{"{\"schema\":1,\"tool\":[\"bprof\"]}", 1, "not a report of bprof"},
	{"{\"tool\":\"bprof\",\"schema\":1,\"comparisons\":[]}", 1,
	 "a comparison (of bprof diff), not a report"},
	{"{\"tool\":\"bprof\"}", 1, "schema: expected a number of at least 1"},
	{"{\"tool\":\"bprof\",\"schema\":0}", 1, "schema: expected a number of at least 1"},
	{"{\"tool\":\"bprof\",\"schema\":\"1\"}", 1, "schema: expected a number of at least 1"},
	{"{\"tool\":\"bprof\",\"schema\":2,\"programs\":7}", 1,
	 "a report of a newer bprof (schema 2): this one reads up to 1"},
	/* reports with bad fields */
	{HEAD "}", 1, "programs: is missing"},
	{HEAD ",\"programs\":{}}", 1, "programs: expected an array, found an object"},
	{DOC("7"), 1, "programs[0]: expected an object, found a number"},
	{DOC("{}"), 1, "programs[0].id: is missing"},
	{DOC("{\"id\":-1}"), 1, "programs[0].id: expected a number from 0 to 4294967295"},
	{DOC("{\"id\":4294967296}"), 1, "programs[0].id: expected a number from 0 to 4294967295"},
	{DOC("{\"id\":1.5}"), 1, "programs[0].id: expected a whole number"},
	{DOC("{\"id\":1}"), 1, "programs[0].method: is missing"},
	{DOC("{\"id\":1,\"method\":null}"), 1, "programs[0].method: expected a string, found null"},
	{DOC("{\"id\":1,\"method\":\"m\"}"), 1, "programs[0].runs: is missing"},
	{DOC("{\"id\":1,\"method\":\"m\",\"case\":4}"), 1,
	 "programs[0].case: expected a string, found a number"},
	{DOC("{\"id\":1,\"method\":\"m\",\"retval\":-1}"), 1,
	 "programs[0].retval: expected a number from 0 to 4294967295"},
	{DOC("{\"id\":1,\"method\":\"m\",\"retval\":4294967296}"), 1,
	 "programs[0].retval: expected a number from 0 to 4294967295"},
	{DOC("{\"id\":1,\"method\":\"m\",\"retval\":\"XDP_PASS\"}"), 1,
	 "programs[0].retval: expected a number, found a string"},
	{DOC("{\"id\":1,\"method\":\"m\",\"retvals\":2}"), 1,
	 "programs[0].retvals: expected an array, found a number"},
	{DOC("{\"id\":1,\"method\":\"m\",\"retvals\":[2,-1]}"), 1,
	 "programs[0].retvals[1]: expected a number from 0 to 4294967295"},
	{DOC("{\"id\":1,\"method\":\"m\",\"retval_varies\":1}"), 1,
	 "programs[0].retval_varies: expected true or false, found a number"},
	{DOC("{\"id\":1,\"method\":\"m\",\"size\":[]}"), 1,
	 "programs[0].size: expected an object, found an array"},
	{DOC("{\"id\":1,\"method\":\"m\",\"size\":{\"jited_bytes\":-1}}"), 1,
	 "programs[0].size.jited_bytes: expected a number of at least 0"},
	{DOC("{\"id\":1,\"method\":\"m\",\"runs\":1e20}"), 1, "programs[0].runs: " BAD_U64},
	{DOC("{\"id\":1,\"method\":\"m\",\"tag\":\"d4f8542f2b42fac50\"}"), 1,
	 "programs[0].tag: expected up to 16 hexadecimal digits"},
	{DOC("{\"id\":1,\"method\":\"m\",\"tag\":\"\\u001b[2J\"}"), 1,
	 "programs[0].tag: expected up to 16 hexadecimal digits"},
	{DOC("{\"id\":1,\"method\":\"m\",\"depth\":2147483647}"), 1,
	 "programs[0].depth: expected a number from 0 to 256"},
	{DOC("{\"id\":1,\"method\":\"m\",\"notes\":[\"a\",1]}"), 1,
	 "programs[0].notes[1]: expected a string, found a number"},
	{PROG(""), 1, "programs[0].events: is missing"},
	{PROG(",\"cpu_share\":false"), 1, "programs[0].cpu_share: expected a number, found false"},
	{PROG(",\"events\":[],\"cpus\":[{}]"), 1, "programs[0].cpus[0].cpu: is missing"},
	{PROG(",\"events\":[],\"cpus\":[{\"cpu\":2147483648}]"), 1,
	 "programs[0].cpus[0].cpu: expected a number from 0 to 2147483647"},
	{PROG(",\"events\":[{\"name\":\"a\"}]"), 1, FIRST_EVENT ".status: is missing"},
	{PROG(",\"events\":[{\"name\":\"a\",\"status\":\"good\"}]"), 1,
	 FIRST_EVENT ".status: not an event status"},
	{PROG(",\"events\":[{\"name\":\"a\",\"status\":\"ok\",\"measured\":-3}]"), 1,
	 FIRST_EVENT ".measured: " BAD_U64},
	{EVENT(",\"per_run\":[]"), 1, FIRST_EVENT ".per_run: expected an object, found an array"},
	{EVENT(",\"per_run\":{\"p99\":\"1\"}"), 1,
	 FIRST_EVENT ".per_run.p99: expected a number, found a string"},
	{EVENT(",\"exact\":1"), 1, FIRST_EVENT ".exact: expected true or false, found a number"},
	{EVENT(",\"blocks\":{}"), 1, FIRST_EVENT ".blocks: expected an array, found an object"},
	{EVENT(",\"blocks\":[{\"measured\":1},[]]"), 1,
	 FIRST_EVENT ".blocks[1]: expected an object, found an array"},
	{EVENT(",\"blocks\":[{\"mean\":1}]"), 1, FIRST_EVENT ".blocks[0].measured: is missing"},
	{EVENT(",\"blocks\":[{\"measured\":0}]"), 1, FIRST_EVENT ".blocks[0]: has no runs"},
	{EVENT(",\"blocks\":[{\"measured\":1,\"p99\":null}]"), 1,
	 FIRST_EVENT ".blocks[0].p99: expected a number, found null"},
	{EVENT(",\"bounds\":{\"p50\":[1]}"), 1,
	 FIRST_EVENT ".bounds.p50: expected [least, greatest]"},
	{EVENT(",\"bounds\":{\"p50\":[1,\"2\"]}"), 1,
	 FIRST_EVENT ".bounds.p50[1]: expected a number, found a string"},
	{EVENT(",\"bounds\":{\"max\":[2,1]}"), 1,
	 FIRST_EVENT ".bounds.max: the values are not in order"},
	{HIST("[1,2]"), 1, FIRST_EVENT ".hist[0]: expected [low, high, runs]"},
	{HIST("[1,2,\"3\"]"), 1, FIRST_EVENT ".hist[0][2]: expected a number, found a string"},
	{HIST("[1,2,0]"), 1, FIRST_EVENT ".hist[0]: has no runs"},
	{HIST("[2,1,1]"), 1, FIRST_EVENT ".hist[0]: the values are not in order"},
	{HIST("[1,4,1],[3,5,1]"), 1, FIRST_EVENT ".hist[1]: the values are not in order"},
	{HEAD ",\"programs\":[],\"started\":\"yesterday\"}", 1, BAD_TIME},
	{HEAD ",\"programs\":[],\"started\":\"2026-02-30T00:00:00Z\"}", 1, BAD_TIME},
	{HEAD ",\"programs\":[],\"started\":\" 2026-02-20T00:00:00Z\"}", 1, BAD_TIME},
	{HEAD ",\"programs\":[],\"repeats\":0}", 1,
	 "repeats: expected a number from 1 to 2147483647"},
	{HEAD ",\"programs\":[],\"sample\":0}", 1,
	 "sample: expected a number from 1 to 18446744073709551615"},
	{HEAD ",\"programs\":[],\"sample_auto\":{\"share\":0}}", 1,
	 "sample_auto.share: expected a number above 0 and up to 1"},
	{HEAD ",\"programs\":[],\"host\":{\"cpus\":\"4\"}}", 1,
	 "host.cpus: expected a number, found a string"},
	{HEAD ",\"programs\":[],\"host\":{\"jit\":1}}", 1,
	 "host.jit: expected true or false, found a number"},
	{HEAD ",\"programs\":[],\"command\":[\"bprof\",true]}", 1,
	 "command[1]: expected a string, found true"},
	{HEAD ",\"programs\":[],\"skipped\":[{\"id\":1}]}", 1, "skipped[0].reason: is missing"},
	/* reports with bad scopes */
	{HEAD ",\"programs\":[],\"system\":true}", 1, "system: expected an array, found true"},
	{SYSTEM("{}"), 1, "system[0].scope: is missing"},
	{SYSTEM("{\"scope\":1}"), 1, "system[0].scope: expected a string, found a number"},
	{SYSTEM("{\"scope\":\"system\"}"), 1, "system[0].method: is missing"},
	{SCOPE(""), 1, "system[0].events: is missing"},
	{SCOPE(",\"id\":-1"), 1, "system[0].id: " BAD_U64},
	{SCOPE(",\"shared\":1"), 1, "system[0].shared: expected true or false, found a number"},
	{SCOPE(",\"notes\":[2]"), 1, "system[0].notes[0]: expected a string, found a number"},
	{SCOPE(",\"events\":[],\"cpus\":[{\"events\":[]}]"), 1,
	 "system[0].cpus[0].cpu: is missing"},
	{SCOPE(",\"events\":[],\"cpus\":[{\"cpu\":0}]"), 1, "system[0].cpus[0].events: is missing"},
	{TOTAL(",\"total\":\"7\""), 1,
	 "system[0].events[0].total: expected a number, found a string"},
	{TOTAL(",\"enabled_ns\":-1"), 1,
	 "system[0].events[0].enabled_ns: expected a number of at least 0"},
	{TOTAL(",\"running_ns\":[]"), 1,
	 "system[0].events[0].running_ns: expected a number, found an array"},
};

static void assert_refused(const char *text, size_t len, unsigned long line, const char *why)
{
	struct report_source src = {.in = open_text(text, len)};
	struct report *r = (void *)-1;
	struct report_error err = {};

	assert_int_equal(report__read(&src, &r, &err), -EINVAL);
	assert_null(r);
	if (err.line != line || strcmp(err.text, why))
		fail_msg("%.200s\ngot:  line %lu: %s\nwant: line %lu: %s", text, err.line, err.text,
			 line, why);
	fclose(src.in);
}

/* A report that was written before p95 was introduced has no p95, and no output makes one up. */
static void test_without_p95(void **state)
{
	static const struct render_opts opts = {.dist = true};
	struct report *r = read_text(
		EVENT(",\"per_run\":{\"min\":1,\"p50\":2,\"p90\":3,\"p99\":4,\"max\":5}"));
	const struct report_event *ev = &r->prog[0].all.event[0];
	char *json = render(r, report__render_json, &opts);
	char *text = render(r, report__render_text, &opts);

	assert_true(isnan(ev->stat[STAT_P95]));
	assert_true(ev->stat[STAT_P90] == 3 && ev->stat[STAT_P99] == 4);
	assert_null(strstr(json, "p95"));
	assert_non_null(strstr(text, "P90  P99"));
	free(json);
	free(text);
	report__free(r);
	r = read_text(EVENT(",\"per_run\":{\"p95\":672},\"bounds\":{\"p95\":[672,679]}"));
	ev = &r->prog[0].all.event[0];
	assert_true(ev->stat[STAT_P95] == 672 && ev->high[STAT_P95] == 679);
	report__free(r);
}

/*
 * A statistic that is known only to lie in a bucket has bounds. If a report lacks the bounds, they
 * are estimated from the value.
 */
static void test_bounds(void **state)
{
	struct report *r = read_text(EVENT(",\"per_run\":{\"min\":672,\"p50\":672,\"p99\":690},"
					   "\"bounds\":{\"p99\":[688,695]}"));
	const struct report_event *ev = &r->prog[0].all.event[0];

	assert_false(report_event__is_rough(ev, STAT_P50));
	assert_true(report_event__is_rough(ev, STAT_P99));
	assert_true(ev->low[STAT_P99] == 688 && ev->high[STAT_P99] == 695);
	report__free(r);
	r = read_text(EVENT(",\"per_run\":{\"min\":672,\"p50\":675.5,\"p99\":127,\"max\":4089}"));
	ev = &r->prog[0].all.event[0];
	assert_true(report_event__is_rough(ev, STAT_P50));
	assert_true(ev->low[STAT_P50] == 672);
	assert_true(ev->high[STAT_P50] > 679 && ev->high[STAT_P50] < 685);
	assert_false(report_event__is_rough(ev, STAT_P99));
	report__free(r);
	/* the widest bucket of the values from 128 on is 2; smaller values have a bucket each */
	r = read_text(EVENT(",\"per_run\":{\"p50\":128,\"p90\":-160,\"p99\":192,\"max\":900}"));
	ev = &r->prog[0].all.event[0];
	assert_true(ev->low[STAT_P50] == 127 && ev->high[STAT_P50] == 129);
	assert_true(ev->low[STAT_P90] == -161.25 && ev->high[STAT_P90] == -158.75);
	assert_true(ev->low[STAT_P99] == 190.5 && ev->high[STAT_P99] == 193.5);
	assert_false(report_event__is_rough(ev, STAT_MAX));
	report__free(r);
	/* bounds may be equal: the value is exact */
	r = read_text(EVENT(",\"per_run\":{\"p50\":5},\"bounds\":{\"p50\":[5,5]}"));
	assert_false(report_event__is_rough(&r->prog[0].all.event[0], STAT_P50));
	report__free(r);
}

static void test_refused(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_refused(bad[i].text, strlen(bad[i].text), bad[i].line, bad[i].why);
}

/* A document that is truncated anywhere is refused with a reason. */
static void test_cut_off(void **state)
{
	static const struct render_opts opts = {.per_cpu = true};
	struct report *r = make_hist(0);
	char *text = render(r, report__render_json, &opts);
	unsigned long line = 1;

	for (size_t len = 1; text[len + 1]; len++) {
		line += text[len - 1] == '\n';
		if (len > 500 && len % 97)
			continue;
		assert_refused(text, len, line, "the document is cut off");
	}
	free(text);
	report__free(r);
}

static void test_nothing(void **state)
{
	static const char *const texts[] = {"", "\n", " \t\r\n\n"};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct report_source src = {.in = open_text(texts[i], strlen(texts[i]))};
		struct report_error err;
		struct report *r;

		assert_int_equal(report__read(&src, &r, &err), -ENODATA);
		assert_null(r);
		fclose(src.in);
	}
}

static void test_read_error(void **state)
{
	struct report_source src = {.in = fopen("/", "r")};
	struct report_error err;
	struct report *r;

	assert_non_null(src.in);
	assert_int_equal(report__read(&src, &r, &err), -EISDIR);
	assert_null(r);
	fclose(src.in);
}

/* ---- reports that are too large ---- */

/*
 * Checks that a document is refused with the message "why". The document consists of "head", n
 * copies of "part" with commas between them, and "tail".
 */
static void assert_too_much(const char *head, const char *part, int n, const char *tail,
			    unsigned long line, const char *why)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	fputs(head, out);
	for (int i = 0; i < n; i++)
		fprintf(out, "%s%s", i ? "," : "", part);
	fputs(tail, out);
	assert_int_equal(fclose(out), 0);
	assert_refused(text, len, line, why);
	free(text);
}

static void test_limits(void **state)
{
	char names[129 * 64] = "";
	size_t len = 0;

	/* what looks like a value counts as one, also in a string */
	assert_too_much("\n{\"a\":\"", "0", 9 << 20, "\"}", 2, "too large for a report");
	assert_too_much("{\"a\":[", "[\"\\u0041\"", 10000, "", 1, "nested too deeply");
	for (int i = 0; i < 129; i++)
		len += snprintf(names + len, sizeof(names) - len,
				"%s{\"name\":\"e%d\",\"status\":\"ok\",\"measured\":1}",
				i ? "," : "", i);
	assert_too_much(HEAD
			",\"programs\":[{\"id\":1,\"method\":\"m\",\"runs\":1,\"measured\":1," LOST
			",\"events\":[",
			names, 1, "]}]}", 1, "programs[0].events[128]: more than 128 events");
}

/*
 * A table has one column for each different event of all programs. The number of columns is
 * limited.
 */
static void test_many_events(void **state)
{
	char progs[129 * 256] = "";
	size_t len = 0;

	for (int i = 0; i < 129; i++)
		len += snprintf(
			progs + len, sizeof(progs) - len,
			"%s{\"id\":1,\"method\":\"m\",\"runs\":1,\"measured\":1," LOST
			",\"events\":[{\"name\":\"e%d\",\"status\":\"ok\",\"measured\":1}]}",
			i ? "," : "", i);
	assert_too_much(HEAD ",\"programs\":[", progs, 1, "]}", 1,
			"programs[128].events[0]: more than 128 different events");
}

/* The number of all programs, scopes and their CPUs is limited. Here, each of them has 127 CPUs. */
static void test_many_rows(void **state)
{
	char *text[2], *head;
	size_t len;

	for (int i = 0; i < 2; i++) {
		const char *row = i ? "\"events\":[]}"
				    : "\"runs\":1,\"measured\":1," LOST ",\"events\":[]}";
		FILE *out = open_memstream(&text[i], &len);

		assert_non_null(out);
		fprintf(out, "{%s\"method\":\"m\",\"cpus\":[",
			i ? "\"scope\":\"process\"," : "\"id\":1,");
		for (int k = 0; k < 127; k++)
			fprintf(out, "%s{\"cpu\":%d,%s", k ? "," : "", k, row);
		fprintf(out, "],%s", row);
		fclose(out);
	}
	/* scopes are shorter: a test of as many programs takes ten times as long */
	assert_true(asprintf(&head, HEAD ",\"programs\":[%s,%s],\"system\":[", text[0], text[0]) >
		    0);
	assert_too_much(head, text[1], 1023, "]}", 1,
			"system[1022].cpus[0]: more than 131072 programs, scopes and CPUs");
	free(text[0]);
	free(text[1]);
	free(head);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_models),	       cmocka_unit_test(test_every_field),
		cmocka_unit_test(test_lines),	       cmocka_unit_test(test_minimal),
		cmocka_unit_test(test_minimal_scope),  cmocka_unit_test(test_scope),
		cmocka_unit_test(test_unknown_fields), cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_refused),	       cmocka_unit_test(test_cut_off),
		cmocka_unit_test(test_nothing),	       cmocka_unit_test(test_read_error),
		cmocka_unit_test(test_limits),	       cmocka_unit_test(test_many_events),
		cmocka_unit_test(test_many_rows),      cmocka_unit_test(test_without_p95),
		cmocka_unit_test(test_bounds),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8")) {
		fprintf(stderr, "this test needs the locale C.UTF-8\n");
		return 1;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
