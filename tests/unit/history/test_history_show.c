// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Compares what a history looks like in each output with files in tests/golden/history. Checks what
 * other tools require of the exports.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>

#include "btf/reason.h"
#include "history/history_check.h"
#include "history/history_export.h"
#include "history/history_show.h"
#include "render/render.h"
#include "tests/unit/history/history_lines.h"
#include "tests/unit/history/made_history.h"
#include "tests/unit/history/made_series.h"

/*
 * 24 commits of two programs: exact steps, a step in noise, a hostile name, a return value that
 * changes, a program that is gone, a new kernel, and another architecture.
 */
static void make_history(struct history *h)
{
	static const char hostile[] = "x\033[2J<b>&\"\n|`,";

	srand48(7);
	for (int i = 1; i <= 24; i++) {
		struct report *r = add_count(h, i, i < 8 ? 499 : i < 16 ? 505 : 504);
		struct report_prog *p = &r->prog[0];

		p->retval = i < 20 ? 2 : 1;
		p = add_prog(r, 43, hostile, hostile, 8000);
		p->input = strdup("a \"b\".pcap#1");
		add_spread(&p->all, "time", (i < 12 ? 200 : 231) + random_normal(), 1, 6);
		if (i > 22) {
			free(r->host.kernel);
			r->host.kernel = strdup("6.12.90");
		}
		if (i > 17 && i < 22)
			add_exact(&add_prog(r, 44, "gone", "gone", 8000)->all, "instructions", 7);
		if (i > 20) {
			r = add_count(h, i, 700);
			free(r->host.arch);
			r->host.arch = strdup("x86_64");
			h->v[h->cnt - 1].machine = strdup("lab");
		}
	}
	free(h->v[0].commit);
	h->v[0].commit = strdup("0123456789abcdef0123456789abcdef01234567");
	history__sort(h);
}

struct shown {
	struct history h;
	struct history_all all;
};

static int open_shown(void **state)
{
	static const struct history_opts o;
	struct shown *s = calloc(1, sizeof(*s));

	make_history(&s->h);
	history_all__make(&s->all, &s->h, &o);
	*state = s;
	return 0;
}

static int close_shown(void **state)
{
	struct shown *s = *state;

	history_all__free(&s->all);
	history__free(&s->h);
	free(s);
	return 0;
}

typedef void render_fn(const struct history_all *all, const struct history_show_opts *o, FILE *out);

static char *render(const struct shown *s, render_fn *fn, const struct history_show_opts *o)
{
	char *text;
	size_t sz;
	FILE *out = open_memstream(&text, &sz);

	assert_non_null(out);
	fn(&s->all, o, out);
	assert_int_equal(fclose(out), 0);
	return text;
}

static char *export(const struct shown *s, history_export_fn *fn)
{
	char *text;
	size_t sz;
	FILE *out = open_memstream(&text, &sz);

	assert_non_null(out);
	assert_int_equal(fn(&s->all, out), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void test_show(void **state)
{
	struct history_show_opts o = {.verbose = 1};

	assert_shown("history/show_verbose", "txt", render(*state, history_all__render_text, &o));
	o = (struct history_show_opts){.screen.width = 60};
	assert_shown("history/show_60", "txt", render(*state, history_all__render_text, &o));
	assert_shown("history/show", "series.json",
		     golden__set_version(render(*state, history_all__render_json, &o)));
	assert_shown("history/page", "html",
		     golden__cut_html(render(*state, history_all__render_html, &o)));
}

/* With --by, a program has a series for each value: JSON must tell them apart, as text does. */
static void test_parts(void **state)
{
	static const char *const names[] = {"XDP_DROP", "other"};
	const struct history_show_opts o = {};
	const struct history_opts opts = {};
	struct shown s = {};
	struct report *r = make_base();
	json_t *doc;
	char *text;

	r->by_retval = true;
	for (int i = 0; i < 2; i++) {
		struct report_prog *p = add_prog(r, 42, "xdp_lb", "xdp_lb", 8000);

		add_exact(&p->all, "instructions", 100 + i);
		report_prog__set_part(p, names[i]);
		p->retval = i ? NAN : 1;
	}
	add_entry(&s.h, 1, r);
	history__sort(&s.h);
	history_all__make(&s.all, &s.h, &opts);
	assert_int_equal(s.all.cnt, 2);
	text = render(&s, history_all__render_json, &o);
	doc = json_loads(text, 0, NULL);
	for (int i = 0; i < 2; i++) {
		const json_t *series = json_array_get(json_object_get(doc, "series"), i);

		assert_string_equal(json_string_value(json_object_get(series, "part")), names[i]);
	}
	json_decref(doc);
	free(text);
	history_all__free(&s.all);
	history__free(&s.h);
}

/* The file that 'bprof history html' and tests/schema.py read. */
static void test_file(void **state)
{
	const struct shown *s = *state;
	char *text;
	size_t sz;
	FILE *out = open_memstream(&text, &sz);

	for (int i = 0; i < s->h.cnt; i++)
		history_entry__print(&s->h.v[i], out);
	fclose(out);
	assert_shown("history/history", "jsonl", text);
}

static void test_check(void **state)
{
	const struct shown *s = *state;
	struct compare_render_opts o = {.base_name = "the commits before",
					.new_name = "c24",
					.exit_status = 5,
					.verbose = 1};
	static const struct {
		comparison_render_fn *render;
		const char *ext;
	} formats[] = {
		{comparison__render_text, "txt"},    {comparison__render_json, "json"},
		{comparison__render_markdown, "md"}, {comparison__render_junit, "xml"},
		{comparison__render_html, "html"},
	};
	struct comparison *c;
	struct reason reason;

	assert_int_equal(history__check(&s->all, &c, &reason), 0);
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		assert_shown("history/check", formats[i].ext,
			     golden__cut_html(golden__set_version(
				     render_comparison(c, formats[i].render, &o))));
	comparison__free(c);
}

/* ---- exports ---- */

/*
 * extractCustomBenchmarkResult() of github-action-benchmark takes name, value, unit, range and extra
 * of each element of an array; an alert divides value by that of the commit before.
 */
static void test_github(void **state)
{
	char *text = export(*state, history_export__github);
	json_t *doc = json_loads(text, 0, NULL), *e;
	size_t i;

	assert_int_equal(json_array_size(doc), 3);
	json_array_foreach(doc, i, e)
	{
		assert_true(json_string_length(json_object_get(e, "name")));
		assert_true(json_string_length(json_object_get(e, "unit")));
		assert_true(json_is_number(json_object_get(e, "value")));
		assert_true(json_is_string(json_object_get(e, "extra")));
	}
	json_decref(doc);
	assert_shown("history/export", "github", text);
}

static void add_namesakes(struct history *h, int nr, bool first)
{
	struct report *r = make_base();

	for (int i = !first; i < 2; i++) {
		struct report_prog *p = add_prog(r, 42 + i, "xdp_lb", "xdp_lb", 8000);

		snprintf(p->tag, sizeof(p->tag), "%016d", i);
		add_exact(&p->all, "instructions", 100 + 100 * i);
	}
	add_entry(h, nr, r);
}

/*
 * Programs with the same name have results with different names, which each stay the same if one of the
 * programs is not measured.
 */
static void test_github_namesakes(void **state)
{
	static const char *const names[] = {"xdp_lb: instructions min",
					    "xdp_lb: instructions min #2"};

	for (int gone = 0; gone < 2; gone++) {
		static const struct history_opts opts;
		struct shown s = {};
		json_t *doc;
		char *text;

		add_namesakes(&s.h, 1, true);
		add_namesakes(&s.h, 2, !gone);
		history__sort(&s.h);
		history_all__make(&s.all, &s.h, &opts);
		text = export(&s, history_export__github);
		doc = json_loads(text, 0, NULL);
		assert_int_equal(json_array_size(doc), 2 - gone);
		for (int i = gone; i < 2; i++) {
			const json_t *e = json_array_get(doc, i - gone);

			assert_string_equal(json_string_value(json_object_get(e, "name")),
					    names[i]);
			assert_int_equal(json_number_value(json_object_get(e, "value")),
					 100 + 100 * i);
		}
		json_decref(doc);
		free(text);
		history_all__free(&s.all);
		history__free(&s.h);
	}
}

static void test_benchfmt(void **state)
{
	assert_shown("history/export", "bench", export(*state, history_export__benchfmt));
}

/* Nothing to export: the newest commit has no series that was chosen. */
static void test_nothing(void **state)
{
	const struct history_opts o = {.name = "gone"};
	const struct shown *s = *state;
	struct history_all all;

	history_all__make(&all, &s->h, &o);
	assert_int_equal(all.cnt, 1);
	assert_int_equal(history_export__github(&all, stdout), -ENODATA);
	history_all__free(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_show),	cmocka_unit_test(test_file),
		cmocka_unit_test(test_parts),	cmocka_unit_test(test_check),
		cmocka_unit_test(test_github),	cmocka_unit_test(test_benchfmt),
		cmocka_unit_test(test_nothing), cmocka_unit_test(test_github_namesakes),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests_name("history/show", tests, open_shown, close_shown);
}
