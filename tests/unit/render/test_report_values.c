// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests outputs at limits that the golden files do not reach: a cell, a column or a sentence appears or not if a
 * report has one thing more or less.
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
#include "html/html_chart.h"
#include "render/render.h"
#include "render/report_csv_priv.h"
#include "report/report.h"
#include "tests/unit/count_parts.h"
#include "tests/unit/report_models.h"

/* Returns the output, and frees the report. */
static char *render(struct report *r, report_render_fn *fn, const struct render_opts *o)
{
	char *text = render_report(r, fn, o, NULL);

	report__free(r);
	return text;
}

/* Checks how often each part is in the output; frees the report. */
struct part {
	const char *text;
	int cnt;
};

static void check(struct report *r, report_render_fn *fn, const struct render_opts *o,
		  const struct part *parts)
{
	char *text = render(r, fn, o);

	for (; parts->text; parts++)
		if (count_parts(text, parts->text) != parts->cnt)
			fail_msg("not %d times '%s':\n%s", parts->cnt, parts->text, text);
	free(text);
}

#define PARTS(...) ((const struct part[]){__VA_ARGS__, {}})
#define OPTS(...) (&(struct render_opts){__VA_ARGS__})

/* ---- text ---- */

/* A program whose runs were not all counted may have run: --active does not hide it. */
static void test_active(void **state)
{
	struct report *r = make_base();

	add_prog(r, 1, "idle", "idle", 0);
	add_prog(r, 2, "maybe", "maybe", 0)->all.at_least = true;
	check(r, report__render_text, OPTS(.active = true),
	      PARTS({"idle", 0}, {"maybe  xdp", 1}, {"\n1 more program not shown (--active)", 1}));
}

static void test_metrics(void **state)
{
	struct report *r = make_base();
	struct report_row *row = &add_prog(r, 1, "p", "p", 10)->all;

	add_event(row, "branch-misses", 3);
	add_event(row, "branches", 200);
	add_event(row, "instructions", 30);
	add_event(row, "cycles", 20);
	check(r, report__render_text, OPTS(), PARTS({"1.50% BR-MISS", 1}, {" 1.50 IPC", 1}));
}

/* Tests the first line: the limit of --sample auto, and the number of repeats. */
static void test_summary(void **state)
{
	static const struct {
		double added;
		int repeats, limit, over;
	} cases[] = {{0.25, 1, 1, 0}, {0.5, 2, 1, 0}, {0.75, 3, 0, 1}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct report *r = make_base();

		r->thin_period = 0;
		report__add_budget(r)->share = 0.5;
		r->budget->added = cases[i].added;
		r->repeats = cases[i].repeats;
		check(r, report__render_text, OPTS(),
		      PARTS({"(limit: 50%)", cases[i].limit},
			    {"(over the limit of 50%)", cases[i].over}, {", 1 repeats", 0},
			    {", 2 repeats", cases[i].repeats == 2}));
	}
}

/* Without -v, an event without percentiles has no line, although it is known how it was read. */
static void test_dist_lines(void **state)
{
	for (int verbose = 0; verbose < 2; verbose++) {
		struct report *r = make_base();
		struct report_row *row = &add_prog(r, 1, "p", "p", 10)->all;
		struct report_event *ev = add_event(row, "cycles", 10);

		set_spread(ev, 1, 2, 3, 4, 5, 6, 7, 8);
		add_event(row, "branches", 10)->read = "pinned";
		ev = add_event(row, "misses", 10);
		ev->read = "pinned";
		set_status(ev, EVENT_NOT_COUNTED, NULL);
		check(r, report__render_text, OPTS(.dist = true, .verbose = verbose),
		      PARTS({"cycles", 2}, {"branches", 1 + verbose}, {"pinned", verbose}));
	}
}

/* The rows of CPUs have no return value: it stands in the row of the program. */
static void test_cpus_by_retval(void **state)
{
	struct report *r = make_base();
	struct report_prog *p = add_part(r, 42, "xdp_lb", 1, 1000, 10);

	for (int cpu = 0; cpu < 2; cpu++) {
		struct report_row *row = report_prog__add_cpu(p, cpu);

		assert_non_null(row);
		row->runs = row->measured = 500;
		set_spread(add_event(row, "instructions", 10), 1, 2, 3, 4, 5, 6, 7, 8);
	}
	r->by_retval = true;
	check(r, report__render_text, OPTS(.dist = true, .per_cpu = true),
	      PARTS({"XDP_DROP", 2}, {"  cpu 0", 2}, {"  cpu 1", 2}));
}

static char *print_samples(const struct record_samples *s, double time_ns)
{
	char *text = NULL;
	size_t sz;
	FILE *out = open_memstream(&text, &sz);

	assert_non_null(out);
	record_samples__print_losses(s, out);
	record_samples__print_cost(s, time_ns, out);
	fclose(out);
	return text;
}

static void test_losses(void **state)
{
	static const struct {
		struct record_samples s;
		const char *want;
	} cases[] = {
		{{.lost = 1}, "about 1 sample was due"},
		{{.lost = 2}, "about 2 samples were due"},
		{{.throttled = 1}, "1 time because"},
		{{.throttled = 2}, "2 times because"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *text = print_samples(&cases[i].s, 1);

		if (!strstr(text, cases[i].want))
			fail_msg("%s: %s", cases[i].want, text);
		free(text);
	}
}

/* The cost of a sample is not known if bprof took no samples to measure it, or if these took no time. */
static void test_sample_cost(void **state)
{
	static const struct {
		double cost_ns, time_ns;
		const char *want;
	} cases[] = {
		{0, 100, "is not known"}, {-1, 100, "is not known"}, {NAN, 100, "is not known"},
		{50, 0, "is not known"},  {50, NAN, "is not known"}, {50, 1000, "added 10.00%"},
		{1, 20, "added 10.00%"},  {0.5, 1, "added 100.00%"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct record_samples s = {.taken = 2, .cost_ns = cases[i].cost_ns};
		char *text = print_samples(&s, cases[i].time_ns);

		if (!strstr(text, cases[i].want))
			fail_msg("%g: %s", cases[i].cost_ns, text);
		free(text);
	}
}

/*
 * With -I, the text has a line on sampling only if samples were lost or throttled, or if an event
 * was multiplexed.
 */
static void test_sampling(void **state)
{
	static const struct {
		struct record_samples s;
		int lines;
	} cases[] = {
		{{.lost = 3}, 1},
		{{.throttled = 3}, 1},
		{{.enabled_ns = 10, .running_ns = 9}, 1},
		{{.enabled_ns = 10, .running_ns = 10}, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct report *r = make_samples(0);

		r->sampling->event_cnt = 1;
		r->sampling->event[0].sum = cases[i].s;
		free(r->sampling->event[1].event);
		check(r, report__render_text, OPTS(.interval = true),
		      PARTS({"since the start", cases[i].lines}));
	}
}

/*
 * One estimated event of one program is enough for the table of estimates. A total of 0 has no
 * error.
 */
static void test_estimates(void **state)
{
	static const struct {
		double total;
		const char *want;
	} cases[] = {{100, "100  +- 50.00%"}, {1, " 1  +- 50.00%"}, {0, " 0  -\n"}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct report *r = make_base();
		struct report_row *row = &add_prog(r, 1, "p", "p", 10)->all;

		add_estimate(row, "cycles", cases[i].total, 4);
		add_event(row, "time", 5);
		check(r, report__render_text, OPTS(),
		      PARTS({"estimated from samples", 1}, {cases[i].want, 1}));
	}
}

/* Each program has one line with its sizes: that of the first row that has them. */
static void test_sizes(void **state)
{
	static const struct {
		struct {
			__u32 id;
			const char *name;
			double size;
		} row[3];
		int lines;
	} cases[] = {
		{{{1, "p", 5}, {1, "p", 5}, {1, "p", 5}}, 1},
		{{{1, "p", NAN}, {1, "p", 5}, {1, "p", NAN}}, 1},
		{{{1, "p", 5}, {2, "p", 5}, {2, "p", 5}}, 2},
		{{{1, "p", 5}, {2, "p", NAN}, {2, "p", NAN}}, 1},
		{{{1, "p", 5}, {1, "q", 5}, {1, "q", NAN}}, 2},
		{{{1, "p", NAN}, {1, "p", NAN}, {1, "p", NAN}}, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases) * 3; i++) {
		/* shown with -v, and after bprof bench */
		int how = i / ARRAY_SIZE(cases), at = i % ARRAY_SIZE(cases);
		struct report *r = make_base();

		for (int k = 0; k < 3; k++)
			add_prog(r, cases[at].row[k].id, cases[at].row[k].name, "f", 10)
				->size[SIZE_STACK] = cases[at].row[k].size;
		r->driven = how == 2;
		check(r, report__render_text, OPTS(.verbose = how == 1),
		      PARTS({"size of each program", how && cases[at].lines},
			    {"            5\n", how ? cases[at].lines : 0}));
	}
}

/* If only the row of a CPU needs a column, HTML has the column's header, too. */
static void test_scope_columns(void **state)
{
	for (int per_cpu = 0; per_cpu < 2; per_cpu++) {
		struct report *r = make_base();
		struct report_scope *s = add_scope(r, "system", 0, "");
		struct report_row *row = report_scope__add_cpu(s, 0);

		add_total(&s->all, "time", 5, 100);
		add_total(row, "instructions", 30, 100);
		add_total(row, "cycles", 20, 100);
		check(r, report__render_html, OPTS(.per_cpu = per_cpu),
		      PARTS({"METRIC</th>", per_cpu}, {"1.50 IPC", per_cpu}));
	}
}

/*
 * The shares in a tree are shares of the tree's cost. Its table names the input case only if the
 * functions of the tree have one.
 */
static void test_trees(void **state)
{
	for (int cases = 0; cases < 2; cases++) {
		struct report *r = make_base();
		struct report_prog *p;

		add_func(r, "xdp_lb", 0, 1000, 0.5, 0.25);
		add_func(r, "parse", 1, 1000, 0.25, 0.25);
		p = add_prog(r, 57, "xdp_fw", "xdp_fw", 1000);
		add_event(&p->all, "instructions", 500)->stat[STAT_SELF] = 500;
		for (int i = cases ? 0 : 2; i < (cases ? 2 : 3); i++)
			r->prog[i].input = strdup("syn");
		check(r, report__render_text, OPTS(),
		      PARTS({"50.0%\n", 4}, {"  CASE", cases}, {"cost of a call", 1}));
	}
}

/* With --top, the text says how many programs are not shown. */
static void test_hidden(void **state)
{
	static report_render_fn *const renders[] = {report__render_text, report__render_html};

	for (int progs = 1; progs <= 3; progs++)
		for (size_t i = 0; i < ARRAY_SIZE(renders); i++) {
			struct report *r = make_base();

			for (int k = 0; k < progs; k++)
				add_event(&add_prog(r, k, "p", "p", 10)->all, "cycles", 5);
			check(r, renders[i], OPTS(.top = 1),
			      PARTS({"1 more program not shown", progs == 2},
				    {"2 more programs not shown", progs == 3},
				    {"not shown", progs > 1}));
		}
}

/* ---- CSV ---- */

static void test_csv_separators(void **state)
{
	static const struct {
		const char *sep;
		bool good;
	} seps[] = {{",", true},  {"; ", true}, {"", false},  {"\"", false}, {"a\n", false},
		    {".", false}, {"-", false}, {"1", false}, {" - ", true}};

	for (size_t i = 0; i < ARRAY_SIZE(seps); i++)
		assert_int_equal(!report_csv__check_sep(seps[i].sep), seps[i].good);
}

/* Two repeats have a column for their variation, one has not. */
static void test_csv_repeats(void **state)
{
	for (int repeats = 1; repeats <= 2; repeats++) {
		struct report *r = make_base();

		r->repeats = repeats;
		add_event(&add_prog(r, 1, "p", "p", 10)->all, "cycles", 200)->repeat_stddev = 50;
		check(r, report__render_csv, OPTS(.names = true),
		      PARTS({",variation,", repeats - 1}, {",cycles,25.00%,", repeats - 1}));
	}
}

/*
 * In CSV, a minimum or maximum that is known only to within a bucket is left out; a percentile is
 * not.
 */
static void test_csv_rough(void **state)
{
	check(make_tails(1), report__render_csv, OPTS(),
	      PARTS({",151.25,,148,176,512,1104,25088,,210.04,", 1}));
	check(make_tails(0), report__render_csv, OPTS(),
	      PARTS({",151.25,-12,148,176,512,1104,25088,1234567,210.04,", 1}));
}

/* ---- JSON ---- */

/* A statistic whose bounds are equal is exact, and has no bounds. */
static void test_json_bounds(void **state)
{
	struct report *r = make_base();
	struct report_event *ev = add_event(&add_prog(r, 1, "p", "p", 10)->all, "cycles", 5);

	ev->stat[STAT_P50] = 5;
	set_bounds(ev, STAT_P50, 5, 5);
	set_bounds(ev, STAT_P90, 5, 6);
	check(r, report__render_json, OPTS(.one_line = true),
	      PARTS({"\"bounds\":{\"p90\":[5,6]}", 1}));
}

/* The samples in targets and in functions that they call may be all samples, but not more than all. */
static void test_json_samples(void **state)
{
	for (int more = 0; more < 2; more++) {
		struct report *r = make_samples(0);
		struct report_error err;
		char *text;
		FILE *in;

		r->sampling->event[0].sum.in_targets =
			r->sampling->event[0].sum.taken - r->sampling->event[0].sum.in_calls + more;
		text = render(r, report__render_json, OPTS(.one_line = true));
		in = fmemopen(text, strlen(text), "r");
		assert_int_equal(report__read_all(in, &r, &err), more ? -EINVAL : 0);
		report__free(r);
		fclose(in);
		free(text);
	}
}

/* The limit is on different events: many programs with the same event do not reach it. */
static void test_json_events(void **state)
{
	struct report *r = make_base();
	struct report_error err;
	char *text;
	FILE *in;

	for (int i = 0; i < 200; i++)
		add_event(&add_prog(r, i, "p", "p", 10)->all, "cycles", 5);
	text = render(r, report__render_json, OPTS(.one_line = true));
	in = fmemopen(text, strlen(text), "r");
	assert_int_equal(report__read_all(in, &r, &err), 0);
	assert_int_equal(r->prog_cnt, 200);
	report__free(r);
	fclose(in);
	free(text);
}

/* ---- charts ---- */

/*
 * Two blocks of a program are enough for a chart. With more than CHART_MAX_DOTS blocks, the chart
 * has no dots.
 */
static void test_block_charts(void **state)
{
	static const struct {
		int blocks, charts, dots;
	} cases[] = {
		{0, 0, 0},
		{1, 0, 0},
		{2, 1, 2},
		{CHART_MAX_DOTS, 1, CHART_MAX_DOTS},
		{CHART_MAX_DOTS + 1, 1, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct report *r = make_base();
		struct report_event *ev =
			add_event(&add_prog(r, 1, "p", "p", 1000)->all, "cycles", 5);

		for (int k = 0; k < cases[i].blocks; k++)
			add_block(ev, 5, 5 + k, NAN);
		check(r, report__render_html, OPTS(),
		      PARTS({"<h2>Charts</h2>", cases[i].charts}, {"<svg ", cases[i].charts},
			    {"class=\"dot\"", cases[i].dots}));
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_active),	       cmocka_unit_test(test_metrics),
		cmocka_unit_test(test_dist_lines),     cmocka_unit_test(test_cpus_by_retval),
		cmocka_unit_test(test_csv_separators), cmocka_unit_test(test_csv_repeats),
		cmocka_unit_test(test_csv_rough),      cmocka_unit_test(test_losses),
		cmocka_unit_test(test_sample_cost),    cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_json_bounds),    cmocka_unit_test(test_summary),
		cmocka_unit_test(test_trees),	       cmocka_unit_test(test_sampling),
		cmocka_unit_test(test_estimates),      cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_scope_columns),  cmocka_unit_test(test_json_samples),
		cmocka_unit_test(test_json_events),    cmocka_unit_test(test_block_charts),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8")) {
		fprintf(stderr, "this test needs the locale C.UTF-8\n");
		return 1;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
