// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests reports in Go's benchmark format: a strict parser accepts them, and they have all the
 * values of the report, each with its own name and unit. The parser is tested, too.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>

#include "render/render.h"
#include "tests/unit/benchfmt_parser.h"
#include "tests/unit/report_models.h"

static char *render(const struct report *r, const char *version)
{
	return render_report(r, report__render_benchfmt, &(struct render_opts){.version = version},
			     NULL);
}

/* ---- what the parser has read ---- */

struct document {
	struct entry {
		char *name, *unit; /* in config: the key and the value of the line */
		double value;
		long long runs;
	} value[512], config[32], unit[32];
	int value_cnt, config_cnt, unit_cnt;
};

static struct entry *add_entry(struct entry *v, int *cnt, int max, const char *name,
			       const char *unit)
{
	assert_true(*cnt < max);
	v[*cnt] = (struct entry){.name = strdup(name), .unit = strdup(unit)};
	return &v[(*cnt)++];
}

static void add_config(void *arg, const char *key, const char *value)
{
	struct document *d = arg;

	add_entry(d->config, &d->config_cnt, ARRAY_SIZE(d->config), key, value);
}

static void add_value(void *arg, const char *name, long long runs, double value, const char *unit)
{
	struct document *d = arg;
	struct entry *e = add_entry(d->value, &d->value_cnt, ARRAY_SIZE(d->value), name, unit);

	e->runs = runs;
	e->value = value;
}

static void add_unit(void *arg, const char *unit, const char *key, const char *value)
{
	struct document *d = arg;

	/* benchfmt refuses a second line about a unit, unless the line says the same */
	for (int i = 0; i < d->unit_cnt; i++)
		assert_string_not_equal(d->unit[i].name, unit);
	assert_string_equal(key, "assume");
	add_entry(d->unit, &d->unit_cnt, ARRAY_SIZE(d->unit), unit, value);
}

static struct document *read_document(struct report *r, const char *version)
{
	struct document *d = calloc(1, sizeof(*d));
	const struct benchfmt_reader reader = {add_config, add_value, add_unit, d};
	char *text = render(r, version);
	const char *why;
	int line;

	assert_non_null(d);
	why = benchfmt__read(&reader, text, &line);
	if (why)
		fail_msg("line %d: %s\n%s", line, why, text);
	free(text);
	report__free(r);
	return d;
}

static void free_entries(struct entry *v, int cnt)
{
	for (int i = 0; i < cnt; i++) {
		free(v[i].name);
		free(v[i].unit);
	}
}

static void free_document(struct document *d)
{
	free_entries(d->value, d->value_cnt);
	free_entries(d->config, d->config_cnt);
	free_entries(d->unit, d->unit_cnt);
	free(d);
}

static const char *find_config(const struct document *d, const char *key)
{
	for (int i = 0; i < d->config_cnt; i++)
		if (!strcmp(d->config[i].name, key))
			return d->config[i].unit;
	return "";
}

/* Returns the n-th value of this name and unit, or NULL if there are fewer. */
static const struct entry *find_value(const struct document *d, const char *name, const char *unit,
				      int n)
{
	for (int i = 0; i < d->value_cnt; i++)
		if (!strcmp(d->value[i].name, name) && !strcmp(d->value[i].unit, unit) && !n--)
			return &d->value[i];
	return NULL;
}

static void check_value(const struct document *d, const char *name, const char *unit, int n,
			double value, long long runs)
{
	const struct entry *e = find_value(d, name, unit, n);

	if (!e)
		fail_msg("no %s of %s, number %d", unit, name, n);
	assert_true(e->value == value);
	assert_int_equal(e->runs, runs);
}

/* ---- tests of the output ---- */

static void test_blocks(void **state)
{
	struct document *d = read_document(make_bench(0), "old");

	assert_string_equal(find_config(d, "goos"), "linux");
	assert_string_equal(find_config(d, "goarch"), "arm64");
	assert_string_equal(find_config(d, "cpu"), "Cortex-A72");
	assert_string_equal(find_config(d, "kernel"), "6.12.57");
	assert_string_equal(find_config(d, "method"), "test_run");
	assert_string_equal(find_config(d, "version"), "old");
	assert_string_equal(find_config(d, "cost"), "net");
	/* each block has a line, with the minimum if the block has one */
	check_value(d, "Xdp_lb/case=syn.pcap#1", "instructions/op", 0, 500, 2000);
	check_value(d, "Xdp_lb/case=syn.pcap#1", "instructions/op", 1, 500.5, 2000);
	assert_null(find_value(d, "Xdp_lb/case=syn.pcap#1", "instructions/op", 2));
	check_value(d, "Xdp_lb/case=syn.pcap#1", "min-instructions/op", 1, 500, 2000);
	check_value(d, "Xdp_lb/case=syn.pcap#1", "ns/op", 0, 350.75, 2000);
	assert_null(find_value(d, "Xdp_lb/case=syn.pcap#1", "min-ns/op", 0));
	check_value(d, "Xdp_lb/case=syn.pcap#1", "ns/op", 1, 350.25, 2000);
	/* without blocks, there is one line */
	check_value(d, "Xdp_lb/func=parse_ipv6/case=syn.pcap#1", "instructions/op", 0, 500.25,
		    4000);
	check_value(d, "Xdp_lb/case=big%20data%2D2", "instructions/op", 0, 500.25, 4000);
	check_value(d, "Tc_mark", "instructions/op", 0, 500.25, 4000);
	assert_int_equal(d->value_cnt, 2 * 3 + 5);
	assert_int_equal(d->unit_cnt, 1);
	assert_string_equal(d->unit[0].name, "min-instructions/op");
	assert_string_equal(d->unit[0].unit, "exact");
	free_document(d);
}

/* Without blocks there is one line for each program. Units without a value are left out. */
static void test_whole(void **state)
{
	struct document *d = read_document(make_cells(0), NULL);

	assert_string_equal(find_config(d, "version"), "");
	assert_string_equal(find_config(d, "cost"), "raw");
	check_value(d, "Xdp_lb/func=parse_ipv6", "instructions/op", 0, 12345.678, 980);
	check_value(d, "Xdp_lb/func=parse_ipv6", "branches/op", 0, 20, 980);
	check_value(d, "Count_pkts", "ns/op", 0, 250750.5, 2000);
	check_value(d, "Sampled", "instructions/op", 0, -0.04, 1000);
	assert_int_equal(d->value_cnt, 5);
	assert_int_equal(d->unit_cnt, 0);
	free_document(d);
	d = read_document(make_tails(0), NULL);
	check_value(d, "Xdp_lb", "min-ns/op", 0, 0, 100000);
	check_value(d, "Xdp_lb", "min-cycles/op", 0, -12, 100000);
	check_value(d, "Xdp_firewall_ingress", "energy-Joules/op", 0, 0.00123, 1234567);
	free_document(d);
	/* the method is written once, before the lines that it applies to */
	d = read_document(make_per_cpu(0), NULL);
	assert_int_equal(d->config_cnt, 6);
	free_document(d);
}

/*
 * Lines of different programs have different names, and values of different events have different
 * units, even if the programs or events have the same name.
 */
static void test_own_names(void **state)
{
	struct report *r = make_base();
	struct document *d;

	for (int i = 0; i < 3; i++) {
		struct report_row *row =
			&add_prog(r, i, i ? "xdp" : "Xdp", i ? "xdp" : "Xdp", 9)->all;

		add_event(row, "cycles", 10 + i);
		add_event(row, "cycles", 20 + i);
		add_event(row, "ns", 30 + i);
		add_event(row, "time", 40 + i);
	}
	add_event(&add_prog(r, 7, "x-86", "x-86", 9)->all, "a b/%", 1);
	add_event(&add_prog(r, 8, "-5", "-5", 9)->all, "cycles", 2);
	add_event(&add_prog(r, 8, "", "", UINT64_MAX)->all, "cycles", 3);
	d = read_document(r, NULL);
	check_value(d, "Xdp", "cycles/op", 0, 10, 9);
	check_value(d, "Xdp", "cycles#2/op", 0, 20, 9);
	check_value(d, "Xdp", "ns/op", 0, 30, 9);
	check_value(d, "Xdp", "ns#2/op", 0, 40, 9);
	check_value(d, "Xdp/nr=2", "cycles/op", 0, 11, 9);
	check_value(d, "Xdp/nr=3", "cycles#2/op", 0, 22, 9);
	check_value(d, "X%2D86", "a%20b%2F%25/op", 0, 1, 9);
	check_value(d, "%2D5", "cycles/op", 0, 2, 9);
	check_value(d, "-", "cycles/op", 0, 3, INT64_MAX);
	free_document(d);
}

/* Only the event "time" in nanoseconds has the unit of Go's own benchmarks. */
static void test_time_units(void **state)
{
	static const struct {
		const char *name, *unit, *want;
	} events[] = {
		{"time", "ns", "ns/op"},
		{"time", "", "time/op"},
		{"duration_time", "ns", "duration_time-ns/op"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		struct report *r = make_base();
		struct report_event *ev =
			add_event(&add_prog(r, 1, "xdp", "xdp", 9)->all, events[i].name, 5);
		struct document *d;

		free(ev->unit);
		ev->unit = strdup(events[i].unit);
		/* the first program's exact unit has a line, too */
		ev->exact = true;
		d = read_document(r, NULL);
		check_value(d, "Xdp", events[i].want, 0, 5, 9);
		assert_int_equal(d->unit_cnt, 1);
		free_document(d);
	}
}

static void test_exact_units(void **state)
{
	struct report *r = make_base();
	struct document *d;

	/* a unit is not exact if the event of one program is not exact */
	for (int i = 0; i < 2; i++) {
		struct report_row *row = &add_prog(r, i, "xdp", i ? "a" : "b", 9)->all;

		add_event(row, "cycles", 10)->exact = i;
		add_event(row, "instructions", 10)->exact = true;
	}
	add_event(&add_prog(r, 3, "idle", "idle", 0)->all, "instructions", 10);
	d = read_document(r, NULL);
	assert_int_equal(d->unit_cnt, 1);
	assert_string_equal(d->unit[0].name, "min-instructions/op");
	free_document(d);
}

/* Tests blocks that lack some of the events. */
static void test_uneven_blocks(void **state)
{
	struct report *r = make_base();
	struct report_row *row = &add_prog(r, 1, "xdp", "xdp", 30)->all;
	struct report_event *ev = add_event(row, "cycles", 5);
	struct document *d;

	for (int i = 0; i < 3; i++)
		add_block(ev, 10, 4 + i, NAN);
	ev = add_event(row, "branches", 7);
	add_block(ev, 12, 7, NAN);
	add_block(ev, 9, NAN, 7);
	add_event(row, "time", 9);
	d = read_document(r, NULL);
	for (int i = 0; i < 3; i++)
		assert_true(find_value(d, "Xdp", "cycles/op", i)->value == 4 + i);
	assert_true(find_value(d, "Xdp", "branches/op", 0)->value == 7);
	assert_null(find_value(d, "Xdp", "branches/op", 1));
	check_value(d, "Xdp", "ns/op", 0, 9, 30);
	assert_null(find_value(d, "Xdp", "ns/op", 1));
	free_document(d);
}

/* The parser accepts every report, whatever names it has. */
static void test_any(void **state)
{
	static struct report *(*const make[])(int n) = {
		make_two_programs, make_per_cpu, make_repeats,	      make_blocks, make_hostile,
		make_huge,	   make_hist,	 make_multiplexed,    make_tree,   make_notes,
		make_empty,	   make_system,	 make_system_hostile,
	};

	for (size_t i = 0; i < ARRAY_SIZE(make); i++)
		free_document(read_document(make[i](0), "a\nb"));
}

/* ---- tests of the parser ---- */

#define OK "BenchmarkA 1 2 ns/op\n"

static void test_reader_takes(void **state)
{
	static const char *const good[] = {
		"",
		"\n",
		OK,
		"key: value\n" OK,
		"a-b.c:\tv: w\n",
		"Unit ns/op assume=exact\n",
		"Unit ns/op better=lower assume=nothing\n",
		"BenchmarkA/b=c/d=e-f \t 1\t-2.5e+3 ns/op  1 B/op\n",
		"Benchmark5 1 .5 x/op\n",
	};
	const struct benchfmt_reader none = {};
	int line;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		if (benchfmt__read(&none, good[i], &line))
			fail_msg("refused: %s", good[i]);
}

static void test_reader_refuses(void **state)
{
	static const struct {
		const char *text;
		int line;
	} bad[] = {
		/* bad names */
		{"Benchmark 1 2 ns/op\n", 1},
		{"Benchmarka 1 2 ns/op\n", 1},
		{OK "BenchmarkA-2 1 2 ns/op\n", 2},
		{"BenchmarkA/b=c-16 1 2 ns/op\n", 1},
		{"BenchmarkA/b 1 2 ns/op\n", 1},
		{"BenchmarkA/=b 1 2 ns/op\n", 1},
		{"BenchmarkA/b=/c=d 1 2 ns/op\n", 1},
		{"BenchmarkA// 1 2 ns/op\n", 1},
		{"Benchmark\xc3\xa4 1 2 ns/op\n", 1},
		{"BenchmarkA\xc2\xa0 1 2 ns/op\n", 1},
		/* wrong numbers of fields, and invalid numbers in fields */
		{"BenchmarkA\n", 1},
		{"BenchmarkA 1\n", 1},
		{"BenchmarkA 1 2\n", 1},
		{"BenchmarkA 1 2 ns/op 3\n", 1},
		{"BenchmarkA x 2 ns/op\n", 1},
		{"BenchmarkA 0 2 ns/op\n", 1},
		{"BenchmarkA -1 2 ns/op\n", 1},
		{"BenchmarkA 1.5 2 ns/op\n", 1},
		{"BenchmarkA 9223372036854775808 2 ns/op\n", 1},
		{"BenchmarkA 1 x ns/op\n", 1},
		{"BenchmarkA 1 nan ns/op\n", 1},
		{"BenchmarkA 1 inf ns/op\n", 1},
		{"BenchmarkA 1 1e999 ns/op\n", 1},
		{"BenchmarkA 1 1,000 ns/op\n", 1},
		{"BenchmarkA 1 0x10 ns/op\n", 1},
		{"BenchmarkA 1 2 3\n", 1},
		{"BenchmarkA 1 2 ns/op 3 B/op 4 ns/op\n", 1},
		{"BenchmarkA 1 2 ns/op", 1},
		{"BenchmarkA 1 2 ns/op\r\n", 1},
		/* bad keys */
		{"Key: value\n", 1},
		{"kEy: value\n", 1},
		{"a key: value\n", 1},
		{OK OK "key:value\n", 3},
		{"key:\n", 1},
		{"key: \n", 1},
		{"key\n", 1},
		{": value\n", 1},
		{"PASS\n", 1},
		{"# note\n", 1},
		{"key: \033[2J\n", 1},
		/* bad units */
		{"Unit ns/op\n", 1},
		{"Unit ns/op assume=maybe\n", 1},
		{"Unit ns/op exact\n", 1},
	};
	const struct benchfmt_reader none = {};
	static char longest[BENCHFMT_MAX_LINE + 16];
	int line;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		if (!benchfmt__read(&none, bad[i].text, &line))
			fail_msg("taken: %s", bad[i].text);
		assert_int_equal(line, bad[i].line);
	}
	memset(longest, 'a', sizeof(longest) - 1);
	memcpy(longest, "k: ", 3);
	longest[BENCHFMT_MAX_LINE] = '\n';
	assert_non_null(benchfmt__read(&none, longest, &line));
	longest[BENCHFMT_MAX_LINE - 1] = '\n';
	longest[BENCHFMT_MAX_LINE] = '\0';
	assert_null(benchfmt__read(&none, longest, &line));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_own_names),
		cmocka_unit_test(test_time_units),
		cmocka_unit_test(test_exact_units),
		cmocka_unit_test(test_uneven_blocks),
		cmocka_unit_test(test_any),
		cmocka_unit_test(test_reader_takes),
		cmocka_unit_test(test_reader_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
