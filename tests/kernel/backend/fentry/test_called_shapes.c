// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests that the cost of a program is exactly the sum of its own cost and the costs of all kernel
 * functions that it calls, in whatever way it calls them. Also tests that all calls are counted.
 * Needs the deterministic VM (one vCPU, -icount).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>

#include "tests/kernel/backend/fentry/contexts_case.h"
#include "tests/kernel/harness.h"

#define RUNS 200
/*
 * The instructions that ftrace_caller() adds to a call of a module's function on arm64, with Linux
 * 6.12.
 */
#define FAR_INSNS 6
#define OPTIONS "--func '*' --calls '*'"

#define MODULE "nf_conntrack"

struct shape {
	const char *prog;
	int rows;	    /* number of kernel functions that have a row for each map */
	const char *object; /* object file in tests/progs; NULL: called_shapes */
	bool in_module;	    /* these functions are functions of MODULE */
	const char *before; /* a program that has to run before */
};

static struct run *measure(struct fixture *f, struct target t, const char *options)
{
	struct run *r = bprof(f, "-j -b %u %s -e %s -- drive testrun %u:%d", t.id, options,
			      exact_event(), t.id, RUNS);

	assert_status(r, 0);
	return r;
}

/* Returns the number of calls that the program has counted. */
static __u64 calls_of(struct target t)
{
	struct bpf_map *map = bpf_object__find_map_by_name(t.obj, ".bss");
	__u32 key = 0;
	__u64 calls;

	assert_int_equal(bpf_map_lookup_elem(bpf_map__fd(map), &key, &calls), 0);
	return calls;
}

static json_int_t min_cost(const struct run *r, struct target t)
{
	json_t *row = json_array_get(json_object_get(r->json, "programs"), 0);

	assert_int_equal(num(row, "id"), t.id);
	return num(event_of(row, exact_event()), "per_run.min");
}

/*
 * Returns the number of called functions in which newer kernels allow no probes, such as those of
 * LPM tries (kernel/bpf/Makefile). Their cost is part of the caller's own cost.
 */
static int count_missing(const struct run *r)
{
	json_t *list = json_object_get(r->json, "skipped"), *row;
	int cnt = 0;

	for (size_t i = 0; (row = json_array_get(list, i)); i++, cnt++)
		assert_contains(str(row, "detail"), "it has no place for a probe (notrace)");
	return cnt;
}

/*
 * Checks the calls that bprof reports. The program has run "runs" times, and made "made" calls of
 * "funcs" functions, each with each map. merged: if functions are skipped because they cannot be
 * probed, this many have no entry of their own in skipped[], because the same function with another
 * map has one.
 */
static void check_rows(const struct run *r, const char *prog, int funcs, int merged,
		       json_int_t runs, json_int_t made)
{
	json_t *progs = json_object_get(r->json, "programs"), *row,
	       *whole = json_array_get(progs, 0);
	double mean = real(event_of(whole, exact_event()), "per_run.mean"), selves = 0;
	json_int_t called = 0;
	int rows = 0, missing;

	for (size_t i = 0; (row = json_array_get(progs, i)); i++) {
		selves += real(event_of(row, exact_event()), "per_run.self") * num(row, "runs");
		if (!json_is_true(json_object_get(row, "called")))
			continue;
		printf("# %s: %s: %lld calls, min %lld\n", prog, str(row, "func"),
		       (long long)num(row, "measured"),
		       (long long)num(event_of(row, exact_event()), "per_run.min"));
		rows++;
		called += num(row, "measured");
		assert_int_equal(num(row, "measured"), num(row, "runs"));
	}
	missing = count_missing(r);
	if (rows + missing != funcs - (missing ? merged : 0))
		fail_test("%s: %d rows of calls: %s", prog, rows, r->out);
	if (!missing && called != made)
		fail_test("%s: %lld calls, of %lld: %s", prog, (long long)called, (long long)made,
			  r->out);
	if (fabs(selves / runs - mean) > 1)
		fail_test("%s: the own costs are %f, not %f: %s", prog, selves / runs, mean,
			  r->out);
}

static void test_shape(void **state)
{
	struct fixture *f = *state;
	const struct shape *s = f->param;
	const char *object = s->object ?: "called_shapes";
	json_int_t alone;
	struct target t;
	__u64 before;
	struct run *r;

	if (s->before)
		drive(load_target(f, object, s->before), 1);
	t = load_target(f, object, s->prog);
	/* in the first run, elements may be added to maps */
	assert_status(command(f, "drive testrun %u:1", t.id), 0);
	alone = min_cost(measure(f, t, ""), t);
	before = calls_of(t);
	r = measure(f, t, OPTIONS);
	printf("# %s: alone %lld, with probes %lld\n", s->prog, (long long)alone,
	       (long long)min_cost(r, t));
	check_rows(r, s->prog, s->rows, 0, RUNS, calls_of(t) - before);
	if (s->in_module && arch_is("aarch64")) {
		assert_contains(r->out, "it is far from its probe");
		alone += FAR_INSNS * s->rows;
	}
	if (min_cost(r, t) != alone)
		fail_test("%s: alone %lld: %s", s->prog, (long long)alone, r->out);
}

/* The module must be loaded before the tests, because they use its BTF. */
static int setup_shapes(void **state)
{
	return load_module(MODULE) ? 0 : -1;
}

static int make_tests(struct ktest *tests)
{
	static const struct shape shapes[] = {
		{"shape_hash", 1},
		{"shape_lru", 1},
		{"shape_array", 1},
		{"shape_percpu_hash", 1},
		{"shape_percpu_array", 1},
		{"shape_lookups", 3},
		{"shape_trie", 2},
		{"shape_queue", 3},
		{"shape_stack", 2},
		{"shape_bloom", 2},
		{"shape_ring", 2},
		{"shape_inner_maps", 2},
		{"shape_same_type", 2},
		{"shape_sites", 1},
		{"shape_subprograms", 2},
		{"shape_loop", 1},
		{"shape_for_each", 2},
		{"shape_checksum", 1},
		{"shape_packet", 1},
		{"shape_kfuncs", 2, .object = "called_kfuncs"},
		{"shape_conntrack", 2, .object = "called_conntrack", .in_module = true,
		 .before = "insert_connection"},
	};
	const int cnt = sizeof(shapes) / sizeof(shapes[0]);

	for (int i = 0; i < cnt; i++)
		tests[i] = (struct ktest)KTEST_PARAM(shapes[i].prog, test_shape, &shapes[i]);
	return cnt;
}

KTEST_GROUP_OF(called_shapes, "functions of the kernel that programs call in all ways",
	       setup_shapes, ON(EXACT, FROM(6.12), LONG), make_tests);

static struct run *measure_in(struct fixture *f, const struct context *c, struct target t,
			      const char *options)
{
	struct run *r = bprof(f, "-j -b %u -e %s %s -- drive context %s %d %u", t.id, exact_event(),
			      options, c->name, CONTEXT_RUNS, t.id);

	check_driven(r, json_array_get(json_object_get(r->json, "programs"), 0), c->name);
	return r;
}

static bool may_sleep(const struct context *c)
{
	return !strcmp(c->name, "lsm_sleepable") || !strcmp(c->name, "syscall");
}

/* Checks that costs add up and all calls are counted in each context, for a program that calls functions of maps. */
static void test_in_context(void **state)
{
	struct fixture *f = *state;
	const struct context *c = f->param;
	const int funcs = SHAPE_CALLS - (may_sleep(c) ? 2 : 0);
	const char *suffix = shapes_suffix;
	json_int_t alone, runs;
	struct target t;
	struct run *r;
	json_t *whole;

	load_targets(f, c, &suffix, &t, 1);
	measure_in(f, c, t, ""); /* in this run, elements are added to the maps */
	alone = min_cost(measure_in(f, c, t, ""), t);
	r = measure_in(f, c, t, OPTIONS);
	whole = json_array_get(json_object_get(r->json, "programs"), 0);
	runs = num(whole, "measured");
	printf("# %s: alone %lld, with probes %lld\n", c->name, (long long)alone,
	       (long long)min_cost(r, t));
	check_rows(r, c->name, funcs, 1, runs, runs * funcs);
	if (llabs(min_cost(r, t) - alone) > uncertainty(event_of(whole, exact_event())))
		fail_test("%s: alone %lld: %s", c->name, (long long)alone, r->out);
}

static int make_context_tests(struct ktest *tests)
{
	/*
	 * Left out: the PMU's own interrupt, in which nothing can be measured, and struct_ops,
	 * which has no program "_shapes".
	 */
	static const char *const without[] = {"perf_event_pmu", "struct_ops", "sched_ext"};
	int cnt = 0;

	for (int i = 0; i < context_cnt; i++) {
		bool left_out = false;

		for (size_t k = 0; k < sizeof(without) / sizeof(without[0]); k++)
			left_out |= !strcmp(contexts[i].name, without[k]);
		if (!left_out)
			tests[cnt++] = (struct ktest)KTEST_PARAM(contexts[i].name, test_in_context,
								 &contexts[i]);
	}
	return cnt;
}

KTEST_GROUP_OF(called_contexts, "functions of maps that programs call on every hook",
	       setup_contexts, ON(EXACT, FROM(6.12), LONG), make_context_tests);
