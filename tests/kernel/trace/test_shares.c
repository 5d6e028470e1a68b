// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests that bprof trace says which functions, and which calls of kernel functions, cost more in
 * the runs for which a condition was true. Each call and each instruction of these runs is counted,
 * and none of other runs.
 */
#include <signal.h>
#include <string.h>
#include <bpf/bpf.h>

#include "tests/kernel/harness.h"
#include "tests/progs/nested.h"
#include "tests/progs/shares.h"

#define RUNS 3000
#define DEAR_RUNS (RUNS / DEAR_PERIOD)
#define REPORT "/tmp/ktest-shares"

/* The calls of tests/progs/shares.bpf.c in all runs, and in the runs that return XDP_TX. */
static const struct expected {
	const char *func;
	int in_each, in_dear; /* calls in each run, and additional calls in an expensive run */
	bool is_call;	      /* needs --calls */
} expected[] = {
	{"xdp_shares", 1, 0, false},
	{"usual", USUAL_CALLS, 0, false},
	{"usual:htab_percpu_map_update_elem (often)", USUAL_CALLS, 0, true},
	{"dear", 0, DEAR_CALLS, false},
	{"dear:htab_percpu_map_update_elem (rare)", 0, DEAR_CALLS *DEAR_UPDATES, true},
};

/*
 * Reads the lines of the output. Returns the summary, and sets the sum of the records' costs. Frees
 * nothing.
 */
static json_t *read_lines(const struct run *r, const char *event, json_int_t *records_net)
{
	const char *text = r->out;
	json_t *line, *summary;
	json_error_t error;

	assert_status(r, 0);
	*records_net = 0;
	while (*text == '{' && (line = json_loads(text, JSON_DISABLE_EOF_CHECK, &error))) {
		text += error.position;
		text += strspn(text, "\n");
		summary = json_object_get(line, "summary");
		if (summary)
			return summary;
		if (json_object_get(line, "why"))
			*records_net += num(event_of(line, event), "net");
	}
	fail_test("no summary: %s\nstderr: %s", r->out, r->err);
	return NULL;
}

static json_t *find_function(json_t *shares, const char *func)
{
	json_t *row;
	size_t i;

	json_array_foreach(json_object_get(shares, "functions"), i,
			   row) if (!strcmp(str(row, "func"), func)) return row;
	return NULL;
}

static json_t *function_of(json_t *shares, const char *func)
{
	json_t *row = find_function(shares, func);

	if (!row)
		fail_test("no function %s", func);
	return row;
}

static json_int_t total_of(json_t *shares, const char *event, const char *key)
{
	json_int_t sum = 0;
	json_t *row;
	size_t i;

	json_array_foreach(json_object_get(shares, "functions"), i, row)
		sum += num(event_of(row, event), key);
	return sum;
}

/* Checks the calls in "runs" runs. "dear" is the number of expensive runs among them. */
static void assert_calls(json_t *shares, const char *prog, json_int_t runs, json_int_t dear,
			 bool calls)
{
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		const struct expected *e = &expected[i];
		json_t *row = find_function(shares, i ? e->func : prog);

		if (e->is_call && !calls) {
			assert_null(row);
			continue;
		}
		if (!row)
			fail_test("no function %s", e->func);
		assert_int_equal(num(row, "calls"), runs * e->in_each + dear * e->in_dear);
		assert_int_equal(num(row, "matched_calls"), dear * (e->in_each + e->in_dear));
	}
}

/* Checks that runs that do not match have neither called dear() nor updated the map "rare". */
static void assert_only_in_dear(json_t *shares, const char *func, const char *event)
{
	json_t *ev = event_of(function_of(shares, func), event);

	assert_int_equal(num(ev, "self"), num(ev, "matched_self"));
}

static void test_dear(void **state)
{
	struct fixture *f = *state;
	const bool calls = f->param;
	const char *event = exact_event();
	struct target t = load_target(f, "shares", "xdp_shares");
	struct run *r = bprof(
		f, "trace -j -b %u -e %s --retval XDP_TX --func '*' %s -- drive testrun %u:%d",
		t.id, event, calls ? "--calls '*'" : "", t.id, RUNS);
	json_int_t records;
	json_t *summary = read_lines(r, event, &records), *shares, *ev;

	assert_int_equal(num(summary, "invocations"), RUNS);
	assert_int_equal(num(summary, "measured"), RUNS);
	assert_int_equal(num(summary, "records"), DEAR_RUNS);
	assert_int_equal(json_array_size(json_object_get(summary, "shares")), 1);
	shares = json_array_get(json_object_get(summary, "shares"), 0);
	assert_int_equal(num(shares, "runs"), RUNS);
	assert_int_equal(num(shares, "matched"), DEAR_RUNS);
	assert_calls(shares, "xdp_shares", RUNS, DEAR_RUNS, calls);
	/* The costs of all functions together are exactly the sum of the records' costs. */
	assert_int_equal(total_of(shares, event, "matched_self"), records);
	assert_only_in_dear(shares, "dear", event);
	if (calls)
		assert_only_in_dear(shares, "dear:htab_percpu_map_update_elem (rare)", event);
	ev = event_of(function_of(shares, "dear"), event);
	printf("# dear: %.0f instructions in a call, %.1f %% of all runs, %.1f %% of dear ones\n",
	       real(ev, "self") / (DEAR_CALLS * DEAR_RUNS), 100 * real(ev, "share"),
	       100 * real(ev, "matched_share"));
	assert_true(real(ev, "self") >= (double)DEAR_CALLS * DEAR_RUNS * DEAR_INSNS);
	assert_true(real(ev, "matched_share") > 0.7 && real(ev, "share") < 0.4);
}

/*
 * Matching runs are counted even if --limit leaves them unrecorded. The calls of dear(), which only
 * other runs make, are not counted for them.
 */
static void test_not_dear(void **state)
{
	struct fixture *f = *state;
	const char *event = exact_event();
	struct target t = load_target(f, "shares", "xdp_shares");
	struct run *r = bprof(f,
			      "trace -j -b %u -e %s --retval XDP_PASS --limit 10 --func '*' -- "
			      "drive testrun %u:%d",
			      t.id, event, t.id, RUNS);
	json_int_t records;
	json_t *summary = read_lines(r, event, &records), *shares, *dear;

	shares = json_array_get(json_object_get(summary, "shares"), 0);
	assert_int_equal(num(summary, "records"), 10);
	assert_int_equal(num(shares, "matched"), RUNS - DEAR_RUNS);
	assert_int_equal(num(function_of(shares, "usual"), "matched_calls"),
			 USUAL_CALLS * (RUNS - DEAR_RUNS));
	dear = function_of(shares, "dear");
	assert_int_equal(num(dear, "calls"), DEAR_CALLS * DEAR_RUNS);
	assert_int_equal(num(dear, "matched_calls"), 0);
	assert_int_equal(num(event_of(dear, event), "matched_self"), 0);
}

/* Returns the lowest cost of a call of a function, from bprof stat. */
static json_int_t least(const struct run *r, const char *func, const char *event)
{
	json_t *row;
	size_t i;

	json_array_foreach(json_object_get(r->json, "programs"), i,
			   row) if (!strcmp(str(row, "func"),
					    func)) return num(event_of(row, event), "per_run.min");
	fail_test("no row of %s: %s", func, r->out);
	return 0;
}

static json_int_t own_of(json_t *shares, const char *func, const char *event)
{
	json_t *row = function_of(shares, func);
	json_int_t self = num(event_of(row, event), "matched_self");

	assert_int_equal(self % num(row, "matched_calls"), 0);
	return self / num(row, "matched_calls");
}

/*
 * In the matching runs, a function costs exactly the same as in bprof stat, although the probes
 * differ. The condition matches the cheapest runs, because no interrupt hit them.
 */
static void test_same_cost(void **state)
{
	static const char *const leaves[] = {"leaf",	"add",	   "empty_pointer",
					     "empty_0", "empty_3", "empty_5"};
	struct fixture *f = *state;
	const char *event = exact_event();
	struct target t = load_target(f, "tree", "xdp_tree");
	struct run *stat =
		bprof(f, "-j -b %u --func '*' -e %s -- drive testrun %u:100", t.id, event, t.id);
	struct run *r;
	json_int_t records, leaf;
	json_t *shares;

	assert_status(stat, 0);
	r = bprof(f, "trace -j -b %u -e %s --event '%s<%lld' --func '*' -- drive testrun %u:100",
		  t.id, event, event, (long long)least(stat, "xdp_tree", event) + 1, t.id);
	shares = json_array_get(json_object_get(read_lines(r, event, &records), "shares"), 0);
	assert_true(num(shares, "matched") > 50);
	assert_int_equal(records, num(shares, "matched") * least(stat, "xdp_tree", event));
	assert_int_equal(total_of(shares, event, "matched_self"), records);
	for (size_t i = 0; i < sizeof(leaves) / sizeof(leaves[0]); i++)
		assert_int_equal(own_of(shares, leaves[i], event), least(stat, leaves[i], event));
	leaf = own_of(shares, "leaf", event);
	assert_true(leaf >= 10);
	assert_int_equal(own_of(shares, "branch", event) + 2 * leaf, least(stat, "branch", event));
}

static void test_bound(void **state)
{
	struct fixture *f = *state;
	const char *event = exact_event();
	struct target t = load_target(f, "shares", "xdp_shares");
	struct run *r = bprof(f,
			      "trace -j -b %u -e %s -e '%s>p98' --func '*' -- drive testrun %u:%d",
			      t.id, event, event, t.id, 10 * RUNS);
	json_int_t records;
	json_t *summary = read_lines(r, event, &records), *shares, *row;

	shares = json_array_get(json_object_get(summary, "shares"), 0);
	row = function_of(shares, "dear");
	/* Only the outermost function has a percentile. */
	assert_int_equal(json_array_size(json_object_get(summary, "bounds")), 1);
	assert_true(num(row, "matched_calls") > 0);
	assert_true(num(row, "matched_calls") <= num(row, "calls"));
	assert_int_equal(num(row, "matched_calls") % DEAR_CALLS, 0);
	assert_int_equal(total_of(shares, event, "matched_self"), records);

	r = bprof(f, "trace -b %u -e '%s>p98' --func '*' -- drive testrun %u:%d", t.id, event, t.id,
		  10 * RUNS);
	assert_contains(r->out, "xdp_shares: own cost of its functions in all ");
	assert_contains(r->out, " <-\n");
	r = bprof(f, "trace -b %u -e %s --event '%s>1000000000' --func '*' -- drive testrun %u:10",
		  t.id, event, event, t.id);
	assert_contains(r->out, "none of 10 runs met a condition: nothing to compare\n");
}

/* Two programs run in bursts on all CPUs, and also at the same time on one CPU. */
static void test_bursts(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "shares", "xdp_shares");
	struct target too = load_target(f, "shares", "xdp_shares_too");
	struct run *r = bprof(f,
			      "trace -j -b %u,%u -e time --retval XDP_TX --limit 1000000 --func "
			      "'*' --calls '*' -- "
			      "sh -c 'for cpu in 0 0 1 2 3; do for id in %u %u; do "
			      "drive -C $cpu testrun $id:%d $id:%d & done; done; wait'",
			      t.id, too.id, t.id, too.id, RUNS, RUNS);
	json_int_t records;
	json_t *summary = read_lines(r, "time", &records);

	assert_int_equal(json_array_size(json_object_get(summary, "shares")), 2);
	for (int i = 0; i < 2; i++) {
		json_t *shares = json_array_get(json_object_get(summary, "shares"), i);

		assert_int_equal(num(shares, "runs"), 10 * RUNS);
		assert_true(num(shares, "matched") > 0);
		assert_calls(shares, i ? "xdp_shares_too" : "xdp_shares", 10 * RUNS,
			     num(shares, "matched"), true);
		assert_only_in_dear(shares, "dear", "time");
		records -= total_of(shares, "time", "matched_self");
	}
	if (!num(summary, "lost"))
		assert_int_equal(records, 0);
}

/*
 * A run is interrupted by another run of the same function. That run is the outermost one on its
 * stack. All runs match, so each call must be counted exactly once, in the sums of its own run.
 */
static void test_nested_runs(void **state)
{
	struct fixture *f = *state;
	const char *event = exact_event();
	struct target t = load_target(f, "nested", "syscall_nested");
	__u64 args[12] = {NESTED_TASK}; /* the kernel's MAX_BPF_FUNC_ARGS */
	struct nested_seen seen;
	json_int_t records;
	json_t *summary, *shares, *row;
	struct child *c;
	struct run *r;
	__u32 key = 0;
	size_t i;

	c = bprof_start(f,
			"trace -j -b %u -e %s --every 1 --func '*' -o " REPORT
			" -- sh -c 'echo ready; exec sleep 1000'",
			t.id, event);
	assert_string_equal(child_line(c), "ready");
	for (int n = 0; n < 50; n++) {
		LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = args, .ctx_size_in = sizeof(args));

		assert_int_equal(bpf_prog_test_run_opts(t.fd, &opts), 0);
	}
	child_signal(c, SIGINT);
	assert_status(child_wait(f, c), 0);
	r = command(f, "cat " REPORT);
	summary = read_lines(r, event, &records);
	shares = json_array_get(json_object_get(summary, "shares"), 0);
	assert_int_equal(
		bpf_map_lookup_elem(bpf_map__fd(bpf_object__find_map_by_name(t.obj, ".bss")), &key,
				    &seen),
		0);
	assert_true(seen.nested > 0);
	assert_int_equal(num(function_of(shares, "inside"), "calls"), 50 + seen.interrupts);
	assert_int_equal(num(shares, "runs"), 50 + seen.interrupts);
	assert_int_equal(num(shares, "matched"), 50 + seen.interrupts);
	json_array_foreach(json_object_get(shares, "functions"), i, row)
	{
		assert_int_equal(num(row, "calls"), num(row, "matched_calls"));
		assert_int_equal(num(event_of(row, event), "self"),
				 num(event_of(row, event), "matched_self"));
	}
	assert_int_equal(total_of(shares, event, "matched_self"), records);
}

static void test_too_many(void **state)
{
	struct fixture *f = *state;
	struct target many[70];
	struct run *r;

	load_target(f, "shares", "xdp_shares");
	load_every(f, many, sizeof(many) / sizeof(many[0]));
	r = bprof(f, "trace --all -e time --every 1 --func '*' -- true");
	assert_status(r, 1);
	assert_contains(r->err, "can be added up; choose fewer with --func GLOB and --calls GLOB");
}

KTEST_GROUP(shares, "functions in recorded runs", NULL, ON(EXACT, FROM(6.1)),
	    KTEST_PARAM("functions", test_dear, NULL),
	    KTEST_PARAM("calls", test_dear, (void *)1, FROM(6.12)), KTEST(test_not_dear),
	    KTEST(test_same_cost), KTEST(test_bound, LONG), KTEST(test_nested_runs, LONG),
	    KTEST(test_too_many));

KTEST_GROUP(shares_smp, "functions in recorded runs, on several CPUs", NULL, ON(SMP4, FROM(6.12)),
	    KTEST(test_bursts, LONG));
