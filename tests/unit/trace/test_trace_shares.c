// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the tables of functions at the end of bprof trace, in each format, and how they are made from the
 * probes' sums.
 */
#include <jansson.h>

#include "tests/unit/made_session.h"

#include "tests/unit/golden.h"
#include "trace/trace_output.h"

#define FUNCS 5
#define CLOCK BPROF_CLOCK_SLOT

struct made {
	struct fixture *f;
	struct target t[FUNCS];
	struct share_row row[FUNCS];
	struct share_group group[3];
	struct trace_conds conds;
	struct trace_probe probe;
	struct trace_output o;
	struct trace_summary sum;
	char *text;
	size_t text_sz;
};

/* A program with a function that calls another one with a map, and an extension. */
static void make_targets(struct made *m, struct fixture *f)
{
	m->t[0] = (struct target){42, &f->prog[0], "xdp_lb"};
	m->t[1] = (struct target){42, &f->prog[0], "parse", .subprog = true, .depth = 1};
	m->t[2] = (struct target){42, &f->prog[0], "emit", .subprog = true, .depth = 1};
	m->t[3] = (struct target){42,
				  &f->prog[0],
				  "emit:htab_map_update_elem (flows)",
				  .subprog = true,
				  .depth = 2,
				  .called = {.btf_id = 7, .map = "flows", .map_type = "hash"}};
	m->t[4] = (struct target){42,
				  &f->prog[0],
				  "emit:htab_map_update_elem",
				  .subprog = true,
				  .depth = 2,
				  .called = {.btf_id = 7, .unforeseen = true}};
}

static void set_row(struct made *m, int i, struct share_sum all, struct share_sum matching)
{
	m->row[i] = (struct share_row){&m->t[i], all, matching};
}

static void make_shares(struct made *m, struct fixture *f, const struct trace_format *format)
{
	memset(m, 0, sizeof(*m));
	m->f = f;
	make_targets(m, f);
	add_event(f, "cycles", EVENT_NOT_SUPPORTED);
	add_event(f, "instructions", EVENT_OK);
	add_event(f, "time", EVENT_OK)->scale = 0.5;
	set_row(m, 0, (struct share_sum){12000, {[0] = 1200000, [CLOCK] = 2400000}},
		(struct share_sum){12, {[0] = 1200, [CLOCK] = 2400}});
	set_row(m, 1, (struct share_sum){24000, {[0] = 4800000, [CLOCK] = 7200000}},
		(struct share_sum){24, {[0] = 4812, [CLOCK] = 7200}});
	set_row(m, 2, (struct share_sum){12, {[0] = 120000, [CLOCK] = -8}},
		(struct share_sum){12, {[0] = 120000, [CLOCK] = -8}});
	set_row(m, 3, (struct share_sum){36, {[0] = 18000, [CLOCK] = 36000}},
		(struct share_sum){36, {[0] = 18000, [CLOCK] = 36000}});
	set_row(m, 4, (struct share_sum){}, (struct share_sum){});
	m->group[0] = (struct share_group){.target = &m->t[0],
					   .row = m->row,
					   .row_cnt = FUNCS,
					   .all_runs = 12000,
					   .matching_runs = 12};
	m->group[1] = (struct share_group){
		.target = &f->target[1], .row = m->row, .row_cnt = 1, .all_runs = 1500};
	m->group[2] = m->group[0];
	m->group[2].lost = 1234;
	m->conds = (struct trace_conds){};
	m->probe = TRACE_PROBE_NONE;
	m->probe.conds = &m->conds;
	f->probes.net = true;
	m->sum = (struct trace_summary){.elapsed_ns = 1000000000,
					.invocations = 13500,
					.measured = 13500,
					.counts = {12, 12},
					.shares = {m->group, 3}};
	m->o = (struct trace_output){.format = format, .s = &f->s, .probe = &m->probe};
	m->o.out = open_memstream(&m->text, &m->text_sz);
	trace_output__prepare(&m->o);
}

static char *end(struct made *m)
{
	assert_int_equal(trace_output__end(&m->o, &m->sum), 0);
	fclose(m->o.out);
	trace_output__free(&m->o);
	return m->text;
}

static void test_text(void **state)
{
	struct made m;

	make_shares(&m, *state, &trace_text);
	assert_golden("trace_shares", "txt", end(&m));
}

static void test_json(void **state)
{
	struct made m;
	json_t *doc;
	char *text;

	make_shares(&m, *state, &trace_json);
	text = end(&m);
	doc = json_loads(text, 0, NULL);
	assert_non_null(doc);
	free(text);
	text = json_dumps(doc, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
	json_decref(doc);
	assert_golden("trace_shares", "json", text);
}

/* If too much of the runs' cost is in no function, or in a wrong one, there is a note about it. */
static void test_doubt(void **state)
{
	struct share_row row = {.matching = {100, {[0] = 100000}}};
	struct share_group g = {.row = &row, .row_cnt = 1, .matching_runs = 100};
	char why[DOUBT_SZ];

	g.lost = 1;
	g.mixed[0] = -1000;
	assert_null(share_group__doubt(&g, why, sizeof(why)));
	g.mixed[0] = -1001;
	assert_non_null(strstr(share_group__doubt(&g, why, sizeof(why)), "interrupted"));
	g.mixed[0] = 0;
	g.mixed[1] = 1;
	assert_non_null(strstr(share_group__doubt(&g, why, sizeof(why)), "interrupted"));
	g.mixed[1] = 0;
	g.lost = 2;
	assert_non_null(strstr(share_group__doubt(&g, why, sizeof(why)), "2 runs and calls"));
}

/* ---- from the probes ---- */

/* A CPU's counts of a target, with the sums that trace adds. */
struct made_stat {
	struct bprof_cpu_stat stat;
	struct bprof_trace_cpu trace;
};

static struct made_stat *made_stats; /* indexed by target and CPU id */

static struct bprof_cpu_stat *made_stat(const struct target *t, int cpu)
{
	struct bprof_cpu_stat *stat = &made_stats[(__u64)(uintptr_t)t->priv * 8 + cpu].stat;

	stat->clock_slot = BPROF_CLOCK_SLOT;
	return stat;
}

static const struct counter_ops traced = {.method = "traced", .probe_stat = made_stat};

/* Sums of all CPUs and places are added up. An extension is in the table of the program that it extends. */
static void test_made(void **state)
{
	static const struct extension ext = {.target_id = 42};
	struct fixture *f = *state;
	struct bprof_shares *shares = calloc(8, sizeof(*shares));
	struct target t[3] = {
		{42, &f->prog[0], "xdp_lb"},
		{43, &f->prog[1], "prog0", .extends = &ext},
		{57, &f->prog[1], "old"},
	};
	struct counts counts[2][3][CPU_CNT + 1] = {};
	struct counts *rows[2][3];
	struct snapshot from = f->from, to = f->to;
	struct backend backend = {.ops = &traced};
	struct trace_probe probe = TRACE_PROBE_NONE;
	struct trace_shares out;

	made_stats = calloc(3 * 8, sizeof(*made_stats));
	f->s.targets = (struct target_list){.v = t, .cnt = 3};
	probe.env = &f->s.env;
	probe.shares = shares;
	for (int i = 0; i < 3; i++) {
		t[i].backend = &backend;
		t[i].priv = (void *)(uintptr_t)i;
		rows[0][i] = counts[0][i];
		rows[1][i] = counts[1][i];
		counts[0][i][0].measured = 100;
		counts[1][i][0].measured = 110;
		counts[1][i][2].measured = 5;
		counts[1][i][2].event[0].self = 500 + i;
	}
	counts[1][1][CPU_CNT].lost[LOST_RECURSION] = 3;
	counts[1][1][0].lost[LOST_ENTRY] = 2;
	from.target = rows[0];
	to.target = rows[1];
	from.target_cnt = to.target_cnt = 3;
	made_stats[7].trace.outermost = 15;
	made_stats[7].trace.matched = 4;
	made_stats[7].trace.net[0] = 60;
	shares[1].row[0][0].matching = (struct bprof_matching){3, {[0] = 30}};
	shares[7].row[7][0].matching = (struct bprof_matching){1, {[0] = 10}};
	shares[7].row[7][1].matching = (struct bprof_matching){4, {[0] = 20}};
	trace_shares__make(&f->s, &probe, &from, &to, &out);
	assert_int_equal(out.cnt, 2);
	assert_int_equal(out.v[0].row_cnt, 2);
	assert_int_equal(out.v[0].all_runs, 15);
	assert_int_equal(out.v[0].matching_runs, 4);
	assert_int_equal(out.v[0].lost, 3);
	assert_int_equal(out.v[0].mixed[0], 0);
	assert_int_equal(out.v[0].row[0].all.calls, 15);
	assert_int_equal(out.v[0].row[0].all.self[0], 500);
	assert_int_equal(out.v[0].row[0].matching.calls, 4);
	assert_int_equal(out.v[0].row[0].matching.self[0], 40);
	assert_int_equal(share_group__total(&out.v[0], 0, true), 60);
	assert_int_equal(share_group__total(&out.v[0], 0, false), 1001);
	assert_ptr_equal(out.v[1].target, &t[2]);
	trace_shares__free(&out);
	free(made_stats);
	free(shares);
}

#define SHARES_TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SHARES_TEST(test_text),
		SHARES_TEST(test_json),
		SHARES_TEST(test_doubt),
		SHARES_TEST(test_made),
	};

	return cmocka_run_group_tests_name("trace_shares", tests, NULL, NULL);
}
