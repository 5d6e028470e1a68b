// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests --calls, which measures the kernel functions that programs call. A call is counted for the
 * function that makes it and for the map that it passes. The costs of all functions add up to the
 * cost of the program. Calls of the same kernel functions by other programs and tasks change none
 * of these numbers.
 */
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <bpf/bpf.h>
#include <net/if.h>

#include "tests/kernel/backend/fentry/contexts_case.h"
#include "tests/kernel/drive/netdev.h"
#include "tests/kernel/harness.h"

#define RUNS 200
#define DEEP_REPORT "/tmp/ktest-deep"

/* The functions that tests/progs/helpers.bpf.c calls in a run, with --func '*' --calls '*'. */
static const struct call {
	const char *func;
	int calls, depth;
} calls[] = {
	{"xdp_helpers", 1, 0},
	{"htab_map_update_elem (flows)", 1, 1},
	{"htab_map_update_elem (users)", 1, 1},
	{"htab_lru_map_update_elem (recent)", 1, 1},
	{"htab_map_delete_elem (users)", 1, 1},
	{"bpf_user_rnd_u32", 3, 1},
	{"bpf_ktime_get_ns", 1, 1},
	{"inner", 1, 1},
	{"inner:htab_map_update_elem (flows)", 1, 2},
	{"inner:bpf_user_rnd_u32", 1, 2},
};

#define CALL_CNT ((int)(sizeof(calls) / sizeof(calls[0])))

static void need_kernel_probes(void)
{
	if (arch_is("aarch64") && kernel_is("6.1"))
		skip_test("called", "no trampoline on kernel functions");
}

static json_t *find_row(const struct run *r, const char *func)
{
	json_t *progs = json_object_get(r->json, "programs"), *row;

	for (size_t i = 0; (row = json_array_get(progs, i)); i++)
		if (!strcmp(str(row, "func"), func))
			return row;
	return NULL;
}

static json_t *func_row(const struct run *r, const char *func)
{
	json_t *row = find_row(r, func);

	if (!row)
		fail_test("no row of %s: %s", func, r->out);
	return row;
}

static json_t *func_event(const struct run *r, const char *func)
{
	return event_of(func_row(r, func), exact_event());
}

static json_int_t min_cost(const struct run *r, const char *func)
{
	return num(func_event(r, func), "per_run.min");
}

static struct run *measure_runs(struct fixture *f, struct target t, const char *options, int runs)
{
	struct run *r = bprof(f, "-j -b %u %s -e %s -- drive testrun %u:%d", t.id, options,
			      exact_event(), t.id, runs);

	assert_status(r, 0);
	return r;
}

static struct run *measure(struct fixture *f, struct target t, const char *options)
{
	return measure_runs(f, t, options, RUNS);
}

/* In the tree, the rows of calls are below the function that makes the calls. */
static void test_called(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "helpers", "xdp_helpers");
	struct run *r;

	need_kernel_probes();
	r = measure(f, t, "--func '*' --calls '*'");
	assert_int_equal(json_array_size(json_object_get(r->json, "programs")), CALL_CNT);
	for (int i = 0; i < CALL_CNT; i++) {
		json_t *row = func_row(r, calls[i].func);

		assert_int_equal(num(row, "runs"), RUNS * calls[i].calls);
		assert_int_equal(num(row, "measured"), RUNS * calls[i].calls);
		if (!i)
			continue;
		assert_int_equal(num(row, "calls_per_run"), calls[i].calls);
		assert_int_equal(num(row, "depth"), calls[i].depth);
		assert_true(!strcmp(calls[i].func, "inner") !=
			    json_is_true(json_object_get(row, "called")));
	}
	/* Without --func, calls in the subprogram count for the program. */
	r = measure(f, t, "--calls '*rnd*'");
	assert_int_equal(json_array_size(json_object_get(r->json, "programs")), 2);
	assert_int_equal(num(func_row(r, "bpf_user_rnd_u32"), "calls_per_run"), 4);
}

/* Returns the sum of the own costs of all rows in a run. */
static double sum_of_selves(const struct run *r)
{
	json_t *progs = json_object_get(r->json, "programs"), *row;
	double sum = 0;

	for (size_t i = 0; (row = json_array_get(progs, i)); i++)
		sum += real(event_of(row, exact_event()), "per_run.self") * num(row, "runs");
	return sum / RUNS;
}

/*
 * The cost of the program is exactly the same with and without probes on the kernel functions. It is the sum
 * of the own costs of all rows.
 */
static void test_sum(void **state)
{
	static const char *const options[] = {"--calls '*'", "--func '*' --calls '*' --no-hist",
					      "--func '*' --calls '*' -e time,page-faults"};
	struct fixture *f = *state;
	struct target t = load_target(f, "helpers", "xdp_helpers");
	struct run *r, *alone, *inner;

	need_kernel_probes();
	alone = measure(f, t, "");
	inner = measure(f, t, "--func inner");
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		r = measure(f, t, options[i]);
		if (min_cost(r, "xdp_helpers") != min_cost(alone, "xdp_helpers") ||
		    (i && min_cost(r, "inner") != min_cost(inner, "inner")))
			fail_test("not the cost of the program alone: %s%s", alone->out, r->out);
		if (fabs(sum_of_selves(r) - real(func_event(r, "xdp_helpers"), "per_run.mean")) > 1)
			fail_test("the own costs are %f: %s", sum_of_selves(r), r->out);
	}
}

static double slope_of(struct fixture *f, struct target t)
{
	return atof(command(f, "drive slope %u", t.id)->out);
}

/*
 * The reported cost of a call is what the call adds to a program that makes it, measured without
 * bprof.
 */
static void test_slope(void **state)
{
	struct fixture *f = *state;
	struct target one, more;
	double call;
	struct run *r;

	need_kernel_probes();
	one = load_target(f, "helpers", "xdp_random_1");
	more = load_target(f, "helpers", "xdp_random_11");
	call = (slope_of(f, more) - slope_of(f, one)) / 10;
	r = measure(f, one, "--calls '*'");
	if (fabs(min_cost(r, "bpf_user_rnd_u32") - call) > 0.5)
		fail_test("a call takes %f: %s", call, r->out);
	r = measure(f, more, "--calls '*'");
	assert_int_equal(num(func_row(r, "bpf_user_rnd_u32"), "calls_per_run"), 11);
	if (fabs(min_cost(r, "bpf_user_rnd_u32") - call) > 0.5)
		fail_test("a call takes %f: %s", call, r->out);
}

static void assert_skipped(const struct run *r, const char *name, const char *why)
{
	json_t *list = json_object_get(r->json, "skipped"), *row;

	for (size_t i = 0; (row = json_array_get(list, i)); i++)
		if (!strcmp(str(row, "name"), name)) {
			assert_string_equal(str(row, "reason"), "call");
			assert_contains(str(row, "detail"), why);
			return;
		}
	fail_test("%s is not skipped: %s", name, r->out);
}

/*
 * bprof does not measure kernel functions that its own probes call. The cost of a program that
 * calls them includes them.
 */
static void test_not_measured(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "helpers", "xdp_helpers");
	struct run *r, *without;
	json_t *notes;

	need_kernel_probes();
	r = measure(f, t, "--calls '*' -e time");
	assert_null(find_row(r, "bpf_ktime_get_ns"));
	assert_skipped(r, "xdp_helpers:bpf_ktime_get_ns", "the probes call it");
	notes = json_object_get(func_row(r, "xdp_helpers"), "notes");
	assert_contains(json_string_value(json_array_get(notes, 0)), "bpf_ktime_get_ns");
	without = measure(f, t, "--calls '*'");
	assert_int_equal(min_cost(r, "xdp_helpers"), min_cost(without, "xdp_helpers"));
	if (fabs(sum_of_selves(r) - real(func_event(r, "xdp_helpers"), "per_run.mean")) > 1)
		fail_test("its cost is nowhere: %s", r->out);
}

/* If two programs call the same function, it has one probe. */
static void test_shared(void **state)
{
	struct fixture *f = *state;
	struct target one, more;
	struct run *r;

	need_kernel_probes();
	one = load_target(f, "helpers", "xdp_random_1");
	more = load_target(f, "helpers", "xdp_random_11");
	r = bprof(f, "-j -b %u,%u --calls '*' -e %s -- drive testrun %u:%d %u:%d", one.id, more.id,
		  exact_event(), one.id, RUNS, more.id, 2 * RUNS);
	assert_status(r, 0);
	assert_int_equal(num(called_row(r, one.id), "calls_per_run"), 1);
	assert_int_equal(num(called_row(r, one.id), "measured"), RUNS);
	assert_int_equal(num(called_row(r, more.id), "calls_per_run"), 11);
	assert_int_equal(num(called_row(r, more.id), "measured"), 22 * RUNS);
	assert_int_equal(num(event_of(called_row(r, one.id), exact_event()), "per_run.min"),
			 num(event_of(called_row(r, more.id), exact_event()), "per_run.min"));
}

/*
 * Program "root" tail-calls program "leaf", which calls kernel functions. So these calls are in runs of root.
 * The cost of root must not include what the probes of these functions cost.
 */
static void test_tail_called(void **state)
{
	struct fixture *f = *state;
	struct bpf_object *obj = try_load_object(f, PROGS_DIR "/tailcall.bpf.o");
	struct target root, leaf;
	json_int_t alone;
	struct run *r;

	need_kernel_probes();
	assert_non_null(obj);
	root = program_of(obj, "tail_root");
	leaf = program_of(obj, "tail_looks_up");
	set_jump(obj, leaf);
	r = bprof(f, "-j -b %u -e %s -- drive testrun %u:%d", root.id, exact_event(), root.id,
		  RUNS);
	assert_status(r, 0);
	alone = num(event_of(row_of(r, root.id), exact_event()), "per_run.min");
	r = bprof(f, "-j -b %u,%u --calls '*' -e %s -- drive testrun %u:%d", root.id, leaf.id,
		  exact_event(), root.id, RUNS);
	assert_status(r, 0);
	printf("# %lld alone, %lld with probes\n", (long long)alone,
	       (long long)num(event_of(row_of(r, root.id), exact_event()), "per_run.min"));
	assert_int_equal(num(event_of(row_of(r, root.id), exact_event()), "per_run.min"), alone);
}

/* bprof bench has rows of calls, and compares the calls of two versions. */
static void test_bench(void **state)
{
	struct fixture *f = *state;
	struct run *r;

	need_kernel_probes();
	r = command(f,
		    "bprof bench -j --calls '*' --prog xdp_random_1 -e %s --repeat 20 --blocks 6 "
		    "progs/helpers.bpf.o",
		    exact_event());
	assert_status(r, 0);
	assert_int_equal(num(func_row(r, "bpf_user_rnd_u32"), "calls_per_run"), 1);
	r = command(f,
		    "bprof bench --calls '*' --prog xdp_random_1 -e %s --repeat 20 --blocks 6 "
		    "progs/helpers.bpf.o progs/helpers.bpf.o",
		    exact_event());
	assert_status(r, 0);
	assert_contains(r->out, "xdp_random_1:bpf_user_rnd_u32");
	r = command(f,
		    "bprof bench --calls '*' --prog xdp_same_maps -e %s --repeat 20 --blocks 6 "
		    "--fail-on 'xdp_same_maps:htab_map_update_elem (flows)/*:min>0' "
		    "progs/helpers.bpf.o progs/helpers.bpf.o",
		    exact_event());
	assert_status(r, 0);
	assert_contains(r->out, "xdp_same_maps:htab_map_update_elem (flows)");
}

/* Sets the program's own counts to 0. They are in the map called name. */
static void reset_counts(struct target t, const char *name)
{
	struct bpf_map *map = bpf_object__find_map_by_name(t.obj, name);
	const __u64 zero = 0;

	for (__u32 i = 0; i < bpf_map__max_entries(map); i++)
		assert_int_equal(bpf_map_update_elem(bpf_map__fd(map), &i, &zero, BPF_ANY), 0);
}

/* Returns how often the program has updated a map, by its own counts. */
static __u64 count_of(struct target t, __u32 which)
{
	struct bpf_map *map = bpf_object__find_map_by_name(t.obj, "by_map");
	__u64 count = 0;

	assert_int_equal(bpf_map_lookup_elem(bpf_map__fd(map), &which, &count), 0);
	return count;
}

static void assert_calls(const struct run *r, const char *func, json_int_t cnt)
{
	assert_int_equal(num(func_row(r, func), "measured"), cnt);
	assert_int_equal(num(func_row(r, func), "runs"), cnt);
}

/* The program costs the same without and with --calls, and the own costs of all rows add up to this cost. */
static void assert_exact(const struct run *alone, const struct run *r, struct target t)
{
	const char *name = bpf_program__name(t.prog);

	if (min_cost(r, name) != min_cost(alone, name))
		fail_test("not the cost of the program alone: %s%s", alone->out, r->out);
	if (fabs(sum_of_selves(r) - real(func_event(r, name), "per_run.mean")) > 1)
		fail_test("the own costs are %f: %s", sum_of_selves(r), r->out);
}

/*
 * Each map has a row with as many calls as the program itself has counted. For calls with inner
 * maps, the row names no map. If one helper call may get either of two maps, the helper's row names
 * no map either, but the rows of the functions that the helper calls do.
 */
static void test_maps(void **state)
{
	enum { OF_FLOWS, OF_WIDE, OF_CHOSEN, OF_INNER };
	static const char update[] = "htab_map_update_elem";
	struct fixture *f = *state;
	struct target t = load_target(f, "helpers", "xdp_maps");
	struct run *r, *alone;

	need_kernel_probes();
	/* the first runs add elements, which is cheaper on x86-64 than replacing them */
	drive(t, 4);
	alone = measure(f, t, "");
	reset_counts(t, "by_map");
	r = measure(f, t, "--calls '*'");
	assert_int_equal(count_of(t, OF_FLOWS), 2 * RUNS);
	assert_calls(r, "htab_map_update_elem (flows)", 2 * RUNS + RUNS / 4);
	assert_calls(r, "htab_map_update_elem (wide_flows)", count_of(t, OF_WIDE));
	assert_calls(r, "bpf_map_update_elem", count_of(t, OF_CHOSEN));
	assert_calls(r, update, count_of(t, OF_INNER) + RUNS - RUNS / 4);
	assert_int_equal(json_array_size(json_object_get(r->json, "programs")), 5);
	assert_string_equal(str(func_row(r, "htab_map_update_elem (wide_flows)"), "map"),
			    "wide_flows");
	assert_string_equal(str(func_row(r, "htab_map_update_elem (flows)"), "map_type"), "hash");
	assert_null(json_object_get(func_row(r, update), "map"));
	if (arch_is("x86_64") && min_cost(r, "htab_map_update_elem (wide_flows)") ==
					 min_cost(r, "htab_map_update_elem (flows)"))
		fail_test("keys of 4 and of 8 bytes cost the same: %s", r->out);
	assert_exact(alone, r, t);
	assert_exact(alone, measure(f, t, "--calls '*' --no-hist"), t);
	assert_exact(alone, measure(f, t, "--calls '*' -e time,page-faults"), t);
	/*
	 * The glob may name a map. Calls with other maps go through the same probe, so they have
	 * one more row together.
	 */
	r = measure(f, t, "--calls '*(flows)'");
	assert_int_equal(json_array_size(json_object_get(r->json, "programs")), 3);
	assert_calls(r, "htab_map_update_elem (flows)", 2 * RUNS + RUNS / 4);
	assert_calls(r, update, 3 * RUNS - RUNS / 4);
	assert_exact(alone, r, t);
}

/* Returns the row of a program's function, or NULL. */
static json_t *row_of_prog(const struct run *r, struct target t, const char *func)
{
	json_t *progs = json_object_get(r->json, "programs"), *row;

	for (size_t i = 0; (row = json_array_get(progs, i)); i++)
		if (num(row, "id") == t.id && !strcmp(str(row, "func"), func))
			return row;
	return NULL;
}

static json_int_t measured_calls(const struct run *r, struct target t, const char *func)
{
	json_t *row = row_of_prog(r, t, func);

	if (!row)
		fail_test("no row of %s by %u: %s", func, t.id, r->out);
	return num(row, "measured");
}

/* Two programs call a function with the same maps. Each program has its own row for each map. */
static void test_shared_maps(void **state)
{
	struct fixture *f = *state;
	struct bpf_object *obj = try_load_object(f, PROGS_DIR "/helpers.bpf.o");
	struct target one = program_of(obj, "xdp_maps"), two = program_of(obj, "xdp_same_maps");
	struct run *r;

	need_kernel_probes();
	r = bprof(f, "-j -b %u,%u --calls '*' -e %s -- drive testrun %u:%d %u:%d", one.id, two.id,
		  exact_event(), one.id, RUNS, two.id, 3 * RUNS);
	assert_status(r, 0);
	assert_int_equal(measured_calls(r, one, "htab_map_update_elem (flows)"),
			 2 * RUNS + RUNS / 4);
	assert_int_equal(measured_calls(r, one, "htab_map_update_elem (wide_flows)"), RUNS);
	assert_int_equal(measured_calls(r, two, "htab_map_update_elem (flows)"), 3 * RUNS);
	assert_int_equal(measured_calls(r, two, "htab_map_update_elem (wide_flows)"), 6 * RUNS);
	assert_int_equal(measured_calls(r, two, "htab_map_update_elem (counts_of_flows)"),
			 3 * RUNS);
	assert_int_equal(measured_calls(r, two, "htab_map_update_elem (counts_of_flows#2)"),
			 6 * RUNS);
	assert_null(row_of_prog(r, two, "htab_map_update_elem"));
	assert_int_equal(measured_calls(r, two, "bpf_xdp_event_output (events)"), 3 * RUNS);
	assert_exact(measure(f, two, ""), measure(f, two, "--calls '*'"), two);
}

/*
 * Returns the ns per run that drive printed. In the VM, the clock advances with each instruction.
 */
static double time_of(struct run *r)
{
	assert_status(r, 0);
	return strtod(r->out, NULL);
}

/*
 * If one run in N is measured, each row has the numbers that it has if all runs are measured. In
 * the other runs, the probes of calls return early.
 */
static void test_sampled(void **state)
{
	const int period = 4;
	struct fixture *f = *state;
	struct target t = load_target(f, "helpers", "xdp_helpers");
	json_t *progs, *row, *of_all;
	struct run *all, *some;
	double alone, with, sampled;

	need_kernel_probes();
	/* the first run adds elements, which is cheaper on x86-64 than replacing them */
	drive(t, 1);
	/* So many runs that interrupts in two of the measured runs do not make the shares unknown. */
	all = measure_runs(f, t, "--func '*' --calls '*' -e time", 10 * RUNS);
	some = measure_runs(f, t, "--func '*' --calls '*' -e time --sample 4", 10 * RUNS);
	progs = json_object_get(some->json, "programs");
	assert_int_equal(json_array_size(progs),
			 json_array_size(json_object_get(all->json, "programs")));
	for (size_t i = 0; (row = json_array_get(progs, i)); i++) {
		of_all = func_row(all, str(row, "func"));
		assert_int_equal(num(row, "measured") * period, num(of_all, "measured"));
		if (json_is_true(json_object_get(row, "called")))
			assert_int_equal(num(row, "runs"), num(row, "measured"));
		if (i)
			assert_float_equal(real(row, "calls_per_run"),
					   real(of_all, "calls_per_run"), 0);
		assert_int_equal(num(event_of(row, exact_event()), "per_run.min"),
				 num(event_of(of_all, exact_event()), "per_run.min"));
		/* The sessions differ in length, so compare CPU times. */
		if (fabs(real(row, "cpu_share") * num(some->json, "elapsed_ns") /
				 (real(of_all, "cpu_share") * num(all->json, "elapsed_ns")) -
			 1) > 0.5)
			fail_test("%s: another share: %s", str(row, "func"), some->out);
	}
	alone = time_of(command(f, "drive time %u %d", t.id, RUNS));
	with = time_of(bprof(f, "-o /dev/null -b %u --calls '*' -e %s -- drive time %u %d", t.id,
			     exact_event(), t.id, RUNS));
	sampled = time_of(
		bprof(f, "-o /dev/null -b %u --calls '*' -e %s --sample 100 -- drive time %u %d",
		      t.id, exact_event(), t.id, RUNS));
	printf("# a run takes %.0f ns alone, %.0f with probes, %.0f if one in 100 is measured\n",
	       alone, with, sampled);
	assert_true(sampled - alone < (with - alone) / 2);
}

static void test_refused(void **state)
{
	static const char *const options[] = {"--follow", "--by retval", "--sample auto",
					      "--max-overhead 1% --strict"};
	static const char *const without[] = {"--name 'xdp*' --by site --timeout 10",
					      "top --by site --all", "export --by site --all",
					      "bench --by site progs/helpers.bpf.o"};
	struct fixture *f = *state;
	struct run *r;

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		r = bprof(f, "--name 'xdp*' --calls '*' %s --timeout 10", options[i]);
		assert_status(r, 2);
		assert_contains(r->err, "--calls");
	}
	for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++) {
		r = command(f, "bprof %s", without[i]);
		assert_status(r, 2);
		assert_contains(r->err, "--by site: it needs --calls");
	}
	load_target(f, "helpers", "xdp_random_1");
	r = bprof(f, "--name xdp_random_1 --calls bpf_nosuch -e time --timeout 10");
	assert_status(r, 0);
	assert_contains(r->err, "the selected programs call no such function of the kernel");
	if (arch_is("aarch64") && kernel_is("6.1")) {
		struct target t = load_target(f, "helpers", "xdp_helpers");

		r = measure(f, t, "--calls '*'");
		assert_skipped(r, "xdp_helpers:bpf_user_rnd_u32", "from Linux 6.4 on");
	}
}

/*
 * One program reaches a function only through a helper. bprof probes the function because another
 * program calls it directly. The cost of the first program does not contain this probe.
 */
static void test_reached(void **state)
{
	static const char glob[] = "'htab_map_update_elem*'";
	struct fixture *f = *state;
	struct target either, direct;
	struct run *alone, *r;

	need_kernel_probes();
	either = load_target(f, "helpers", "xdp_either");
	direct = load_target(f, "helpers", "xdp_helpers");
	/* the first run adds an element to the map, which is cheaper on x86-64 than replacing it */
	drive(either, 1);
	alone = measure(f, either, "");
	r = bprof(f, "-j -b %u,%u --calls %s -e %s -- drive testrun %u:%d", either.id, direct.id,
		  glob, exact_event(), either.id, RUNS);
	assert_status(r, 0);
	assert_int_equal(min_cost(r, "xdp_either"), min_cost(alone, "xdp_either"));
	assert_int_equal(num(called_row(r, either.id), "measured"), RUNS);
}

/* Returns how often tests/progs/sites.bpf.c has been at a place, by its own counts. */
static json_int_t count_site(struct target t, __u32 site)
{
	struct bpf_map *map = bpf_object__find_map_by_name(t.obj, "by_site");
	__u64 count = 0;

	assert_int_equal(bpf_map_lookup_elem(bpf_map__fd(map), &site, &count), 0);
	return count;
}

static void assert_site(const struct run *r, const char *func, const char *site, json_int_t cnt)
{
	assert_calls(r, func, cnt);
	assert_string_equal(str(func_row(r, func), "site"), site);
}

/*
 * Each place has a row with as many calls as the program itself has counted there: a place in a
 * branch, two places in a line, and one in a subprogram. Functions that a helper calls have a row
 * without a place.
 */
static void test_sites(void **state)
{
	enum { AT_101, AT_103, AT_105, AT_107, AT_109, AT_201 };
	static const char random[] = "bpf_user_rnd_u32", update[] = "htab_map_update_elem";
	struct fixture *f = *state;
	struct target t = load_target(f, "sites", "xdp_sites");
	struct run *r, *alone;

	need_kernel_probes();
	/* the first runs add elements, which is cheaper on x86-64 than replacing them */
	drive(t, 4);
	alone = measure(f, t, "");
	reset_counts(t, "by_site");
	r = measure(f, t, "--calls '*' --by site");
	assert_int_equal(count_site(t, AT_101), RUNS);
	assert_int_equal(count_site(t, AT_103), RUNS - RUNS / 4);
	assert_site(r, "htab_map_update_elem (flows) sites.bpf.c:101", "sites.bpf.c:101", RUNS);
	assert_site(r, "htab_map_update_elem (flows) sites.bpf.c:103", "sites.bpf.c:103",
		    count_site(t, AT_103));
	assert_site(r, "htab_map_update_elem (users) sites.bpf.c:105", "sites.bpf.c:105",
		    count_site(t, AT_105));
	assert_site(r, "htab_map_update_elem (flows) sites.bpf.c:201", "sites.bpf.c:201",
		    count_site(t, AT_201));
	assert_string_equal(str(func_row(r, "htab_map_update_elem (users) sites.bpf.c:105"), "map"),
			    "users");
	assert_site(r, "bpf_user_rnd_u32 sites.bpf.c:107", "sites.bpf.c:107",
		    count_site(t, AT_107));
	assert_site(r, "bpf_user_rnd_u32 sites.bpf.c:107#2", "sites.bpf.c:107#2",
		    count_site(t, AT_107));
	assert_site(r, "bpf_user_rnd_u32 sites.bpf.c:109", "sites.bpf.c:109",
		    count_site(t, AT_109));
	assert_site(r, "bpf_user_rnd_u32 sites.bpf.c:202", "sites.bpf.c:202",
		    count_site(t, AT_201));
	assert_site(r, "bpf_map_update_elem sites.bpf.c:113", "sites.bpf.c:113", RUNS);
	assert_site(r, "bpf_get_numa_node_id sites.bpf.c:114", "sites.bpf.c:114", RUNS);
	assert_calls(r, update, RUNS); /* the calls that bpf_map_update_elem() makes */
	assert_null(json_object_get(func_row(r, update), "site"));
	assert_null(find_row(r, random));
	assert_int_equal(json_array_size(json_object_get(r->json, "programs")), 12);
	assert_exact(alone, r, t);
	assert_exact(alone, measure(f, t, "--func '*' --calls '*' --by site --no-hist"), t);
	assert_exact(alone, measure(f, t, "--func '*' --calls '*' --by site -e time,page-faults"),
		     t);
}

/* The total cost of the calls of a function is the same with --by site and with a row for each map. */
static void test_site_costs(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "sites", "xdp_sites");
	struct run *by_map, *by_site;
	json_int_t random;

	need_kernel_probes();
	/* the first run adds elements, which is cheaper on x86-64 than replacing them */
	drive(t, 1);
	by_map = measure(f, t, "--func '*' --calls '*'");
	by_site = measure(f, t, "--func '*' --calls '*' --by site");
	random = min_cost(by_map, "bpf_user_rnd_u32");
	assert_int_equal(min_cost(by_site, "bpf_user_rnd_u32 sites.bpf.c:107"), random);
	assert_int_equal(min_cost(by_site, "bpf_user_rnd_u32 sites.bpf.c:107#2"), random);
	assert_int_equal(min_cost(by_site, "bpf_user_rnd_u32 sites.bpf.c:109"), random);
	assert_int_equal(min_cost(by_site, "site_sub:bpf_user_rnd_u32 sites.bpf.c:202"), random);
	assert_int_equal(min_cost(by_site, "site_sub:htab_map_update_elem (flows) sites.bpf.c:201"),
			 min_cost(by_map, "site_sub:htab_map_update_elem (flows)"));
	assert_int_equal(min_cost(by_site, "xdp_sites"), min_cost(by_map, "xdp_sites"));
}

/* The glob may name a map. Calls with other maps then have a row without a place. */
static void test_site_globs(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "sites", "xdp_sites");
	struct run *r, *alone;

	need_kernel_probes();
	/* the first runs add elements, which is cheaper on x86-64 than replacing them */
	drive(t, 4);
	alone = measure(f, t, "");
	r = measure(f, t, "--calls '*(flows)' --by site");
	assert_calls(r, "htab_map_update_elem (flows) sites.bpf.c:101", RUNS);
	assert_calls(r, "htab_map_update_elem", 2 * RUNS);
	assert_int_equal(json_array_size(json_object_get(r->json, "programs")), 5);
	assert_exact(alone, r, t);
	r = command(
		f,
		"bprof bench --calls '*' --by site --prog xdp_sites -e %s --repeat 20 --blocks 6 "
		"--fail-on 'xdp_sites:bpf_user_rnd_u32 sites.bpf.c:109/*:min>0' "
		"progs/sites.bpf.o progs/sites.bpf.o",
		exact_event());
	assert_status(r, 0);
	assert_contains(r->out, "xdp_sites:bpf_user_rnd_u32 sites.bpf.c:109");
}

KTEST_GROUP(called, "functions of the kernel that programs call", NULL, ON(EXACT, FROM(6.1)),
	    KTEST(test_called), KTEST(test_sum, ALSO_NEWEST), KTEST(test_slope, ALSO_X86),
	    KTEST(test_not_measured), KTEST(test_shared, LONG), KTEST(test_tail_called),
	    KTEST(test_bench, LONG), KTEST(test_maps), KTEST(test_shared_maps, LONG),
	    KTEST(test_reached), KTEST(test_sites), KTEST(test_site_costs, LONG),
	    KTEST(test_site_globs, LONG), KTEST(test_sampled), KTEST(test_refused));

/* Returns how often the program has run, by its own count. */
static __u64 count_others(struct target t)
{
	struct bpf_map *map = bpf_object__find_map_by_name(t.obj, "counts");
	__u64 count = 0;
	__u32 key = 0;

	assert_int_equal(bpf_map_lookup_elem(bpf_map__fd(map), &key, &count), 0);
	return count;
}

/* Another task calls the measured functions all the time, on another CPU or on the same CPU. */
static void test_others(void **state)
{
	struct fixture *f = *state;
	const int cpu = (uintptr_t)f->param;
	struct target t = load_target(f, "helpers", "xdp_helpers");
	struct target other = load_target(f, "helpers", "xdp_other");
	struct child *c;
	struct run *r;
	__u64 before;

	need_kernel_probes();
	c = command_start(f, "drive -C %d testrun %u:1000000000", cpu, other.id);
	AWAIT(count_others(other) > 1000);
	before = count_others(other);
	r = bprof(
		f,
		"-j -b %u --func '*' --calls '*' --max-overhead 100%% -e %s -- drive -C 0 testrun "
		"%u:%d",
		t.id, machine_event(), t.id, 50 * RUNS);
	assert_status(r, 0);
	AWAIT(count_others(other) > before + 1000);
	child_signal(c, SIGKILL);
	child_wait(f, c);
	for (int i = 0; i < CALL_CNT; i++) {
		json_t *row = func_row(r, calls[i].func);

		assert_int_equal(num(row, "measured"), 50 * RUNS * calls[i].calls);
		if (i)
			assert_int_equal(num(row, "calls_per_run"), calls[i].calls);
	}
}

/*
 * If other tasks call a function all the time, its probe would cost them much. So the function is
 * not measured, unless the user allows it. The report then says how much the probe added to calls
 * by others.
 */
static void test_limit(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "helpers", "xdp_random_1");
	struct target other = load_target(f, "helpers", "xdp_other");
	struct child *c;
	struct run *r;

	need_kernel_probes();
	r = bprof(f, "-j -b %u --calls '*rnd*' -e %s -- drive testrun %u:%d", t.id, machine_event(),
		  t.id, RUNS);
	assert_int_equal(num(called_row(r, t.id), "measured"), RUNS);
	assert_null(json_object_get(called_row(r, t.id), "calls_by_others"));
	c = command_start(f, "drive -C 1 testrun %u:1000000000", other.id);
	AWAIT(count_others(other) > 1000);
	r = bprof(f, "-j -b %u --calls '*rnd*' -e %s -- drive testrun %u:%d", t.id, machine_event(),
		  t.id, RUNS);
	assert_status(r, 0);
	assert_skipped(r, "xdp_random_1:bpf_user_rnd_u32", "others call it ");
	assert_int_equal(num(func_row(r, "xdp_random_1"), "measured"), RUNS);
	r = bprof(f,
		  "-j -b %u --calls '*rnd*' --max-overhead 100%% -e %s -- drive -C 0 testrun %u:%d",
		  t.id, machine_event(), t.id, 50 * RUNS);
	child_signal(c, SIGKILL);
	child_wait(f, c);
	assert_status(r, 0);
	assert_true(num(called_row(r, t.id), "calls_by_others") > 1000);
	assert_true(num(called_row(r, t.id), "calls_by_others_ns") > 10000);
}

/*
 * While bprof measures a function, another task begins to call it often. bprof then stops
 * measuring.
 */
static void test_limit_later(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "helpers", "xdp_random_1");
	struct target other = load_target(f, "helpers", "xdp_other");
	struct child *measuring, *c;
	struct run *r;

	need_kernel_probes();
	measuring = bprof_start(f, "-j -I 50 -b %u --calls '*rnd*' -e %s", t.id, machine_event());
	child_line(measuring);
	drive(t, RUNS);
	c = command_start(f, "drive -C 1 testrun %u:1000000000", other.id);
	r = child_wait(f, measuring);
	child_signal(c, SIGKILL);
	child_wait(f, c);
	assert_status(r, 0);
	assert_contains(r->err, "measuring ends here: ");
	assert_contains(r->err, "bpf_user_rnd_u32: others call it ");
}

/* Returns how often xdp_helpers has run, by its pinned map. */
static __u64 count_pinned(const char *path)
{
	int fd = bpf_obj_get(path);
	__u64 count = 0;
	__u32 key = 2;

	if (fd < 0)
		return 0;
	assert_int_equal(bpf_map_lookup_elem(fd, &key, &count), 0);
	close(fd);
	return count;
}

/* If other tasks begin to call a measured function often, bench ends without a verdict. */
static void test_limit_bench(void **state)
{
	struct fixture *f = *state;
	struct target other = load_target(f, "helpers", "xdp_other");
	struct child *bench, *c;
	struct run *r;

	need_kernel_probes();
	bench = bprof_start(
		f,
		"bench --calls '*rnd*' -e %s --prog xdp_helpers --repeat 100000 --blocks 10000 "
		"--pin-maps /sys/fs/bpf/limit progs/helpers.bpf.o progs/helpers.bpf.o",
		machine_event());
	/* wait until bench has made its first check of other callers, and is in its first block */
	AWAIT(count_pinned("/sys/fs/bpf/limit/counts") > 20000);
	c = command_start(f, "drive -C 1 testrun %u:1000000000", other.id);
	r = child_wait(f, bench);
	child_signal(c, SIGKILL);
	child_wait(f, c);
	command(f, "rm -r /sys/fs/bpf/limit");
	assert_status(r, 1);
	assert_contains(r->err, "others call it ");
}

/* If bprof is killed, it leaves nothing behind: teardown() checks that. */
static void test_killed(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "helpers", "xdp_helpers");
	struct child *c;

	need_kernel_probes();
	c = bprof_start(f, "-j -I 50 -b %u --func '*' --calls '*' -e %s", t.id, machine_event());
	child_line(c);
	drive(t, RUNS);
	child_signal(c, SIGKILL);
	child_wait(f, c);
}

/*
 * Kills bprof 30 ms after its start, then another one after 60 ms, and so on up to 900 ms: during
 * the start and while it measures.
 */
static void test_killed_early(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "helpers", "xdp_helpers");

	need_kernel_probes();
	for (int i = 1; i <= 30; i++) {
		const struct timespec pause = {.tv_nsec = i * 30000000L};
		struct child *c = bprof_start(f, "-j -b %u --func '*' --calls '*' --by site -e %s",
					      t.id, machine_event());

		nanosleep(&pause, NULL);
		child_signal(c, SIGKILL);
		child_wait(f, c);
	}
}

/* ---- deep stacks ---- */

static int setup_deep(void **state)
{
	return load_context_modules(state) || setup(state) || veth__create("kt0", "kt1") ? -1 : 0;
}

static int teardown_deep(void **state)
{
	veth__delete("kt0");
	return teardown(state);
}

static void attach_tc(const char *device, enum bpf_tc_attach_point point, __u32 priority, int fd)
{
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = if_nametoindex(device), .attach_point = point);
	LIBBPF_OPTS(bpf_tc_opts, opts, .prog_fd = fd, .priority = priority, .handle = 1,
		    .flags = BPF_TC_F_REPLACE);
	int err = bpf_tc_hook_create(&hook);

	if ((err && err != -EEXIST) || bpf_tc_attach(&hook, &opts))
		fail_test("cannot attach a program: %s", strerror(errno));
}

/* Lets the leaf run at many depths of the stack for interrupts, on each CPU. */
static void run_deep(struct bpf_object *obj, int levels_fd)
{
	static const char *const carriers[] = {"carrier_8", "carrier_96", "carrier_184",
					       "carrier_272", "carrier_360"};
	const __u32 key = 0;

	for (size_t i = 0; i < sizeof(carriers) / sizeof(carriers[0]); i++) {
		struct target carrier = program_of(obj, carriers[i]);

		attach_tc("kt1", BPF_TC_INGRESS, 1, carrier.fd);
		attach_tc("kt1", BPF_TC_EGRESS, 1, carrier.fd);
		for (__u64 levels = 1; levels <= 6; levels++) {
			assert_int_equal(bpf_map_update_elem(levels_fd, &key, &levels, BPF_ANY), 0);
			for (int cpu = 0; cpu < online_cpus(); cpu++) {
				cpu_set_t set;

				CPU_ZERO(&set);
				CPU_SET(cpu, &set);
				assert_int_equal(sched_setaffinity(0, sizeof(set), &set), 0);
				assert_int_equal(packets__send("kt0", 10, 0, NULL), 0);
			}
		}
	}
}

/*
 * All calls are counted at all depths of the stack: on x86-64, the stack for interrupts need not
 * begin at a multiple of its size.
 */
static void test_deep(void **state)
{
	struct fixture *f = *state;
	struct bpf_object *obj = try_load_object(f, PROGS_DIR "/deep.bpf.o");
	struct target leaf = program_of(obj, "leaf");
	int counts = bpf_map__fd(bpf_object__find_map_by_name(obj, "counts"));
	__u64 runs = 0, before;
	const __u32 key = 0;
	struct child *c;
	struct run *r;

	need_kernel_probes();
	attach_tc("kt1", BPF_TC_EGRESS, 2, leaf.fd);
	c = bprof_start(f,
			"-j -b %u --func '*' --calls '*' --max-overhead 100%% -e %s -o " DEEP_REPORT
			" -- sh -c 'echo ready; exec sleep 1000'",
			leaf.id, machine_event());
	assert_string_equal(child_line(c), "ready");
	run_deep(obj, bpf_map__fd(bpf_object__find_map_by_name(obj, "levels")));
	/* wait for packets that are still in a queue */
	do {
		before = runs;
		usleep(100000);
		assert_int_equal(bpf_map_lookup_elem(counts, &key, &runs), 0);
	} while (runs != before);
	child_signal(c, SIGINT);
	assert_status(child_wait(f, c), 0);
	r = command(f, "cat " DEEP_REPORT);
	assert_true(runs >= 1200);
	assert_calls(r, "leaf", runs);
	assert_calls(r, "htab_map_update_elem (flows)", runs);
	assert_calls(r, "inner", runs);
	assert_calls(r, "inner:htab_map_update_elem (flows)", runs);
	assert_int_equal(num(func_row(r, "inner"), "calls_per_run"), 1);
}

KTEST_GROUP(called_smp, "functions of the kernel that others call, too", NULL, ON(SMP4, FROM(6.1)),
	    KTEST_PARAM("others_elsewhere", test_others, 1),
	    KTEST_PARAM("others_here", test_others, 0, LONG), KTEST(test_limit, LONG),
	    KTEST(test_limit_later), KTEST(test_limit_bench), KTEST(test_killed),
	    KTEST(test_killed_early, LONG),
	    KTEST_WITH(setup_deep, teardown_deep, test_deep, ALSO_NEWEST));
