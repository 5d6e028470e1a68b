// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the functions of one program: the calls of each function are counted, and a function's cost
 * does not include the probes of the functions that it calls. The group needs the deterministic VM
 * (one vCPU, -icount).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kernel/harness.h"

#define RUNS 200

/* The functions that tests/progs/tree.bpf.c calls in a run, in the order of the call tree. */
static const struct func {
	const char *name;
	int calls, depth;
	const char *callees[8]; /* the functions that it calls; one entry per call */
} funcs[] = {
	{"xdp_tree", 1, 0, {"branch", "branch", "branch", "leaf", "add", "add"}}, /* and empty_* */
	{"branch", 3, 1, {"leaf", "leaf"}},
	{"leaf", 7, 2, {}},
	{"empty_0", 1, 1, {}},
	{"empty_3", 1, 1, {}},
	{"empty_5", 1, 1, {}},
	{"add", 2, 1, {}},
	{"empty_pointer", 2, 1, {}},
};

#define FUNC_CNT ((int)(sizeof(funcs) / sizeof(funcs[0])))
#define TOLERANCE 2

static void assert_near(double got, double want, const char *func, const char *out)
{
	if (got > want + TOLERANCE || got < want - TOLERANCE)
		fail_test("%s: %f, not %f: %s", func, got, want, out);
}

static json_t *func_row(const struct run *r, const char *name)
{
	json_t *progs = json_object_get(r->json, "programs"), *row;

	for (size_t i = 0; (row = json_array_get(progs, i)); i++)
		if (!strcmp(str(row, "func"), name))
			return row;
	fail_test("no row of %s: %s", name, r->out);
	return NULL;
}

static json_t *func_event(const struct run *r, const char *name)
{
	return event_of(func_row(r, name), exact_event());
}

static json_int_t min_cost(const struct run *r, const char *name)
{
	return num(func_event(r, name), "per_run.min");
}

/* Measures the program with a probe on this function only. */
static struct run *measure_alone(struct fixture *f, struct target t, const char *func)
{
	struct run *r = bprof(f, "-j -b %u:%s -e %s -- drive testrun %u:%d", t.id, func,
			      exact_event(), t.id, RUNS);

	assert_status(r, 0);
	assert_null(json_object_get(json_object_get(func_event(r, func), "per_run"), "self"));
	return r;
}

/* Returns the cost of a call of the function while no other function has a probe. */
static json_int_t alone_of(struct fixture *f, struct target t, const char *func)
{
	/* costs that are already known, for the target with this id: they are the same each time */
	static json_int_t known[FUNC_CNT];
	static bool is_known[FUNC_CNT];
	static __u32 id;
	int i = 0;

	if (id != t.id)
		memset(is_known, 0, sizeof(is_known));
	id = t.id;
	while (i < FUNC_CNT && strcmp(funcs[i].name, func))
		i++;
	if (i == FUNC_CNT) /* a function of another program */
		return min_cost(measure_alone(f, t, func), func);
	if (!is_known[i])
		known[i] = min_cost(measure_alone(f, t, func), func);
	is_known[i] = true;
	return known[i];
}

static struct run *measure_all(struct fixture *f, struct target t, const char *options)
{
	struct run *r = bprof(f, "-j -b %u --func '*' -e %s %s -- drive testrun %u:%d", t.id,
			      exact_event(), options, t.id, RUNS);

	assert_status(r, 0);
	return r;
}

/* Each call of each function is measured. */
static void check_calls(const struct run *r)
{
	json_t *progs = json_object_get(r->json, "programs");

	assert_int_equal(json_array_size(progs), FUNC_CNT);
	for (int i = 0; i < FUNC_CNT; i++) {
		json_t *row = func_row(r, funcs[i].name);

		assert_int_equal(num(row, "runs"), RUNS * funcs[i].calls);
		assert_int_equal(num(row, "measured"), RUNS * funcs[i].calls);
		if (!i) {
			assert_null(json_object_get(row, "subprogram"));
			continue;
		}
		assert_true(json_is_true(json_object_get(row, "subprogram")));
		assert_int_equal(num(row, "calls_per_run"), funcs[i].calls);
		assert_int_equal(num(row, "depth"), funcs[i].depth);
	}
}

/*
 * A function costs the same whether it is the only probed function or all its callees are probed,
 * too.
 */
static void check_inclusive(struct fixture *f, struct target t, const struct run *all)
{
	for (int i = 0; i < FUNC_CNT; i++) {
		json_int_t alone = alone_of(f, t, funcs[i].name);

		assert_near(min_cost(all, funcs[i].name), alone, funcs[i].name, all->out);
		if (!strncmp(funcs[i].name, "empty", 5))
			assert_int_equal(alone, 0);
	}
}

/*
 * A function's self cost is its own cost minus the costs of its callees, each measured with only
 * one probe. A timer interrupt adds to the self cost of some function; the cost of the whole run
 * shows how much.
 */
static void check_self(struct fixture *f, struct target t, const struct run *r)
{
	json_t *root = func_event(r, "xdp_tree");
	double interrupts = real(root, "per_run.mean") - real(root, "per_run.min"), sum = 0;

	for (int i = 0; i < FUNC_CNT; i++) {
		double self = real(func_event(r, funcs[i].name), "per_run.self");
		json_int_t want = alone_of(f, t, funcs[i].name);

		for (int c = 0; funcs[i].callees[c]; c++)
			want -= alone_of(f, t, funcs[i].callees[c]);
		assert_near(self, want + fmin(interrupts / funcs[i].calls, fmax(self - want, 0)),
			    funcs[i].name, r->out);
		sum += self * funcs[i].calls;
	}
	if (fabs(sum - real(root, "per_run.mean")) > 2)
		fail_test("the functions' own costs are %f: %s", sum, r->out);
}

/* Thinning leaves out whole runs: either all function calls in a run are measured, or none. */
static void check_thinned(struct fixture *f, struct target t, const struct run *r)
{
	for (int i = 0; i < FUNC_CNT; i++) {
		json_t *row = func_row(r, funcs[i].name);

		assert_int_equal(num(row, "runs"), RUNS * funcs[i].calls);
		assert_int_equal(num(row, "measured"), RUNS * funcs[i].calls / 10);
		assert_int_equal(num(row, "sampled_out"), RUNS * funcs[i].calls * 9 / 10);
		assert_near(min_cost(r, funcs[i].name), alone_of(f, t, funcs[i].name),
			    funcs[i].name, r->out);
	}
}

/* One test, so that each function is measured alone only once. */
static void test_costs(void **state)
{
	static const char *const options[] = {"--no-hist", "-e page-faults,time"};
	struct fixture *f = *state;
	struct target t = load_target(f, "tree", "xdp_tree");
	struct run *r = measure_all(f, t, "");

	check_calls(r);
	check_inclusive(f, t, r);
	check_self(f, t, r);
	for (size_t o = 0; o < sizeof(options) / sizeof(options[0]); o++)
		check_inclusive(f, t, measure_all(f, t, options[o]));
	check_thinned(f, t, measure_all(f, t, "--sample 10"));
}

/*
 * Tests probes on some of the functions only. A probed function calls another one directly, or
 * through a function that is not probed.
 */
static void test_some(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "tree", "xdp_tree");
	json_int_t branch = min_cost(measure_alone(f, t, "branch"), "branch");
	json_int_t root = min_cost(measure_alone(f, t, "xdp_tree"), "xdp_tree");
	struct run *r;

	r = bprof(f, "-j -b %u:leaf,%u:branch -e %s -- drive testrun %u:%d", t.id, t.id,
		  exact_event(), t.id, RUNS);
	assert_status(r, 0);
	assert_near(min_cost(r, "branch"), branch, "branch", r->out);
	assert_int_equal(num(func_row(r, "leaf"), "depth"), 1);
	assert_null(json_object_get(func_row(r, "leaf"), "calls_per_run"));
	r = bprof(f, "-j -b %u:'[lx]*' -e %s -- drive testrun %u:%d", t.id, exact_event(), t.id,
		  RUNS);
	assert_status(r, 0);
	assert_int_equal(json_array_size(json_object_get(r->json, "programs")), 2);
	assert_near(min_cost(r, "xdp_tree"), root, "xdp_tree", r->out);
	assert_int_equal(num(func_row(r, "leaf"), "calls_per_run"), 7);
}

/*
 * A function that calls two hundred probed functions has the same net cost as without their probes.
 * Each of these probes must add the same number of instructions to the caller, although some are at
 * unusual addresses.
 */
static void test_many_callees(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "calls", "xdp_calls");
	struct run *r = measure_all(f, t, "--no-hist");

	assert_int_equal(json_array_size(json_object_get(r->json, "programs")), 1 + 200);
	assert_int_equal(min_cost(r, "xdp_calls"), alone_of(f, t, "xdp_calls"));
}

/*
 * The verifier takes global() for a function whose declaration it cannot trust, because it removed dead code
 * before global() (tests/progs/dead.bpf.c). The costs must be right nevertheless.
 */
static void test_dead_code(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "dead", "xdp_dead");
	struct run *r = measure_all(f, t, "");

	assert_int_equal(json_array_size(json_object_get(r->json, "programs")), 3);
	assert_int_equal(min_cost(r, "xdp_dead"), alone_of(f, t, "xdp_dead"));
}

/*
 * The functions of tests/progs/linked that share their name with another function, by their labels.
 */
#define HELPER_A "helper@namesakes_a.c:7"
#define HELPER_B "helper@namesakes_b.c:7"
#define SAME_LINE_A "same_line@same_line.h:5#1"
#define SAME_LINE_B "same_line@same_line.h:5#2"
#define STATIC_ENTRY "namesakes@namesakes_b.c:14"

/* A timer interrupt adds to the self cost of some function, as in check_self(). */
static void assert_self(const struct run *r, const char *func, double want)
{
	json_t *root = func_event(r, "namesakes");
	double interrupts = real(root, "per_run.mean") - real(root, "per_run.min");
	double self = real(func_event(r, func), "per_run.self");

	assert_near(self, want + fmin(interrupts, fmax(self - want, 0)), func, r->out);
}

static void assert_note(const struct run *r, const char *func, const char *want)
{
	json_t *notes = json_object_get(func_row(r, func), "notes");

	for (size_t i = 0; i < json_array_size(notes); i++)
		if (!strcmp(json_string_value(json_array_get(notes, i)), want))
			return;
	fail_test("%s lacks the note '%s': %s", func, want, r->out);
}

static size_t count_progs(const struct run *r)
{
	return json_array_size(json_object_get(r->json, "programs"));
}

/*
 * Static functions with the same name, from linked source files, have BTF ids of their own. Each
 * function has its own row, label and numbers.
 */
static void test_namesakes(void **state)
{
	static const char *const labels[] = {"namesakes", "a",	    HELPER_A,	 SAME_LINE_A,
					     "b",	  HELPER_B, SAME_LINE_B, STATIC_ENTRY};
	struct fixture *f = *state;
	struct target t = load_target(f, "namesakes_ids", "namesakes");
	struct run *r = measure_all(f, t, "");

	assert_int_equal(count_progs(r), 8);
	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
		assert_int_equal(num(func_row(r, labels[i]), "runs"), RUNS);
		if (i)
			assert_int_equal(num(func_row(r, labels[i]), "calls_per_run"), 1);
	}
	assert_int_equal(min_cost(r, HELPER_B) - min_cost(r, HELPER_A), 900);
	assert_int_equal(min_cost(r, SAME_LINE_A), min_cost(r, SAME_LINE_B));
	assert_int_equal(min_cost(r, HELPER_A) - min_cost(r, SAME_LINE_A), 90);
	assert_self(r, "b",
		    min_cost(r, "b") - min_cost(r, HELPER_B) - min_cost(r, SAME_LINE_B) -
			    min_cost(r, STATIC_ENTRY));
	/* A name stands for all functions with this name, a label for one function. */
	r = bprof(f, "-j -b %u --func helper -e %s -- drive testrun %u:%d", t.id, exact_event(),
		  t.id, RUNS);
	assert_status(r, 0);
	assert_int_equal(count_progs(r), 2);
	r = bprof(f, "-j -b %u:%s -e %s -- drive testrun %u:%d", t.id, SAME_LINE_B, exact_event(),
		  t.id, RUNS);
	assert_status(r, 0);
	assert_int_equal(count_progs(r), 1);
	assert_int_equal(num(func_row(r, SAME_LINE_B), "runs"), RUNS);
}

/*
 * The same functions, but functions with the same name share one BTF id: the kernel attaches probes
 * only to the first of them. The others are not measured. The cost of their caller includes their
 * cost, and a note on the caller says so.
 */
static void test_same_btf_id(void **state)
{
	struct fixture *f = *state;
	struct target ids = load_target(f, "namesakes_ids", "namesakes");
	struct target t = load_target(f, "namesakes", "namesakes");
	struct run *each = measure_all(f, ids, ""), *r = measure_all(f, t, "");

	assert_int_equal(count_progs(r), 6);
	assert_string_equal(skip_reason(r, t.id), "same_btf_id");
	assert_int_equal(json_array_size(json_object_get(r->json, "skipped")), 2);
	assert_note(r, HELPER_A, "has the same BTF id as " HELPER_B ", which cannot be probed");
	assert_note(r, "b", "its cost includes " HELPER_B " and " SAME_LINE_B ", not measured");
	assert_null(json_object_get(func_row(r, "a"), "notes"));
	/*
	 * The kernel really attached the probe to the first function: its runs do not include those
	 * of its twin.
	 */
	assert_int_equal(num(func_row(r, HELPER_A), "runs"), RUNS);
	assert_int_equal(num(func_row(r, HELPER_A), "calls_per_run"), 1);
	assert_int_equal(min_cost(r, HELPER_A), min_cost(each, HELPER_A));
	assert_int_equal(min_cost(r, "b"), min_cost(each, "b"));
	assert_self(r, "a",
		    min_cost(each, "a") - min_cost(each, HELPER_A) - min_cost(each, SAME_LINE_A));
	assert_self(r, "b", min_cost(each, "b") - min_cost(each, STATIC_ENTRY));
	/* Only the first function can be selected. */
	r = bprof(f, "-j -b %u:%s -e %s -- drive testrun %u:%d", t.id, HELPER_B, exact_event(),
		  t.id, RUNS);
	assert_string_equal(skip_reason(r, t.id), "same_btf_id");
	assert_int_equal(count_progs(r), 0);
}

static void test_no_match(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "tree", "xdp_tree");
	struct target other = load_target(f, "xdp", "xdp_pass");
	struct run *r;

	/*
	 * A program that is selected by id must have a matching function. Programs that are
	 * selected by a pattern need not have one.
	 */
	r = bprof(f, "-j -b %u,%u --func 'br*' -e %s --timeout 10", t.id, other.id, exact_event());
	assert_status(r, 0);
	assert_string_equal(skip_reason(r, other.id), "no_such_func");
	r = bprof(f, "-j --name 'xdp_*' --func 'br*' -e %s --timeout 10", exact_event());
	assert_status(r, 0);
	assert_int_equal(json_array_size(json_object_get(r->json, "skipped")), 0);
	assert_int_equal(json_array_size(json_object_get(r->json, "programs")), 1);
	r = bprof(f, "--name 'xdp_*' --func 'zz*' -e %s --timeout 10", exact_event());
	assert_status(r, 8);
	assert_contains(r->err, "--func zz*: no function");
}

KTEST_GROUP(tree, "functions of a program and their callees", NULL, ON(EXACT, CPUS512),
	    KTEST(test_costs, ALSO_X86), KTEST(test_some), KTEST(test_many_callees, LONG),
	    KTEST(test_dead_code), KTEST(test_no_match), KTEST(test_namesakes),
	    KTEST(test_same_btf_id));
