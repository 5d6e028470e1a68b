// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Compares the output of every renderer of comparisons with golden files, for a comparison with all verdicts
 * and one of several kernels. Other comparisons must show certain lines (compare_lines.h). All outputs must meet
 * the rules for any output, such as no control characters. BPROF_GOLDEN_UPDATE=1 rewrites the golden files;
 * check their changes with git diff.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>

#include "base/util.h"
#include "compare/compare.h"
#include "render/render.h"
#include "tests/unit/compare_models.h"
#include "tests/unit/each_field.h"
#include "tests/unit/golden.h"
#include "tests/unit/long_test.h"
#include "tests/unit/render/compare_lines.h"

#define POINTS 3
#define PAIRS 2

struct view {
	struct report *base, *new;
	struct report *at[2 * PAIRS]; /* with an axis: the reports of its points */
	struct compare_limits limits;
	struct compare_matches matches;
	bool allow_retval_change;
	struct comparison *c;
};

static void open_view(struct view *s, struct report *base, struct report *new)
{
	const struct compare_opts o = {&s->limits, &s->matches, s->allow_retval_change};
	struct reason err;

	s->base = base;
	s->new = new;
	if (compare__reports(base, new, &o, &s->c, &err))
		fail_msg("%s", err.detail);
}

static void close_view(struct view *s)
{
	comparison__free(s->c);
	compare_limits__free(&s->limits);
	compare_matches__free(&s->matches);
	report__free(s->base);
	report__free(s->new);
	for (size_t i = 0; i < ARRAY_SIZE(s->at); i++)
		report__free(s->at[i]);
}

static void make_same(struct view *s)
{
	struct report *r[2];

	for (int i = 0; i < 2; i++) {
		r[i] = make_base();
		add_spread(&add_prog(r[i], 42, "xdp_lb", "xdp_lb", 8000)->all, "cycles", 151.25,
			   0.25, 8);
		add_exact(&r[i]->prog[0].all, "instructions", 99);
	}
	open_view(s, r[0], r[1]);
}

/* A comparison that has all verdicts. */
static void make_changes(struct view *s)
{
	assert_int_equal(compare_matches__add(&s->matches, "xdp_fw=xdp_fw_v2", NULL), 0);
	open_view(s, make_side(false), make_side(true));
}

static void make_limits(struct view *s)
{
	static const char *const specs[] = {"cycles:p50>5", "xdp_lb:*/cycles:mean>9%",
					    "instructions:min> 10 %", "time:mean>0.5us"};
	struct report *base = make_side(false), *new = make_side(true);

	for (size_t i = 0; i < ARRAY_SIZE(specs); i++)
		assert_int_equal(compare_limits__add(&s->limits, specs[i], NULL), 0);
	open_view(s, base, new);
}

/*
 * A comparison with input cases, with names that have markup, escapes or invalid UTF-8, and with
 * rows without a ratio.
 */
static void make_hostile_pair(struct view *s)
{
	static const char *const names[] = {"`|`*x*<b>@all&\"", "\033[2J\n", "bad\xff\xc3(",
					    "na\xc3\xafve"};
	struct report *r[2];

	for (int n = 0; n < 2; n++) {
		r[n] = make_base();
		for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
			struct report_prog *p = add_prog(r[n], i, names[i], names[i], 8000);

			p->input = strdup(names[ARRAY_SIZE(names) - 1 - i]);
			add_spread(&p->all, i ? "cycles" : "cpu/\"<a>\"|`/", n ? -2 : 0, 0, 6);
			add_spread(&p->all, "time", n ? 1e15 : -5, i * 1e9, 6);
			add_exact(&p->all, "instructions", n ? 1e-7 : 0);
		}
	}
	free(r[1]->host.kernel);
	r[1]->host.kernel = strdup("6.12\033]0;pwned\a\n`<script>");
	open_view(s, r[0], r[1]);
}

/*
 * One version of an object, with an exact event and a noisy one, input cases, sizes, and return
 * values.
 */
static struct report *make_version(bool new)
{
	static const char *const inputs[] = {"syn.pcap#1", "syn.pcap#2", "icmp.bin"};
	struct report *r = make_base();

	for (size_t i = 0; i < ARRAY_SIZE(inputs); i++) {
		struct report_prog *p = add_prog(r, 1 + new, "xdp_lb", "xdp_lb", 20000);
		double cost = 499 + 40 * i + (new &&i == 1);

		p->input = strdup(inputs[i]);
		p->retval = new &&i == 2 ? 1 : 2;
		add_spread(&p->all, "instructions", cost + 0.01, 0.001, 20);
		p->all.event[0].stat[STAT_MIN] = cost;
		p->all.event[0].exact = true;
		for (int k = 0; k < 20; k++)
			p->all.event[0].block[k].stat[STAT_P50] = 499.5 + 40 * i;
		add_spread(&p->all, "time", 350 + 20 * i, 0.5, 20);
		for (int k = 0; k < 2; k++)
			set_bounds(&p->all.event[k], STAT_P50, 496 + 40 * i, 503 + 40 * i);
		p->size[SIZE_VERIFIED_INSNS] = 1234 + 10 * new;
		p->size[SIZE_XLATED] = 2456;
		p->size[SIZE_JITED] = 1480 - 16 * new;
		p->size[SIZE_STACK] = 64;
	}
	add_exact(&add_prog(r, 3, new ? "xdp_new" : "xdp_old", "f", 1)->all, "instructions", 7);
	r->prog[3].size[SIZE_JITED] = 4096;
	return r;
}

static void make_versions(struct view *s)
{
	open_view(s, make_version(false), make_version(true));
}

static void make_allowed(struct view *s)
{
	s->allow_retval_change = true;
	make_versions(s);
}

/* A comparison that does not fit into one comment on GitHub. */
static void make_many(struct view *s)
{
	struct report *r[2];

	for (int n = 0; n < 2; n++) {
		r[n] = make_base();
		for (int i = 0; i < 350; i++) {
			struct report_prog *p = add_prog(r[n], i,
							 "xdp_load_balancer_of_a_long_name",
							 "xdp_load_balancer_of_a_long_name", 8000);
			char input[64];

			snprintf(input, sizeof(input), "captured-on-the-uplink.pcap#%d", i);
			p->input = strdup(input);
			p->size[SIZE_JITED] = 1000 + i;
			add_exact(&p->all, "instructions", 500 + n * (i < 60));
		}
	}
	open_view(s, r[0], r[1]);
}

static void set_kernel(struct report *r, const char *kernel)
{
	free(r->host.kernel);
	r->host.kernel = strdup(kernel);
}

static const char *const kernels[POINTS] = {"5.10", "6.12", "7.2"};

/*
 * The report of a kernel. On one kernel, xdp_lb costs more instructions but no more time; on the
 * last one, it returns something else. xdp_new is not loaded by the first kernel, and xdp_old not
 * by the last.
 */
static struct report *make_point(int i)
{
	static const double lb[POINTS] = {499, 549, 490};
	struct report *r = make_base();
	struct report_prog *p;

	set_kernel(r, kernels[i]);
	p = add_prog(r, 1, "xdp_lb", "xdp_lb", 20000);
	p->retval = i < POINTS - 1 ? 2 : 1;
	p->size[SIZE_VERIFIED_INSNS] = 1234 + i;
	p->size[SIZE_XLATED] = 2456;
	p->size[SIZE_JITED] = 2000 - i;
	p->size[SIZE_STACK] = 64;
	add_exact(&p->all, "instructions", lb[i]);
	add_spread(&p->all, "time", 350, 0.5, 8);
	if (i == POINTS - 1)
		set_bounds(&p->all.event[1], STAT_P50, 348, 351);
	if (i)
		add_exact(&add_prog(r, 2, "xdp_new", "f", 1)->all, "instructions", 7);
	else
		report__skip(r, 0, "xdp_new", "not_loaded", "unknown func bpf_loop#181");
	if (i < POINTS - 1)
		add_exact(&add_prog(r, 4, "xdp_old", "f", 1)->all, "instructions", 9);
	else
		report__skip(r, 0, "xdp_old", "not_loaded", "R1 invalid mem access 'scalar'");
	return r;
}

static void open_axis(struct view *s, struct compare_part *parts, int cnt)
{
	struct reason err;

	for (int i = 0; i < cnt; i++) {
		parts[i].axis = "kernel";
		parts[i].opts.allow_retval_change = s->allow_retval_change;
		parts[i].point = kernels[i];
	}
	if (compare__parts(parts, cnt, &s->c, &err))
		fail_msg("%s", err.detail);
}

static void make_axis(struct view *s)
{
	struct compare_part parts[POINTS];

	s->allow_retval_change = true;
	for (int i = 0; i < POINTS; i++) {
		s->at[i] = make_point(i);
		parts[i] = (struct compare_part){.base = s->at[0], .new = s->at[i]};
	}
	open_axis(s, parts, POINTS);
}

/* Two versions of a program on two kernels: each is compared with the base on its kernel. */
static void make_axis_pairs(struct view *s)
{
	struct compare_part parts[PAIRS];

	for (int i = 0; i < 2 * PAIRS; i++) {
		s->at[i] = make_version(i % 2);
		set_kernel(s->at[i], kernels[i / 2]);
		if (i % 2)
			parts[i / 2] = (struct compare_part){.base = s->at[i - 1], .new = s->at[i]};
	}
	open_axis(s, parts, PAIRS);
}

/* The renderers, and the extensions of their golden files. */
static const struct output {
	const char *ext;
	comparison_render_fn *render;
} outputs[] = {
	{"txt", comparison__render_text},    {"json", comparison__render_json},
	{"md", comparison__render_markdown}, {"xml", comparison__render_junit},
	{"html", comparison__render_html},
};

/* Bits for the output formats in which a golden case is tested. */
enum {
	TEXT = 1,
	JSON = 2,
	MARKDOWN = 4,
	JUNIT = 8,
	HTML = 16,
	ALL = TEXT | JSON | MARKDOWN | JUNIT | HTML
};

static const struct golden_case {
	const char *name;
	void (*make)(struct view *s);
	struct compare_render_opts opts;
	unsigned int formats;
	unsigned int whole; /* formats that have a golden file; of others, some lines are tested */
} cases[] = {
	{"same", make_same, {}, ALL},
	{"changes", make_changes, {}, ALL, TEXT | JSON | HTML | MARKDOWN | JUNIT},
	{"changes_verbose",
	 make_changes,
	 {.verbose = 1, .screen = {.color = true}},
	 TEXT | MARKDOWN},
	{"changes_80", make_changes, {.verbose = 1, .screen = {.width = 80}}, TEXT},
	{"changes_100", make_changes, {.verbose = 1, .screen = {.width = 100}}, TEXT},
	{"changes_200", make_changes, {.verbose = 1, .screen = {.width = 200}}, TEXT},
	{"changes_excused",
	 make_changes,
	 {.excuses = EXCUSE_INCONCLUSIVE | EXCUSE_ONE_SIDED},
	 JSON | JUNIT},
	{"limits", make_limits, {}, ALL},
	{"versions", make_versions, {}, ALL},
	{"versions_78", make_versions, {.screen = {.width = 78}}, TEXT},
	{"versions_excused",
	 make_versions,
	 {.excuses = EXCUSE_INCONCLUSIVE | EXCUSE_ONE_SIDED},
	 JUNIT},
	{"versions_allowed", make_allowed, {}, TEXT | JSON},
	{"axis", make_axis, {}, ALL, JSON},
	{"axis_80", make_axis, {.screen = {.width = 80, .color = true}}, TEXT},
	{"axis_pairs", make_axis_pairs, {}, ALL},
	{"many", make_many, {}, MARKDOWN},
	{"hostile", make_hostile_pair, {}, ALL},
};

static char *render(const struct comparison *c, comparison_render_fn *fn,
		    const struct compare_render_opts *opts)
{
	struct compare_render_opts o = *opts;

	o.base_name = "base.json";
	o.new_name = "new.json";
	return render_comparison(c, fn, &o);
}

static char *render_case(const struct golden_case *c, comparison_render_fn *fn)
{
	static const int statuses[OUTCOME_CNT] = {[OUTCOME_WORSE] = 3, [OUTCOME_INCONCLUSIVE] = 5};
	struct compare_render_opts opts = c->opts;
	struct view s = {};
	char *text;

	c->make(&s);
	opts.exit_status = statuses[comparison__outcome(s.c, opts.excuses)];
	text = render(s.c, fn, &opts);
	close_view(&s);
	return text;
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
	char name[64];

	snprintf(name, sizeof(name), "compare/%s", c->name);
	assert_shown_as(name, output->ext,
			golden__set_version(golden__cut_html(render_case(c, output->render))),
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

	for (const unsigned char *p = (void *)text; *p && !c->opts.screen.color; p++) {
		assert_true(*p == '\n' || *p >= ' ');
		assert_int_not_equal(*p, 0x7f);
		assert_true(output->render != comparison__render_json || *p < 0x7f);
	}
	assert_null(strstr(text, "nan"));
	free(text);
}

/* The output has no control characters, whatever the names of programs and events are. */
static void test_harmless(void **state)
{
	for_each_output(check_plain_text);
}

/* ---- reading ---- */

static int parse(const char *text, struct compare_saved *saved, struct report_error *err)
{
	struct report_source src = {.kind = "comparison", .line = 1};
	json_t *doc = json_loads(text, 0, NULL);
	int ret;

	assert_non_null(doc);
	*err = (struct report_error){.line = 1};
	ret = compare_saved__parse(&src, doc, saved, err);
	json_decref(doc);
	return ret;
}

/* A comparison that was read from its JSON is rendered in each format as the comparison itself. */
static void check_read_back(const struct golden_case *c)
{
	struct compare_render_opts opts = c->opts;
	char *json = render_case(c, comparison__render_json), *want, *got;
	struct compare_saved saved;
	struct report_error err;
	struct view s = {};

	if (parse(json, &saved, &err))
		fail_msg("%s: %s", c->name, err.text);
	assert_string_equal(saved.base_name, "base.json");
	assert_string_equal(saved.new_name, "new.json");
	assert_int_equal(saved.inconclusive_ok, !!(opts.excuses & EXCUSE_INCONCLUSIVE));
	assert_int_equal(saved.one_sided_ok, !!(opts.excuses & EXCUSE_ONE_SIDED));
	opts.exit_status = saved.exit_status;
	opts.version = saved.version;
	c->make(&s);
	for (size_t k = 0; k < ARRAY_SIZE(outputs); k++) {
		if (!(c->formats & (1 << k)))
			continue;
		want = render(s.c, outputs[k].render, &opts);
		got = render(saved.c, outputs[k].render, &opts);
		/* JSON has neither names that are not UTF-8 nor all digits of tiny numbers. */
		if (strcmp(c->name, "hostile"))
			assert_string_equal(got, want);
		free(want);
		free(got);
	}
	close_view(&s);
	compare_saved__free(&saved);
	free(json);
}

static void test_read_back(void **state)
{
	/* with ASan, reading very many rows takes seconds, and the rows are alike */
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (cases[i].make != make_many)
			check_read_back(&cases[i]);
}

/* Replaces the first "from" in the JSON of a comparison. Returns the error of reading it. */
static int read_with(const char *from, const char *to, struct report_error *err)
{
	const struct golden_case *c = &cases[0];
	char *json, *at, *text;
	struct compare_saved saved;
	int ret;

	while (strcmp(c->name, "versions"))
		c++;
	json = render_case(c, comparison__render_json);
	at = strstr(json, from);
	assert_non_null(at);
	assert_true(asprintf(&text, "%.*s%s%s", (int)(at - json), json, to, at + strlen(from)) > 0);
	ret = parse(text, &saved, err);
	if (!ret)
		compare_saved__free(&saved);
	free(json);
	free(text);
	return ret;
}

static void test_refused(void **state)
{
	static const struct {
		const char *from, *to, *error;
	} rows[] = {
		{"\"schema\": 1", "\"schema\": 2",
		 "a comparison of a newer bprof (schema 2): this one reads up to 1"},
		{"\"comparisons\":", "\"other\":",
		 "a report (of bprof stat or bench), not a comparison: 'bprof record' makes one"},
		{"\"verdict\": \"worse\"", "\"verdict\": \"bad\"",
		 "verdict: not one of the known names"},
		{"\"base\": \"base.json\",", "", "base: is missing"},
		{"\"event\": \"", "\"evil\": \"", "comparisons[0].event: is missing"},
		{"\"stat\": \"p50\"", "\"stat\": 50",
		 "comparisons[2].stat: expected a string, found a number"},
		{"\"limit\": \"*:", "\"limit\": \"", "comparisons[0].limit: not a limit"},
		{"\"new_retval\"", "\"x\"", "comparisons[1]: has only one return value"},
	};
	struct report_error err;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(read_with(rows[i].from, rows[i].to, &err), -EINVAL);
		assert_string_equal(err.text, rows[i].error);
	}
	assert_int_equal(read_with("\"tests\"", "\"unknown\"", &err), 0);
}

/* No name breaks a table: each line of a table has as many cells as its header. */
static void test_markdown_cells(void **state)
{
	char *text = render_case(&cases[ARRAY_SIZE(cases) - 1], comparison__render_markdown), *line;
	int lines = 0, want = 0;

	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		int cells = 0;

		if (*line != '|') {
			want = 0;
			continue;
		}
		for (const char *p = line; *p; p++)
			cells += *p == '|' && (p == line || p[-1] != '\\');
		want = want ?: cells;
		assert_int_equal(cells, want);
		lines++;
	}
	assert_in_range(lines, 8, 100);
	free(text);
}

/* The output is within GitHub's limit for a comment, and begins with the worst changes. */
static void test_markdown_size(void **state)
{
	struct view s = {};
	char *text, *details;

	make_many(&s);
	text = render(s.c, comparison__render_markdown, &(struct compare_render_opts){});
	assert_in_range(strlen(text), 20000, 65536);
	details = strstr(text, "<details>");
	assert_non_null(details);
	assert_in_range(details - text, 1000, 20000);
	assert_non_null(strstr(text, "\n\nand 20 more that are not the same, in the details\n"));
	assert_non_null(strstr(details, "\n\nand 150 more, too many for a comment\n"));
	assert_non_null(strstr(details, "\n\nand 310 more programs\n"));
	free(text);
	close_view(&s);
}

/* Lists in Markdown have a limit, too. */
static void test_markdown_lists(void **state)
{
	static char sentence[] = "the versions were measured in another order";
	struct compare_gap gaps[300];
	struct view s = {};
	char *text;

	make_many(&s);
	assert_int_equal(s.c->row_cnt, 350);
	for (int i = 0; i < 350; i++)
		snprintf(s.c->row[i].why, sizeof(s.c->row[i].why), "%s: %d", sentence, i);
	for (int i = 0; i < 300; i++)
		gaps[i] = (struct compare_gap){sentence, sentence};
	s.c->gap = gaps;
	s.c->gap_cnt = 300;
	text = render(s.c, comparison__render_markdown, &(struct compare_render_opts){});
	s.c->gap = NULL;
	s.c->gap_cnt = 0;
	assert_in_range(strlen(text), 20000, 65536);
	assert_non_null(strstr(text, ": 39\n- and 310 more reasons\n\n"));
	assert_non_null(strstr(text, "`\n- and 261 more notes\n- BASE, NEW: "));
	free(text);
	close_view(&s);
}

/* The name of an axis may come from a report. */
static void test_hostile_axis(void **state)
{
	const struct compare_render_opts opts = {};
	struct view s = {};
	char *text;

	make_axis(&s);
	snprintf(s.c->axis_header, sizeof(s.c->axis_header), "A\033|<b>");
	text = render(s.c, comparison__render_markdown, &opts);
	assert_non_null(strstr(text, "| `A\\x1b\\x7c<b>` |"));
	assert_null(strchr(text, '\033'));
	free(text);
	close_view(&s);
}

/* Each end tag has a start tag, and all quotes and brackets are escaped. */
static void test_xml(void **state)
{
	char *text = render_case(&cases[ARRAY_SIZE(cases) - 1], comparison__render_junit),
	     *p = text;
	int depth = 0, elements = 0;

	assert_int_equal(strncmp(p, "<?xml", 5), 0);
	for (p = strchr(p, '\n'); *p; p++) {
		bool ends = p[1] == '/';
		int quotes = 0;

		if (*p != '<') {
			assert_non_null(strchr(" \n", *p));
			continue;
		}
		for (p++; quotes % 2 || *p != '>'; p++) {
			assert_true(*p && *p != '<' && *p != '>');
			quotes += *p == '"';
			if (*p == '&')
				assert_true(!strncmp(p, "&amp;", 5) || !strncmp(p, "&lt;", 4) ||
					    !strncmp(p, "&gt;", 4) || !strncmp(p, "&quot;", 6) ||
					    !strncmp(p, "&#", 2));
		}
		depth += ends ? -1 : p[-1] != '/';
		assert_true(depth >= 0);
		elements++;
	}
	assert_int_equal(depth, 0);
	assert_true(elements > 10);
	free(text);
}

static void test_json_values(void **state)
{
	char *text = render_case(&cases[1], comparison__render_json);
	json_t *doc = json_loads(text, JSON_REJECT_DUPLICATES, NULL), *row;
	struct report_source src = {.in = fmemopen(text, strlen(text), "r")};
	struct report_error err;
	struct report *r;

	assert_non_null(doc);
	assert_string_equal(json_string_value(json_object_get(doc, "verdict")), "worse");
	assert_int_equal(json_integer_value(json_object_get(doc, "exit_status")), 3);
	row = json_array_get(json_object_get(doc, "comparisons"), 0);
	assert_string_equal(json_string_value(json_object_get(row, "program")),
			    "xdp_lb:parse_ipv6");
	assert_true(json_is_real(json_object_get(json_object_get(row, "share"), "low")));
	json_decref(doc);
	/*
	 * a comparison is not a report, and reading it as a report fails with a message that says
	 * so
	 */
	assert_non_null(src.in);
	assert_int_equal(report__read(&src, &r, &err), -EINVAL);
	assert_string_equal(err.text, "a comparison (of bprof diff), not a report");
	fclose(src.in);
	free(text);
}

static void test_headline(void **state)
{
	struct comparison c = {.verdict = VERDICT_WORSE};
	char buf[160];

	for (int i = 0; i < VERDICT_CNT; i++)
		c.cnt[i] = 2147483647;
	assert_string_equal(comparison__headline(&c, buf, sizeof(buf)),
			    "worse: 2147483647 worse, 2147483647 inconclusive, 2147483647 gone, "
			    "2147483647 new, 2147483647 better, 2147483647 same");
	assert_string_equal(comparison__headline(&c, buf, 9), "worse: 2");
}

static void test_output_error(void **state)
{
	struct view s = {};

	make_changes(&s);
	for (size_t k = 0; k < ARRAY_SIZE(outputs); k++) {
		const struct compare_render_opts o = {};
		FILE *full = fopen("/dev/full", "w");

		assert_non_null(full);
		assert_int_equal(comparison__render(s.c, outputs[k].render, &o, full), -ENOSPC);
		fclose(full);
	}
	close_view(&s);
}

/* ---- comparisons with strange fields ---- */

static int fields_read, fields_refused;

static void check_changed(void *arg, const char *text, const char *key, bool missing)
{
	struct report_error err;
	struct compare_saved saved;
	int ret = parse(text, &saved, &err);

	if (ret) {
		assert_int_equal(ret, -EINVAL);
		assert_string_not_equal(err.text, "");
		assert_null(strchr(err.text, '\x1b'));
		/*
		 * Without "comparisons", the document is taken for a report; return values come in
		 * pairs.
		 */
		if (missing && strcmp(key, "comparisons") && !strstr(key, "_retval") &&
		    !strstr(err.text, key))
			fail_msg("without %s: %s", key, err.text);
		fields_refused++;
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(outputs); i++) {
		char *out;

		/* each value is rendered in only two of the formats, in turn, because there are many values */
		if (!is_long_test() && (i + fields_read) % ARRAY_SIZE(outputs) > 1)
			continue;
		out = render(saved.c, outputs[i].render, &(struct compare_render_opts){});
		if (strstr(out, "(null)"))
			fail_msg("%s: %s", key, out);
		free(out);
	}
	compare_saved__free(&saved);
	fields_read++;
}

/*
 * Reads comparisons of which a field is missing or has another value than bprof writes: each is
 * refused with the field's name, or rendered in every format.
 */
static void test_fields(void **state)
{
	static const char *const names[] = {"same", "changes_excused", "limits", "versions",
					    "axis", "axis_pairs"};
	json_t *seen = json_object();

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		for (size_t k = 0; k < ARRAY_SIZE(names); k++)
			if (!strcmp(cases[i].name, names[k])) {
				char *json = render_case(&cases[i], comparison__render_json);

				check_each_field(json, seen, NULL, check_changed);
				free(json);
			}
	assert_true(fields_read > 100);
	assert_true(fields_refused > 100);
	json_decref(seen);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shown),	       cmocka_unit_test(test_read_back),
		cmocka_unit_test(test_refused),	       cmocka_unit_test(test_harmless),
		cmocka_unit_test(test_markdown_cells), cmocka_unit_test(test_markdown_size),
		cmocka_unit_test(test_markdown_lists), cmocka_unit_test(test_xml),
		cmocka_unit_test(test_hostile_axis),   cmocka_unit_test(test_json_values),
		cmocka_unit_test(test_headline),       cmocka_unit_test(test_output_error),
		cmocka_unit_test(test_fields),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8")) {
		fprintf(stderr, "this test needs the locale C.UTF-8\n");
		return 1;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
