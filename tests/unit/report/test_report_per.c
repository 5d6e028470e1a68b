// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests costs per run of a program (--per): the order of the path, which costs are in the total, and that
 * none is counted twice.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/util.h"
#include "btf/reason.h"
#include "report/report_per.h"
#include "report/report_sum.h"
#include "tests/unit/report_models.h"

static void assert_near(double v, double want)
{
	if (!(fabs(v - want) <= 1e-12 * fabs(want)))
		fail_msg("%.17g is not %.17g", v, want);
}

static const struct per_row *row_of(const struct per_table *t, __u32 id)
{
	for (int i = 0; i < t->row_cnt; i++)
		if (t->row[i].p->id == id)
			return &t->row[i];
	fail_msg("no row of %u", id);
	return NULL;
}

static void assert_row(const struct per_table *t, __u32 id, double runs, double cost,
		       enum per_left_out left_out)
{
	const struct per_row *row = row_of(t, id);

	assert_near(row->runs, runs);
	if (isnan(cost))
		assert_true(isnan(row->value[0].cost.value));
	else
		assert_near(row->value[0].cost.value, cost);
	assert_int_equal(row->value[0].left_out, left_out);
}

/* Makes the table of the report's only event, and returns its total. */
static double total_of(const struct report *r, struct per_table *t)
{
	per_table__make(r, t);
	assert_int_equal(t->event_cnt, 1);
	return t->event[0].cost.value;
}

static void test_model(void **state)
{
	static const __u32 order[] = {42, 43, 41, 40, 44, 46, 45};
	struct report *r = make_path(0);
	struct per_table t;

	assert_near(total_of(r, &t), 100 + 0.6 * 50 + 0.3 * 20 + 0.3 * 40);
	assert_int_equal(t.row_cnt, ARRAY_SIZE(order));
	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		assert_int_equal(t.row[i].p->id, order[i]);
	assert_near(t.runs, 1000);
	assert_row(&t, 42, 1, 100, PER_IN_TOTAL);
	assert_row(&t, 43, 0.6, 30, PER_IN_TOTAL);
	assert_row(&t, 41, 0.3, 6, PER_IN_TOTAL);
	assert_row(&t, 40, 0.3, 12, PER_IN_TOTAL);
	assert_row(&t, 44, 0.1, NAN, PER_NO_NUMBER);
	assert_row(&t, 45, 0.5, 5, PER_INSIDE);
	assert_row(&t, 46, 0, 0, PER_IN_TOTAL);
	/* two rows, and the skipped program */
	assert_int_equal(t.event[0].left_out, 3);
	per_table__free(&t);
	/* a skip also stands for programs that are not listed */
	r->skip[0].more = 7;
	total_of(r, &t);
	assert_int_equal(t.event[0].left_out, 10);
	per_table__free(&t);
	report__free(r);
}

/* A half of the runs of one program was measured. */
static void test_errors(void **state)
{
	struct report *r = make_path(0);
	struct per_table t;
	double want = 0.6 * 1;

	total_of(r, &t);
	assert_true(row_of(&t, 43)->value[0].cost.estimated);
	assert_false(row_of(&t, 42)->value[0].cost.estimated);
	assert_near(row_of(&t, 43)->value[0].cost.stddev, want);
	assert_true(t.event[0].cost.estimated);
	assert_near(t.event[0].cost.stddev, want);
	per_table__free(&t);

	/* Errors of different programs are independent. */
	r->prog[0].all.event[0].mean_stddev = 4;
	r->prog[0].all.measured = r->prog[0].all.event[0].measured = 30;
	total_of(r, &t);
	assert_near(t.event[0].cost.stddev, hypot(want, 0.3 * 4));
	per_table__free(&t);

	/* An unknown error makes that of the total unknown. */
	r->prog[0].all.event[0].mean_stddev = NAN;
	total_of(r, &t);
	assert_true(t.event[0].cost.estimated && isnan(t.event[0].cost.stddev));
	per_table__free(&t);
	r->prog[1].all.event[0].mean_stddev = 4;
	r->prog[1].all.measured = r->prog[1].all.event[0].measured = 30;
	total_of(r, &t);
	assert_true(isnan(t.event[0].cost.stddev));
	per_table__free(&t);
	report__free(r);
}

/* If the own cost of each program is known, the total is the sum of the own costs, so nothing counts twice. */
static void test_own_costs(void **state)
{
	struct report *r = make_path(0);
	struct report_prog *p = add_prog(r, 47, "ext", "ext", 1000);
	struct per_table t;

	free(p->type);
	p->type = strdup("ext");
	add_event(&p->all, "instructions", 8);
	for (int i = 0; i < r->prog_cnt; i++) {
		struct report_event *ev = &r->prog[i].all.event[0];

		if (r->prog[i].probed && ev->measured)
			ev->stat[STAT_SELF] = ev->stat[STAT_MEAN];
	}
	r->prog[2].all.event[0].stat[STAT_SELF] = 100 - 8 - 5;
	assert_near(total_of(r, &t), 100 + 0.6 * 50 + 0.3 * 20 + 0.3 * 40);
	assert_row(&t, 42, 1, 87, PER_IN_TOTAL);
	assert_row(&t, 45, 0.5, 5, PER_IN_TOTAL);
	assert_row(&t, 47, 1, 8, PER_IN_TOTAL);
	per_table__free(&t);

	/*
	 * The own cost of one program is not known. Its full cost might contain other programs, so
	 * the program has no number.
	 */
	r->prog[2].all.event[0].stat[STAT_SELF] = NAN;
	total_of(r, &t);
	assert_row(&t, 42, 1, NAN, PER_NO_NUMBER);
	per_table__free(&t);
	report__free(r);
}

/* Rows of another method, and rows with raw numbers among net ones, are not in the total. */
static void test_methods(void **state)
{
	struct report *r = make_path(0);
	struct per_table t;

	set_method(&r->prog[0], "run_stats");
	r->prog[1].uncalibrated = true;
	assert_near(total_of(r, &t), 100 + 0.6 * 50);
	assert_row(&t, 40, 0.3, 12, PER_METHOD);
	assert_row(&t, 41, 0.3, 6, PER_METHOD);
	per_table__free(&t);
	for (int i = 0; i < r->prog_cnt; i++)
		set_method(&r->prog[i], "run_stats");
	r->prog[1].uncalibrated = false;
	assert_near(total_of(r, &t), 148);
	per_table__free(&t);
	report__free(r);
}

static void test_unknown_runs(void **state)
{
	struct report *r = make_path(0);
	struct per_table t;

	r->prog[0].all.at_least = true;
	assert_near(total_of(r, &t), 136);
	assert_true(isnan(row_of(&t, 40)->runs));
	assert_int_equal(row_of(&t, 40)->value[0].left_out, PER_NO_NUMBER);
	per_table__free(&t);
	r->prog[2].all.at_least = true;
	assert_true(isnan(total_of(r, &t)));
	per_table__free(&t);
	r->prog[2].all.at_least = false;
	r->prog[2].all.runs = 0;
	assert_true(isnan(total_of(r, &t)));
	assert_true(isnan(t.runs));
	per_table__free(&t);
	report__free(r);
}

/*
 * With --by and --sample, most runs are in the row "not measured". They cost what the measured runs cost, so the
 * total is that of a report without --by.
 */
static void test_unmeasured(void **state)
{
	struct report *r = make_base();
	struct report_prog *rest;
	struct per_table t;

	report__set_per(r, "42");
	add_part(r, 42, "xdp_lb", 1, 30, 10);
	add_part(r, 42, "xdp_lb", 2, 10, 50);
	rest = add_part(r, 42, "xdp_lb", 0, 360, 0);
	rest->unmeasured = true;
	rest->retval = NAN;
	rest->all.measured = rest->all.event[0].measured = 0;
	rest->all.event[0].stat[STAT_MEAN] = rest->all.event[0].total = NAN;
	add_part(r, 43, "tc", 1, 100, 1000); /* another program */
	r->by_retval = true;
	assert_near(total_of(r, &t), (0.75 * 10 + 0.25 * 50) + 0.25 * 1000);
	assert_int_equal(t.event[0].left_out, 0);
	assert_true(t.event[0].cost.estimated && isnan(t.event[0].cost.stddev));
	per_table__free(&t);

	/* Without any measured run, the cost is not known. */
	for (int i = 0; i < 2; i++) {
		r->prog[i].all.runs = r->prog[i].all.measured = 0;
		r->prog[i].all.event[0].measured = 0;
	}
	total_of(r, &t);
	assert_int_equal(t.event[0].left_out, 1);
	per_table__free(&t);
	report__free(r);
}

/* The parts of --by, and versions of one name, add up. */
static void test_parts(void **state)
{
	struct report *r = make_base();
	struct reason why;
	struct per_table t;

	report__set_per(r, "42");
	add_part(r, 42, "xdp_lb", 1, 300, 10);
	add_part(r, 42, "xdp_lb", 2, 100, 50);
	r->by_retval = true;
	assert_near(total_of(r, &t), 0.75 * 10 + 0.25 * 50);
	assert_near(t.runs, 400);
	assert_near(t.row[0].runs, 0.75);
	per_table__free(&t);
	report__free(r);

	r = make_base();
	report__set_per(r, "xdp_lb");
	add_event(&add_prog(r, 42, "xdp_lb", "xdp_lb", 300)->all, "instructions", 10);
	add_event(&add_prog(r, 59, "xdp_lb", "xdp_lb", 100)->all, "instructions", 50);
	assert_int_equal(report__check_per(r, "xdp_lb", &why), -ENOTUNIQ);
	assert_string_equal(why.detail,
			    "several of the programs have this name, such as 42 and 59; "
			    "give the id of one");
	assert_int_equal(report__check_per(r, "59", &why), 0);
	r->followed = true;
	assert_int_equal(report__check_per(r, "xdp_lb", &why), 0);
	assert_near(total_of(r, &t), 20);
	per_table__free(&t);
	report__free(r);
}

/* Tests the table of the operations of each struct_ops map, per second. */
static void test_operations(void **state)
{
	struct report *r = make_operations(0);
	char map[OPS_MAP_SZ];
	struct per_table t;
	int at = -1;

	assert_true(per_table__next_ops(r, &at, &t));
	assert_int_equal(t.row_cnt, 2);
	assert_row(&t, 40, 500, 150000, PER_IN_TOTAL);
	assert_row(&t, 42, 250, 50000, PER_IN_TOTAL);
	assert_near(t.event[0].cost.value, 200000);
	per_table__free(&t);
	assert_true(per_table__next_ops(r, &at, &t));
	assert_int_equal(t.row_cnt, 1);
	assert_row(&t, 41, 5, 250, PER_IN_TOTAL);
	per_table__free(&t);
	assert_false(per_table__next_ops(r, &at, &t));
	report__free(r);
	/* A program of two maps is in a table of its own. */
	r = make_operations(0);
	free(r->prog[2].hook);
	r->prog[2].hook = strdup("struct_ops cc.a, struct_ops cc.b, struct_ops sched.dispatch");
	at = 1;
	assert_true(per_table__next_ops(r, &at, &t));
	assert_int_equal(t.row_cnt, 1);
	assert_true(report_prog__ops_map(t.program, map));
	assert_string_equal(map, "cc, sched");
	per_table__free(&t);
	report__free(r);
	r = make_path(0);
	at = -1;
	assert_false(per_table__next_ops(r, &at, &t));
	report__free(r);
}

/* The runs of a sum are those of its programs, without their subprograms. Two sums may have the same name. */
static void test_sums(void **state)
{
	struct report *r = make_base();
	struct reason why;
	struct per_table t;

	for (int i = 0; i < 2; i++) {
		struct report_prog *p = add_prog(r, 42 + i, "lb", "lb", 50);

		add_event(&p->all, "cycles", 100);
		p = add_prog(r, 42 + i, "lb", "parse", 400);
		p->subprog = true;
		add_event(&p->all, "cycles", 10);
	}
	report__sum(r, SUM_NAME);
	assert_int_equal(report__check_per(r, "lb", &why), 0);
	report__set_per(r, "lb");
	per_table__make(r, &t);
	assert_near(t.runs, 100);
	per_table__free(&t);
	report__free(r);

	r = make_base();
	add_event(&add_prog(r, 42, "lb", "lb", 50)->all, "time", 100);
	add_event(&add_prog(r, 43, "lb", "lb", 50)->all, "time", 100);
	r->prog[1].method = "run_stats";
	report__sum(r, SUM_NAME);
	assert_int_equal(report__check_per(r, "lb", &why), -ENOTUNIQ);
	assert_string_equal(why.detail,
			    "several sums have this name, for programs of different "
			    "types or methods; give the id of a program, without --sum");
	report__free(r);
}

static void test_refused(void **state)
{
	struct report *r = make_path(0);
	struct reason why;
	struct per_table t;

	assert_int_equal(report__check_per(r, "xdp_lb", &why), 0);
	assert_int_equal(report__check_per(r, "42", &why), 0);
	assert_int_equal(report__check_per(r, "xdp", &why), -ESRCH);
	assert_string_equal(why.detail, "no measured program has this id or name");
	r->interval_ns = 1;
	assert_int_equal(report__check_per(r, "xdp", &why), 0);
	report__set_per(r, "xdp");
	per_table__make(r, &t);
	assert_null(t.program);
	assert_int_equal(t.row_cnt, 0);
	per_table__free(&t);
	r->driven = true;
	assert_int_equal(report__check_per(r, "42", &why), -EINVAL);
	r->driven = false;
	r->of_scopes = true;
	assert_int_equal(report__check_per(r, "42", &why), -EINVAL);
	report__free(r);
}

static void test_path(void **state)
{
	static const struct {
		const char *type, *hook;
	} path[] = {
		{"xdp", "xdp generic"},
		{"xdp", NULL},
		{"sched_cls", "tc ingress"},
		{"cgroup_skb", NULL},
		{"socket_filter", NULL},
		{"sk_skb", NULL},
		{"cgroup_skb", "cgroup_inet_egress"},
		{"sched_cls", "tcx egress"},
		{"sched_cls", "tc qdisc"},
		{"tracing", "fentry"},
	};
	int last = -1;

	for (size_t i = 0; i < ARRAY_SIZE(path); i++) {
		const struct report_prog p = {.type = (char *)path[i].type,
					      .hook = (char *)path[i].hook};
		int place = report_prog__path_place(&p);

		if (place <= last)
			fail_msg("%s is not behind the one before", path[i].type);
		last = place;
	}
	/* If a program is on both sides of tc, the side that comes first on the path counts. */
	assert_true(report_prog__path_place(&(struct report_prog){
			    .type = "sched_cls", .hook = "tc egress, tc ingress"}) ==
		    report_prog__path_place(
			    &(struct report_prog){.type = "sched_cls", .hook = "tc ingress"}));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_model),	     cmocka_unit_test(test_errors),
		cmocka_unit_test(test_own_costs),    cmocka_unit_test(test_methods),
		cmocka_unit_test(test_unknown_runs), cmocka_unit_test(test_parts),
		cmocka_unit_test(test_unmeasured),   cmocka_unit_test(test_operations),
		cmocka_unit_test(test_refused),	     cmocka_unit_test(test_path),
		cmocka_unit_test(test_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
