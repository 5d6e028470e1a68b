// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Compares the metrics of fixed reports with golden files, in both formats. tests/export.sh checks
 * the same files with parsers.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/text.h"
#include "export/export_inventory.h"
#include "export/inventory.h"
#include "export/metrics.h"
#include "export/series.h"
#include "tests/unit/export/export_lines.h"
#include "tests/unit/report_models.h"
#include "target/target.h"

static const struct metrics_self self = {.version = "0.1.0",
					 .started = {1767225600, 123456789},
					 .looks = 3,
					 .look_ns = 4500000,
					 .requests = 2,
					 .cpu_ns = 1234567890,
					 .memory = 9437184};

/* Adds n reports, and sets *last to the last one. */
static struct series *make_series(struct report *(*make)(int n), int n, int max_progs,
				  const char *buckets, struct report **last)
{
	struct series_opts o = {.max_progs = max_progs};
	const struct timespec from = {1767225600, 5000000};
	struct series *s;

	assert_int_equal(series_bounds__parse(buckets, &o, NULL), 0);
	series_bounds__set_default(&o);
	s = series__new(&o);
	assert_non_null(s);
	for (int i = 0; i < n; i++) {
		*last = make(i);
		series__add(s, *last, &from, i);
		if (i < n - 1)
			report__free(*last);
	}
	return s;
}

static char *write(const struct series *s, const struct report *last, const struct inventory *inv,
		   enum metrics_format format)
{
	struct metrics_self values = self;
	char *text;
	size_t sz;
	FILE *out = open_memstream(&text, &sz);

	assert_non_null(out);
	values.last = last;
	values.inventory = inv;
	metrics__write(s, &values, format, out);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void add_map(struct inventory_prog *p, const char *name, const char *type, __u32 id,
		    __u64 memory, __u64 max_entries)
{
	struct inventory_map *map = inventory_prog__add_map(p, name, type);

	assert_non_null(map);
	map->id = id;
	map->memory = memory;
	map->max_entries = max_entries;
}

/*
 * Makes the nth report of programs with several versions. It has values for every metric. The probe of
 * one program is attached only for slices of time.
 */
static struct report *make_rich_export(int n)
{
	struct report *r = make_followed(n);
	struct report_row *row = &r->prog[1].all;

	report__add_budget(r)->share = 0.005;
	r->budget->added = 0.0042;
	r->budget->turns = true;
	r->budget->stats = 0.0001;
	r->budget->stats_run_ns = 25;
	row->unprobed = 9000;
	row->runs += row->unprobed;
	row->lost[LOST_OVERFLOW] = 2;
	return r;
}

static void test_golden(void **state)
{
	static const struct {
		const char *name;
		struct report *(*make)(int n);
		int cnt, max_progs;
		const char *buckets;
	} cases[] = {
		{"export", make_rich_export, 2, 3, "100,1us"},
		{"export_hist", make_hist, 2, 10, "20,2000,100us,1ms"},
		{"export_cells", make_cells, 1, 10, "100"},
		{"export_namesakes", make_namesakes, 1, 10, "none"},
		{"export_thinned", make_thinned_auto, 1, 10, "none"},
		{"export_by_retval", make_by_retval, 2, 10, "100"},
		{"export_huge", make_huge, 1, 10, "1,100000,1000000,1us,1s"},
	};
	struct inventory *inv = inventory__new();
	struct inventory_prog *p = inventory__add_prog(inv, 59);

	p->memory = 4096;
	add_map(p, "flows", "hash", 7, 1000000, 10000);
	inventory_prog__attach(p, "xdp");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct report *last = NULL;
		struct series *s = make_series(cases[i].make, cases[i].cnt, cases[i].max_progs,
					       cases[i].buckets, &last);

		assert_shown(cases[i].name, "om", write(s, last, inv, METRICS_OPENMETRICS));
		assert_shown(cases[i].name, "prom", write(s, last, inv, METRICS_PROMETHEUS));
		report__free(last);
		series__free(s);
	}
	inventory__free(inv);
}

/*
 * The memory of two loads of a program is added up, and a map that both use is listed once. The number of
 * maps of a program is limited. Programs that are not measured have no samples.
 */
static void test_inventory(void **state)
{
	struct inventory *inv = inventory__new();
	struct series_opts o = {.max_progs = 10};
	struct series *s = series__new(&o);
	struct report *r = make_base();
	const struct timespec from = {1767225600, 0};
	struct inventory_prog *p;
	char *text, name[16];

	for (__u32 id = 42; id <= 43; id++) {
		add_prog(r, id, "xdp_lb", "xdp_lb", 10);
		p = inventory__add_prog(inv, id);
		p->memory = 4096;
		add_map(p, "flows", "hash", 7, 1000000, 10000);
		add_map(p, "stats", "percpu_array", id + 100, 64, 1);
		inventory_prog__attach(p, "xdp");
	}
	inventory_prog__attach(p, "xdp");
	inventory_prog__attach(p, "tcx");
	add_prog(r, 57, "tc_mark", "tc_mark", 1);
	p = inventory__add_prog(inv, 57);
	p->memory = 8192;
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "map_%d", i);
		add_map(p, name, "array", 200 + i, 10, 1);
	}
	add_prog(r, 58, "unknown", "unknown", 1);
	inventory__add_prog(inv, 99)->memory = 1;
	inv->unheld = (struct inventory_unheld){true, 3, 12288, 2};
	inv->jit.used = 900;
	inv->jit.limit = 1000;
	series__add(s, r, &from, 1);
	text = write(s, NULL, inv, METRICS_PROMETHEUS);
	assert_non_null(strstr(text, "\nbprof_jit_memory_bytes{of=\"programs\"} 900\n"));
	free(text);
	inv->jit.exact = true;
	text = write(s, NULL, inv, METRICS_OPENMETRICS);
	assert_null(strstr(strstr(text, "map_id=\"7\"") + 1, "map_id=\"7\""));
	assert_null(strstr(text, "map=\"map_16\""));
	assert_null(strstr(text, "memory_bytes{name=\"unknown\""));
	assert_shown("export_inventory", "om", text);
	report__free(r);
	series__free(s);
	inventory__free(inv);
}

/* The memory of a program that bprof does not keep open is not known, so it has no sample. */
static void test_closed(void **state)
{
	struct prog prog = {.fd = -1, .info.type = BPF_PROG_TYPE_UNSPEC};
	struct target target = {.id = 42, .prog = &prog};
	const struct target_list targets = {.v = &target, .cnt = 1};
	struct inventory *inv = export_inventory__load(&targets, NULL);
	struct series_opts o = {.max_progs = 10};
	struct series *s = series__new(&o);
	struct report *r = make_base();
	char *text;

	assert_non_null(inventory__find(inv, 42));
	add_prog(r, 42, "xdp_lb", "xdp_lb", 10);
	series__add(s, r, &(struct timespec){1767225600, 0}, 1);
	text = write(s, NULL, inv, METRICS_PROMETHEUS);
	assert_non_null(strstr(text, "bprof_program_runs_total{name=\"xdp_lb\""));
	assert_null(strstr(text, "memory_bytes{name=\"xdp_lb\""));
	free(text);
	report__free(r);
	series__free(s);
	inventory__free(inv);
}

/* Before the first report, only the metrics of bprof itself have values. */
static void test_empty(void **state)
{
	struct series_opts o = {};
	struct series *s = series__new(&o);
	char *text = write(s, NULL, NULL, METRICS_OPENMETRICS);

	assert_non_null(strstr(text, "\nbprof_build_info{version=\"0.1.0\"} 1\n"));
	assert_null(strstr(text, "\nbprof_program_runs_total"));
	assert_string_equal(text + strlen(text) - 6, "# EOF\n");
	free(text);
	series__free(s);
}

static void test_labels(void **state)
{
	static const struct {
		const char *value, *want;
	} rows[] = {
		{"", ""},
		{"a\"b\\c", ",n=\"a\\\"b\\\\x5cc\""},
		{"line\nfeed\rtab\t\x7f", ",n=\"line\\\\x0afeed\\\\x0dtab\\\\x09\\\\x7f\""},
		{"\xc3\xaf\xe5\x8c\x85\xf0\x9f\x90\x9d",
		 ",n=\"\xc3\xaf\xe5\x8c\x85\xf0\x9f\x90\x9d\""},
		/* too long a form, a surrogate, beyond U+10FFFF, truncated, a byte of no character */
		{"\xc0\xaf", ",n=\"\\\\xc0\\\\xaf\""},
		{"\xed\xa0\x80", ",n=\"\\\\xed\\\\xa0\\\\x80\""},
		{"\xf4\x90\x80\x80", ",n=\"\\\\xf4\\\\x90\\\\x80\\\\x80\""},
		{"x\xe2\x82", ",n=\"x\\\\xe2\\\\x82\""},
		{"\xff\xf8", ",n=\"\\\\xff\\\\xf8\""},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		bool first = false;
		char *text;
		size_t sz;
		FILE *out = open_memstream(&text, &sz);

		metrics__add_label(out, &first, "n", rows[i].value);
		fclose(out);
		assert_string_equal(text, rows[i].want);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden), cmocka_unit_test(test_inventory),
		cmocka_unit_test(test_closed), cmocka_unit_test(test_empty),
		cmocka_unit_test(test_labels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
