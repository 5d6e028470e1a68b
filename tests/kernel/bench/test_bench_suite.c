// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests suites: an entry measures the same as a bench of its own, a failing entry does not affect
 * the other entries, and steps run before the measured runs.
 */
#include <stdio.h>
#include <string.h>

#include "tests/kernel/bench/bench_case.h"

#define SUITE "/tmp/bench/suite.json"
#define BRIEF "--blocks 6 --repeat 20"

/* clang-format off */
#define ENTRIES(...) "{\"entries\": [" #__VA_ARGS__ "]}"

static const char mixed[] = ENTRIES(
	{"name": "worse", "old": "progs/hot_500.bpf.o", "new": "progs/hot_501.bpf.o",
	 "prog": "xdp_hot"},
	{"name": "allowed", "old": "progs/hot_500.bpf.o", "new": "progs/hot_501.bpf.o",
	 "prog": "xdp_hot", "fail_on": "*:min>1"},
	{"name": "refused", "old": "progs/refused.bpf.o", "new": "progs/refused.bpf.o"},
	{"name": "missing", "old": "progs/none.o", "new": "progs/hot_500.bpf.o"},
	{"name": "renamed", "old": "progs/hot_500.bpf.o", "new": "progs/alu.bpf.o"},
	{"name": "added", "object": "progs/hot_500.bpf.o", "prog": "xdp_hot"});

static const char steps[] = ENTRIES(
	{"name": "a", "object": "progs/bench_input.bpf.o", "prog": ["xdp_count", "xdp_byte"],
	 "cases": [
		{"name": "none", "packet": "hex: 03 00000000000000000000000000",
		 "before": [
			{"prog": "xdp_count", "packet": "hex: 00 00000000000000000000000000"}]},
		{"name": "three", "packet": "hex: 03 00000000000000000000000000",
		 "before": [
			{"prog": "xdp_count", "packet": "hex: 00 00000000000000000000000000"},
			{"prog": "xdp_count", "packet": "hex: 01 00000000000000000000000000",
			 "repeat": 3}]}],
	 "expect_retval": {"xdp_count/none": 0, "xdp_byte/none": 3, "xdp_count/three": 3,
			   "xdp_byte/three": 99}},
	{"name": "b", "object": "progs/bench_input.bpf.o", "prog": "xdp_count",
	 "cases": [{"name": "after", "packet": "hex: 03 00000000000000000000000000"}],
	 "expect_retval": 0});

static const char foreign_step[] = ENTRIES(
	{"object": "progs/bench_input.bpf.o", "prog": "xdp_byte",
	 "cases": [{"name": "x", "before": [{"prog": "xdp_count"}]}]});

static const char inputs[] = ENTRIES(
	{"name": "map", "object": "progs/bench_input.bpf.o", "prog": "xdp_maps",
	 "map": {"array": [{"key": 2, "value": 0x4}]}, "expect_retval": 400},
	{"name": "ctx", "object": "progs/bench_input.bpf.o", "prog": "tc_ctx",
	 "cases": [{"name": "plain"},
		   {"name": "marked", "ctx": "hex: 00000000 00000000 05000000"}],
	 "expect_retval": {"tc_ctx/plain": 0, "tc_ctx/marked": 5}});

static const char newer[] = ENTRIES(
	{"name": "arena", "object": "progs/newer.bpf.o", "prog": "uses_arena"},
	{"name": "plain", "object": "progs/newer.bpf.o", "prog": "plain"});
/* clang-format on */

/* Paths in a suite begin at the suite's directory, so this function links the objects there. */
static struct run *run_suite(struct fixture *f, const char *json, const char *options)
{
	write_text(SUITE, json);
	command(f, "sh -c 'ln -sfn $(readlink -f " PROGS_DIR ") /tmp/bench/progs'");
	return bprof(f, "bench --suite " SUITE " --exact -e %s " BRIEF " %s", exact_event(),
		     options);
}

/*
 * Each entry has the cost that a bench of its own measures, and the entries do not influence one
 * another.
 */
static void test_same_as_single(void **state)
{
	static const struct {
		const char *input, *prog, *args;
	} entries[] = {
		{"hot", "xdp_hot", PROGS_DIR "/hot_500.bpf.o --prog xdp_hot"},
		{"maps", "xdp_maps",
		 PROGS_DIR "/bench_input.bpf.o --prog xdp_maps --global plus=5"},
		{"tail", "tail_root",
		 PROGS_DIR "/tailcall.bpf.o --prog tail_root --prog-array jumps:0=tail_leaf"},
	};
	struct fixture *f = *state;
	struct run *all = run_suite(
		f,
		"{\"variables\": {\"HOT\": null}, \"entries\": ["
		" {\"name\": \"hot\", \"object\": \"progs/${HOT}.bpf.o\", \"prog\": \"xdp_hot\"},"
		" {\"name\": \"maps\", \"object\": \"progs/bench_input.bpf.o\","
		"  \"prog\": \"xdp_maps\", \"global\": {\"plus\": 5}, \"expect_retval\": 5},"
		" {\"name\": \"tail\", \"object\": \"progs/tailcall.bpf.o\","
		"  \"prog\": \"tail_root\", \"prog_array\": {\"jumps:0\": \"tail_leaf\"}}]}",
		"-j --set HOT=hot_500");

	assert_status(all, 0);
	assert_int_equal(json_array_size(json_object_get(all->json, "programs")), 3);
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		struct run *one = bprof(f, "bench %s -j --exact -e %s " BRIEF, entries[i].args,
					exact_event());
		json_t *row = case_row(all, entries[i].prog, entries[i].input);

		assert_status(one, 0);
		assert_runs(row, 120);
		assert_int_equal(min_cost(row), min_cost(case_row(one, entries[i].prog, NULL)));
	}
}

static json_t *find(const json_t *list, const char *key, const char *value)
{
	json_t *row;

	for (size_t i = 0; (row = json_array_get(list, i)); i++)
		if (!strcmp(str(row, key), value))
			return row;
	fail_test("no %s is %s", key, value);
	return NULL;
}

/* An entry that fails loses only its own rows. Each entry has its own limits. */
static void test_mixed(void **state)
{
	struct fixture *f = *state;
	struct run *r = run_suite(f, mixed, "-j --save-new /tmp/bench/new.json");
	const json_t *rows = json_object_get(r->json, "comparisons");
	const json_t *gaps = json_object_get(r->json, "not_measured");
	json_t *added;

	assert_status(r, 3);
	assert_string_equal(str(find(rows, "case", "worse"), "verdict"), "worse");
	assert_string_equal(str(find(rows, "case", "allowed"), "verdict"), "same");
	added = find(rows, "case", "added");
	assert_string_equal(str(added, "verdict"), "new");
	assert_true(json_is_true(json_object_get(added, "alone")));
	assert_int_equal(json_array_size(gaps), 3);
	assert_contains(str(find(gaps, "entry", "refused"), "why"), "is outside of the ");
	assert_contains(str(find(gaps, "entry", "missing"), "why"), "none.o: No such file");
	assert_contains(str(find(gaps, "entry", "renamed"), "why"), "in both reports");
	assert_contains(r->err, "bprof: missing: /tmp/bench/progs/none.o: No such file");
	/* The saved report of the new versions has the rows of all entries. */
	r = bprof(f, "diff -j /tmp/bench/new.json /tmp/bench/new.json");
	assert_status(r, 0);
	rows = json_object_get(r->json, "comparisons");
	find(rows, "case", "worse");
	find(rows, "case", "added");
}

static void test_statuses(void **state)
{
	struct fixture *f = *state;
	struct run *r;

	assert_status(run_suite(f, mixed, "--entry allowed"), 0);
	assert_status(run_suite(f, mixed, "--entry 'a*'"), 0);
	r = run_suite(f, mixed, "--entry '[ar]*' --format junit");
	assert_status(r, 1);
	assert_contains(r->out, "tests=\"4\" failures=\"0\" errors=\"2\" skipped=\"1\"");
	assert_contains(r->out, "<testcase classname=\"refused\" name=\"measure\">");
	r = run_suite(f, mixed, "--entry missing");
	assert_status(r, 1);
	assert_contains(r->out, "missing was not measured: ");
	assert_refused(run_suite(f, mixed, "--entry none"), 4, "no entry");
	assert_refused(run_suite(f, mixed, "--entry added --fail-on '*:min>0'"), 2, "two versions");
	assert_refused(run_suite(f, "{\"entries\": [{\"object\": 5}]}", ""), 2,
		       SUITE ": entries[0].object: expected a string");
}

/* The runs of a step change maps. No other entry gets these changes. */
static void test_steps(void **state)
{
	struct fixture *f = *state;
	struct run *r = run_suite(f, steps, "-j");

	assert_status(r, 0);
	assert_string_equal(r->err, "");
	/* The runs of the steps are not counted. */
	assert_runs(case_row(r, "xdp_count", "a/three"), 120);
	assert_runs(case_row(r, "xdp_byte", "a/three"), 120);
	assert_int_equal(num(case_row(r, "xdp_count", "a/three"), "retval"), 3);
	assert_int_equal(num(case_row(r, "xdp_byte", "a/none"), "retval"), 3);
	/* In the case "three", the program finds the byte in the map, so it takes a longer path. */
	assert_true(min_cost(case_row(r, "xdp_byte", "a/three")) !=
		    min_cost(case_row(r, "xdp_byte", "a/none")));
	r = run_suite(f, foreign_step, "");
	assert_one_line(r, 1, "before[0]: no program 'xdp_count' is run by this entry");
}

/* Tests a context of one case, and a map whose elements are in the suite. */
static void test_inputs(void **state)
{
	struct fixture *f = *state;
	struct run *r = run_suite(f, inputs, "-j");

	assert_status(r, 0);
	assert_int_equal(num(case_row(r, "tc_ctx", "ctx/marked"), "retval"), 5);
}

#define BENCH_TEST(...) KTEST_WITH(setup_bench, teardown_bench, __VA_ARGS__)

/* An entry without any measured program fails; its reasons are in the report. */
static void test_nothing(void **state)
{
	struct fixture *f = *state;
	struct run *r = run_suite(f, newer, "-j --entry arena");

	assert_one_line(r, 4, "arena: bench: nothing could be measured");
	assert_contains(r->out, "variables in an arena need libbpf 1.4");
	r = run_suite(f, newer, "-j");
	assert_int_equal(r->status, 1);
	assert_contains(r->out, "\"plain\"");
	assert_status(run_suite(f, newer, "-j --entry plain"), 0);
}

KTEST_GROUP(bench_suite, "suites: bprof bench --suite", NULL, ON(EXACT),
	    BENCH_TEST(test_same_as_single), BENCH_TEST(test_mixed), BENCH_TEST(test_statuses),
	    BENCH_TEST(test_steps), BENCH_TEST(test_inputs), BENCH_TEST(test_nothing));
