// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests which numbers a report leaves out because of lost runs, and that it leaves out nothing if the losses
 * are too few, or elsewhere.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "btf/call_graph.h"
#include "btf/func_table.h"
#include "tests/unit/made_session.h"

#define RUNS 1000
#define BIAS 100

/* Two targets. The first one makes tail calls, so the second one may run within runs of the first one. */
static struct fixture *make_nested(void **state)
{
	struct fixture *f = *state;

	add_event(f, "instructions", EVENT_OK);
	f->s.targets.cnt = 2;
	f->s.env.nested = true;
	f->probes.net = true;
	f->target[0].tail_calls = TAIL_CALLS_YES;
	f->target[1].backend = f->target[0].backend;
	f->target[1].func = "sub";
	return f;
}

/* Sets the counts of a target on a CPU: what all runs cost, and the own part of it. */
static void set_cost(struct fixture *f, int target, int cpu, __s64 total, __s64 own)
{
	set_measured(f, &f->to, target, cpu, RUNS);
	*sum_at(f, &f->to, target, cpu, 0) = (struct event_counts){.total = total,
								   .self = own,
								   .bias = RUNS * BIAS,
								   .min = INT64_MAX,
								   .max = INT64_MIN};
}

static void set_lost(struct fixture *f, int cpu, enum lost_id cause, __u64 runs)
{
	snapshot__at(&f->to, 1, cpu)->lost[cause] = runs;
}

static const struct report_event *event_of(const struct report_row *row)
{
	return &row->event[0];
}

static void assert_not_counted(const struct report_row *row, const char *why)
{
	const struct report_event *ev = event_of(row);

	assert_int_equal(ev->status, EVENT_NOT_COUNTED);
	assert_non_null(ev->detail);
	assert_string_equal(ev->detail, why);
	assert_int_equal(ev->measured, 0);
	assert_true(isnan(ev->total));
	assert_false(report_event__has_value(ev));
	assert_true(isnan(row->cpu_share));
}

/*
 * A run of the first target costs 1000, and 500 of them are its own cost. A run of the second target costs 500.
 * The first note of the first target is that it makes tail calls.
 */
static void test_limits(void **state)
{
	static const struct {
		enum lost_id cause;
		__u64 lost;
		bool total, own;
	} cases[] = {
		{LOST_OVERFLOW, 0, true, true},
		{LOST_OVERFLOW, 8, true, true}, /* 8 * 600 is less than 1 % of 500,000 */
		{LOST_OVERFLOW, 9, true, false},
		{LOST_OVERFLOW, 20, true, false}, /* 20 * 5 * 100 is 1 % of 1,000,000 */
		{LOST_OVERFLOW, 21, false, false},
		{LOST_RECURSION, 21, false, false},
		{LOST_READ, 21, false, false},
		{LOST_ENTRY, RUNS, true, true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fixture *f;
		struct report *r;

		if (i) {
			teardown(state);
			assert_int_equal(setup(state), 0);
		}
		f = make_nested(state);
		set_cost(f, 0, 0, RUNS * 1000, RUNS * 500);
		set_cost(f, 1, 0, RUNS * 500, RUNS * 500);
		set_lost(f, 0, cases[i].cause, cases[i].lost);
		r = make(f);
		assert_int_equal(r->prog[0].all.event[0].status == EVENT_OK, cases[i].total);
		if (cases[i].total)
			assert_int_equal(!isnan(event_of(&r->prog[0].all)->stat[STAT_SELF]),
					 cases[i].own);
		assert_int_equal(r->prog[0].notes.cnt, 1 + (cases[i].total && !cases[i].own));
		/* nothing runs in the runs of the second one */
		assert_event(event_of(&r->prog[1].all), RUNS, RUNS * 500);
		assert_near(event_of(&r->prog[1].all)->stat[STAT_SELF], 500);
		assert_int_equal(r->prog[1].notes.cnt, 0);
	}
}

static void test_reasons(void **state)
{
	struct fixture *f = make_nested(state);
	struct report *r;

	set_cost(f, 0, 0, RUNS * 1000, RUNS * 500);
	set_cost(f, 1, 0, RUNS * 500, RUNS * 500);
	set_lost(f, 0, LOST_OVERFLOW, 10);
	r = make(f);
	assert_string_equal(r->prog[0].notes.text[1],
			    "its own cost is not known: its runs may include 10 lost runs of sub, "
			    "and what their probes took");
	set_lost(f, 0, LOST_OVERFLOW, 2000);
	r = make(f);
	assert_not_counted(&r->prog[0].all, "its runs may include 2,000 lost runs of sub, and what "
					    "their probes took");
	assert_int_equal(r->prog[0].notes.cnt, 1);
	/* the targets do not call one another */
	f->s.env.nested = false;
	assert_event(event_of(&make(f)->prog[0].all), RUNS, RUNS * 1000);
}

/* If the kernel skipped the entry probe of a kernel function, the call may be in a run of the caller. */
static void test_called(void **state)
{
	struct fixture *f = make_nested(state);

	f->target[1].called.btf_id = 5;
	set_cost(f, 0, 0, RUNS * 1000, RUNS * 500);
	set_cost(f, 1, 0, RUNS * 500, RUNS * 500);
	set_lost(f, 0, LOST_ENTRY, 2000);
	assert_not_counted(
		&make(f)->prog[0].all,
		"its runs may include 2,000 lost runs of sub, and what their probes took");
}

/* The runs in a run are on the same CPU. */
static void test_cpus(void **state)
{
	struct fixture *f = make_nested(state);
	struct report *r;

	for (int cpu = 0; cpu < CPU_CNT; cpu++) {
		set_cost(f, 0, cpu, RUNS * 1000, RUNS * 500);
		set_cost(f, 1, cpu, RUNS * 500, RUNS * 500);
	}
	set_lost(f, 1, LOST_OVERFLOW, 30);
	r = make(f);
	assert_int_equal(event_of(&r->prog[0].all)->status, EVENT_OK);
	assert_true(isnan(event_of(&r->prog[0].all)->stat[STAT_SELF]));
	assert_not_counted(&r->prog[0].cpu[1], "its runs may include 30 lost runs of sub, and what "
					       "their probes took");
	for (int i = 0; i < CPU_CNT; i += 2) {
		assert_event(event_of(&r->prog[0].cpu[i]), RUNS, RUNS * 1000);
		assert_near(event_of(&r->prog[0].cpu[i])->stat[STAT_SELF], 500);
	}
}

/*
 * With --by cpu, the runs that were lost on an unknown CPU have a row of their own. Those of other CPUs are in no run
 * on this CPU.
 */
static void test_by_cpu(void **state)
{
	struct fixture *f = make_nested(state);
	const struct result_span span = {.from = &f->from, .to = &f->to};
	struct report *r;

	f->s.env.opts.by = BY_CPU;
	f->o.per_cpu = false;
	for (int cpu = 0; cpu < CPU_CNT; cpu++) {
		set_cost(f, 0, cpu, RUNS * 1000, RUNS * 500);
		set_cost(f, 1, cpu, RUNS * 500, RUNS * 500);
	}
	set_lost(f, 1, LOST_OVERFLOW, 15);
	set_lost(f, 2, LOST_OVERFLOW, 7);
	set_lost(f, REST, LOST_RECURSION, 14);
	assert_int_equal(result__report(&f->s, &span, 1, &f->o, &f->r), 0);
	r = f->r;
	assert_int_equal(r->prog_cnt, CPU_CNT + CPU_CNT + 1);
	assert_event(event_of(&r->prog[0].all), RUNS, RUNS * 1000);
	assert_not_counted(&r->prog[1].all, "its runs may include 29 lost runs of sub, and what "
					    "their probes took");
	assert_not_counted(&r->prog[2].all, "its runs may include 21 lost runs of sub, and what "
					    "their probes took");
}

/*
 * Without a calibration, the bias is a part of the mean. Without a measured run, the bias is
 * unknown.
 */
static void test_unknown_bias(void **state)
{
	struct fixture *f = make_nested(state);

	f->probes.net = false;
	set_cost(f, 0, 0, RUNS * 1000, RUNS * 1000);
	set_cost(f, 1, 0, RUNS * 500, RUNS * 500);
	set_lost(f, 0, LOST_OVERFLOW, 4);
	assert_event(event_of(&make(f)->prog[0].all), RUNS, RUNS * 1000);
	set_lost(f, 0, LOST_OVERFLOW, 5);
	assert_int_equal(event_of(&make(f)->prog[0].all)->status, EVENT_NOT_COUNTED);
	set_lost(f, 0, LOST_OVERFLOW, 1);
	set_measured(f, &f->to, 1, 0, 0);
	assert_int_equal(event_of(&make(f)->prog[0].all)->status, EVENT_NOT_COUNTED);
}

/* Runs that were lost with one input case do not count as lost with another. */
static void test_inputs(void **state)
{
	struct fixture *f = make_nested(state);
	struct counts counts[TARGET_CNT][CPU_CNT + 1], *rows[TARGET_CNT];
	struct snapshot later = f->to;
	const struct result_span spans[] = {{"many", &f->from, &f->to}, {"few", &f->to, &later}};

	set_cost(f, 0, 0, RUNS * 1000, RUNS * 500);
	set_cost(f, 1, 0, RUNS * 500, RUNS * 500);
	set_lost(f, 0, LOST_OVERFLOW, 2000);
	later.target = rows;
	for (int i = 0; i < TARGET_CNT; i++) {
		rows[i] = memcpy(counts[i], f->rows[1][i], sizeof(counts[i]));
		rows[i]->measured *= 2;
		rows[i]->event[0].total *= 2;
		rows[i]->event[0].bias *= 2;
	}
	assert_int_equal(result__report(&f->s, spans, 2, &f->o, &f->r), 0);
	assert_int_equal(f->r->prog_cnt, 4);
	assert_string_equal(f->r->prog[0].input, "many");
	assert_int_equal(event_of(&f->r->prog[0].all)->status, EVENT_NOT_COUNTED);
	assert_string_equal(f->r->prog[1].input, "few");
	assert_event(event_of(&f->r->prog[1].all), RUNS, RUNS * 1000);
}

/*
 * In a program without tail calls, runs of a function are only within runs of the functions that call it, directly
 * or through others.
 */
static void test_callers(void **state)
{
	enum { FUNC_CNT = 3 };
	/* The entry function calls sub, which calls leaf. */
	__u8 calls[FUNC_CNT * FUNC_CNT] = {[0 * FUNC_CNT + 1] = CALL_NOW,
					   [1 * FUNC_CNT + 2] = CALL_NOW};
	static const struct {
		__u32 first, second; /* the functions that are the two targets */
		bool contains;	     /* runs of the first one may include runs of the second one */
	} cases[] = {{0, 1, true}, {1, 0, false}, {0, 2, true}, {2, 0, false}};
	struct fixture *f = make_nested(state);
	struct bpf_fn fn[FUNC_CNT] = {{.first = 0}, {.first = 1}, {.first = 2}};
	struct func_table funcs = {.fn = fn, .cnt = FUNC_CNT};

	f->prog[0].funcs = &funcs;
	f->prog[0].calls = calls;
	f->target[0].tail_calls = TAIL_CALLS_NO;
	f->target[1].id = f->target[0].id;
	f->target[1].prog = f->target[0].prog;
	set_cost(f, 0, 0, RUNS * 1000, RUNS * 500);
	set_cost(f, 1, 0, RUNS * 500, RUNS * 500);
	set_lost(f, 0, LOST_OVERFLOW, 10);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct report *r;

		f->target[0].func_index = cases[i].first;
		f->target[1].func_index = cases[i].second;
		r = make(f);
		assert_int_equal(isnan(event_of(&r->prog[0].all)->stat[STAT_SELF]),
				 cases[i].contains);
		assert_near(event_of(&r->prog[1].all)->stat[STAT_SELF], 500);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_limits, setup, teardown),
		cmocka_unit_test_setup_teardown(test_reasons, setup, teardown),
		cmocka_unit_test_setup_teardown(test_called, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cpus, setup, teardown),
		cmocka_unit_test_setup_teardown(test_by_cpu, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unknown_bias, setup, teardown),
		cmocka_unit_test_setup_teardown(test_inputs, setup, teardown),
		cmocka_unit_test_setup_teardown(test_callers, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
