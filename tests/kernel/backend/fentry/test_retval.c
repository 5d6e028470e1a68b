// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests --by retval. Each return value has its own count and its own cost, which are as exact as
 * without the option. The rows add up to all runs. The group "retval" needs the deterministic VM
 * (one vCPU, -icount); the group "retval_traffic" measures real packets on several CPUs.
 */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <net/if.h>

#include "tests/kernel/drive/netdev.h"
#include "tests/kernel/harness.h"
#include "tests/progs/retval.h"

/*
 * Returns the row of the runs of a program's function that returned this value; NULL: there is no
 * such row.
 */
static json_t *find_part(json_t *report, __u32 id, const char *func, const char *returns)
{
	json_t *rows = json_object_get(report, "programs"), *row;

	for (size_t i = 0; (row = json_array_get(rows, i)); i++) {
		const char *name = json_string_value(json_object_get(row, "retval_name"));

		if (num(row, "id") == id && (!func || !strcmp(str(row, "func"), func)) &&
		    !strcmp(name ?: "", returns))
			return row;
	}
	return NULL;
}

static json_t *part_of(const struct run *r, const struct target *t, const char *func,
		       const char *returns)
{
	json_t *row = find_part(r->json, t->id, func, returns);

	if (!row)
		fail_test("no row for %s: %s", returns, r->out);
	return row;
}

static json_int_t min_of(json_t *row)
{
	return num(event_of(row, exact_event()), "per_run.min");
}

/*
 * Returns true if the median is the cost. If an interrupted run is in the same wide bucket, the
 * report has bounds of the median, and the cost must be between them.
 */
static bool is_median(json_t *ev, json_int_t cost)
{
	json_t *bounds = json_object_get(json_object_get(ev, "bounds"), "p50");

	return bounds ? json_integer_value(json_array_get(bounds, 0)) <= cost &&
				cost <= json_integer_value(json_array_get(bounds, 1))
		      : num(ev, "per_run.p50") == cost;
}

/*
 * Checks the number of runs. All of them must have been measured, and must have this cost unless
 * they were interrupted.
 */
static void assert_part(const struct run *r, json_t *row, json_int_t runs, json_int_t cost)
{
	json_t *ev = event_of(row, exact_event());

	if (num(row, "runs") != runs || num(row, "measured") != runs ||
	    num(ev, "per_run.min") != cost || !is_median(ev, cost))
		fail_test("%s: not %lld runs of %lld: %s", str(row, "retval_name"), (long long)runs,
			  (long long)cost, r->out);
}

static size_t count_rows(const struct run *r)
{
	return json_array_size(json_object_get(r->json, "programs"));
}

/* Returns the cost of the cheapest run, measured without --by. */
static json_int_t cheapest(struct fixture *f, const struct target *t)
{
	struct run *r =
		bprof(f, "-j -b %u -e %s -- drive testrun %u:100", t->id, exact_event(), t->id);

	assert_status(r, 0);
	return min_of(row_of(r, t->id));
}

static void test_two_costs(void **state)
{
	static const char *const options[] = {"", "--no-hist", "-r 2", "-A"};
	struct fixture *f = *state;
	struct target t = load_target(f, "retval", "xdp_two");
	json_int_t cost = cheapest(f, &t);

	for (int i = 0; i < 4; i++) {
		int runs = i == 2 ? 200 : 100;
		struct run *r = bprof(f,
				      "-j %s --by retval -b %u -e %s,time -- drive testrun %u:200",
				      options[i], t.id, exact_event(), t.id);
		json_t *drop, *tx;

		assert_status(r, 0);
		assert_int_equal(count_rows(r), 2);
		drop = part_of(r, &t, NULL, "XDP_DROP");
		tx = part_of(r, &t, NULL, "XDP_TX");
		assert_int_equal(num(drop, "retval"), 1);
		if (i != 1) {
			assert_part(r, drop, runs, cost);
			assert_part(r, tx, runs, cost + RETVAL_INSNS);
		}
		assert_int_equal(min_of(drop), cost);
		assert_int_equal(min_of(tx), cost + RETVAL_INSNS);
		if (i == 3)
			assert_int_equal(
				num(json_array_get(json_object_get(tx, "cpus"), 0), "runs"), runs);
	}
}

/*
 * Each of the first eight values has a row. The other values are counted together. The rows add up
 * to all runs.
 */
static void test_many_values(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "retval", "xdp_many");
	json_int_t cost = cheapest(f, &t), runs = 0;
	struct run *r = bprof(f, "-j --by retval -b %u -e %s -- drive testrun %u:240", t.id,
			      exact_event(), t.id);
	json_t *rows = json_object_get(r->json, "programs"), *row;

	assert_status(r, 0);
	assert_int_equal(count_rows(r), 9);
	for (size_t i = 0; (row = json_array_get(rows, i)); i++) {
		runs += num(row, "runs");
		assert_part(r, row, i < 8 ? 20 : 80, cost);
	}
	assert_int_equal(runs, 240);
	assert_string_equal(str(json_array_get(rows, 8), "retval_name"), "other");
	assert_null(json_object_get(json_array_get(rows, 8), "retval"));
}

static void test_negative_values(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "retval", "tc_signs");
	json_int_t cost = cheapest(f, &t);
	struct run *r = bprof(f, "-j --by retval -b %u -e %s -- drive testrun %u:200", t.id,
			      exact_event(), t.id);

	assert_status(r, 0);
	assert_part(r, part_of(r, &t, NULL, "TC_ACT_UNSPEC"), 100, cost);
	assert_part(r, part_of(r, &t, NULL, "-100"), 100, cost + RETVAL_INSNS);
	assert_int_equal(num(part_of(r, &t, NULL, "-100"), "retval"), (__u32)-100);
}

/*
 * A main function without arguments has another trampoline than one with an argument. Its costs are
 * the same.
 */
static void test_bare(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "retval", "xdp_bare");
	struct target usual = load_target(f, "retval", "xdp_two");
	json_int_t cost = cheapest(f, &usual);
	struct run *r = bprof(f, "-j --by retval -b %u -e %s -- drive testrun %u:200", t.id,
			      exact_event(), t.id);

	assert_status(r, 0);
	assert_int_equal(cheapest(f, &t), cost);
	assert_part(r, part_of(r, &t, NULL, "XDP_DROP"), 100, cost);
	assert_part(r, part_of(r, &t, NULL, "XDP_TX"), 100, cost + RETVAL_INSNS);
}

/* ---- subprograms ---- */

/*
 * Each function is measured alone, and then all functions in a tree. The costs are the same: in the
 * tree, the cost of the entry function does not include what the probes of other functions do to
 * find return values.
 */
static void test_subprograms(void **state)
{
	static const char *const funcs[] = {"sub_int", "sub_long", "sub_void"};
	static const char *const entry[] = {"XDP_DROP", "XDP_PASS"};
	struct fixture *f = *state;
	struct target t = load_target(f, "retval", "xdp_subs");
	struct run *alone = bprof(f, "-j --by retval -b %u -e %s -- drive testrun %u:200", t.id,
				  exact_event(), t.id);
	struct run *tree = bprof(f, "-j --by retval -b %u --func '*' -e %s -- drive testrun %u:200",
				 t.id, exact_event(), t.id);
	json_t *low;

	assert_status(alone, 0);
	assert_status(tree, 0);
	for (int i = 0; i < 2; i++) {
		low = part_of(alone, &t, "xdp_subs", entry[i]);
		assert_part(tree, part_of(tree, &t, "xdp_subs", entry[i]), 100, min_of(low));
	}
	for (int i = 0; i < 3; i++) {
		struct run *one = bprof(f, "-j --by retval -b %u:%s -e %s -- drive testrun %u:200",
					t.id, funcs[i], exact_event(), t.id);
		const struct run *runs[] = {tree, one};

		assert_status(one, 0);
		for (int k = 0; k < 2; k++) {
			if (i == 0) {
				low = part_of(runs[k], &t, funcs[i], "5");
				assert_part(runs[k], low, 100, min_of(low));
				assert_part(runs[k], part_of(runs[k], &t, funcs[i], "-3"), 100,
					    min_of(low) + RETVAL_INSNS);
			} else if (i == 1) {
				/* the other value needs more than 32 bits */
				low = part_of(runs[k], &t, funcs[i], "3");
				assert_part(runs[k], low, 100, min_of(low));
				low = part_of(runs[k], &t, funcs[i], "other");
				assert_part(runs[k], low, 100, min_of(low));
			}
		}
		if (i == 2) {
			assert_counted(one, t.id, 200);
			assert_contains(one->out, "its runs are not divided by return value: it "
						  "returns no integer");
		}
	}
}

/* ---- with other options ---- */

/*
 * Runs that are thinned out are counted, but their return values are not known. The program returns two
 * values in turn. So about half of the measured runs must return each of them, also if N is even: the
 * place of the measured run changes from one block of N runs to the next. In 100 runs chosen at random,
 * the number would have a standard deviation of 5.
 */
static void test_thinning(void **state)
{
	static const int ns[] = {2, 3, 10, 64};
	struct fixture *f = *state;
	struct target t = load_target(f, "retval", "xdp_two");
	json_int_t cost = cheapest(f, &t);

	for (size_t i = 0; i < sizeof(ns) / sizeof(ns[0]); i++) {
		struct run *r =
			bprof(f, "-j --sample %d --by retval -b %u -e %s -- drive testrun %u:%d",
			      ns[i], t.id, exact_event(), t.id, 100 * ns[i]);
		json_t *drop, *tx, *rest;

		assert_status(r, 0);
		assert_int_equal(count_rows(r), 3);
		drop = part_of(r, &t, NULL, "XDP_DROP");
		tx = part_of(r, &t, NULL, "XDP_TX");
		printf("# one run in %d: %lld and %lld\n", ns[i], (long long)num(drop, "runs"),
		       (long long)num(tx, "runs"));
		assert_in_range(num(drop, "runs"), 30, 70);
		assert_int_equal(num(drop, "runs") + num(tx, "runs"), 100);
		assert_part(r, drop, num(drop, "runs"), cost);
		assert_part(r, tx, num(tx, "runs"), cost + RETVAL_INSNS);
		rest = part_of(r, &t, NULL, "not measured");
		assert_int_equal(num(rest, "runs"), 100 * (ns[i] - 1));
		assert_int_equal(num(rest, "sampled_out"), 100 * (ns[i] - 1));
		assert_null(json_object_get(rest, "cpu_share"));
	}
}

/*
 * The kernel multiplexes eight events on six counters. Each event of a run is still added to the
 * row of the run's return value.
 */
static void test_multiplexed(void **state)
{
	static const char events[] = "r8,r11:k,r8:k,r8:H,r0,r23,instructions:k,instructions";
	struct fixture *f = *state;
	struct target t = load_target(f, "retval", "xdp_two");
	struct run *r;

	if (!arch_is("aarch64"))
		skip_test("multiplex", "the emulated CPU has no PMU");
	r = bprof(f, "-j --by retval -b %u -e '%s' -- drive testrun %u:20000", t.id, events, t.id);
	assert_status(r, 0);
	assert_int_equal(count_rows(r), 2);
	assert_int_equal(num(part_of(r, &t, NULL, "XDP_DROP"), "runs"), 10000);
	assert_int_equal(min_of(part_of(r, &t, NULL, "XDP_TX")),
			 min_of(part_of(r, &t, NULL, "XDP_DROP")) + RETVAL_INSNS);
}

/*
 * In each load of a bench, the values may come in another order. Each value still has only one row.
 */
static void test_bench(void **state)
{
	struct fixture *f = *state;
	struct run *r;
	json_t *tx;

	r = command(f,
		    "bprof bench " PROGS_DIR "/retval.bpf.o --prog xdp_many --by retval -j -e %s "
		    "--repeat 100 --blocks 3",
		    exact_event());
	assert_status(r, 0);
	assert_true(count_rows(r) == 9);
	r = command(f,
		    "bprof bench " PROGS_DIR "/retval.bpf.o " PROGS_DIR "/retval.bpf.o --prog "
		    "xdp_two --by retval -j -e %s --repeat 100 --blocks 6 --fail-on "
		    "'%s:min>50%%'",
		    exact_event(), exact_event());
	assert_status(r, 0);
	tx = json_array_get(json_object_get(r->json, "comparisons"), 1);
	assert_non_null(tx);
	assert_non_null(strstr(r->out, "\"retval_name\": \"XDP_DROP\""));
	assert_non_null(strstr(r->out, "\"retval_name\": \"XDP_TX\""));
}

static void test_errors(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "retval", "xdp_two");
	struct run *r = bprof(f, "--by id -b %u --timeout 1", t.id);

	assert_status(r, 2);
	assert_contains(r->err, "--by id: runs can be divided by retval|cpu|ifindex|queue|"
				"cgroup|comm|pid, and the calls of --calls by site");
	r = bprof(f, "--by retval --method run_stats -b %u --timeout 1", t.id);
	assert_status(r, 2);
	assert_contains(r->err, "--by need probes");
	r = bprof(f, "-j --by retval -b %u --timeout 1", load_raw(f).id);
	assert_status(r, 0);
	assert_contains(r->out, "without a probe, return values are not known");
}

static void test_old_kernel(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "retval", "xdp_two");
	struct run *r = bprof(f, "--by retval -b %u --timeout 1", t.id);

	assert_status(r, 1);
	assert_contains(r->err, "--by retval: this kernel has no atomic compare-and-exchange for "
				"BPF programs (needs Linux 5.12, on arm64 5.18)");
}

static int setup_exact(void **state)
{
	return has_cpus(1) ? 0 : -1;
}

KTEST_GROUP(retval, "--by retval: a row for each return value", setup_exact,
	    ON(EXACT, CPUS512, FROM(6.1)), KTEST(test_two_costs), KTEST(test_many_values),
	    KTEST(test_negative_values), KTEST(test_bare), KTEST(test_subprograms),
	    KTEST(test_thinning), KTEST(test_multiplexed), KTEST(test_bench), KTEST(test_errors),
	    KTEST(test_old_kernel, UNTIL(5.10)));

/* ---- traffic ---- */

static int setup_veth(void **state)
{
	return !load_module("veth") || setup(state) || veth__create("kt0", "kt1") ? -1 : 0;
}

static int teardown_veth(void **state)
{
	veth__delete("kt0");
	return teardown(state);
}

static struct target attach_filter(struct fixture *f)
{
	struct bpf_object *obj;
	struct bpf_link *link;
	struct target t;
	char path[512];

	snprintf(path, sizeof(path), "%s/xdpfilt_dny_udp.o", getenv("XDP_TOOLS_DIR") ?: ".");
	obj = try_load_object(f, path);
	if (!obj)
		fail_test("%s: %s", path, strerror(errno));
	t = program_of(obj, bpf_program__name(bpf_object__next_program(obj, NULL)));
	link = bpf_program__attach_xdp(t.prog, if_nametoindex("kt1"));
	if (!link)
		fail_test("kt1: %s", strerror(errno));
	keep_link(f, link);
	return t;
}

/* Lets xdp-filter pass UDP packets to port 9, to which drive sends (xdp-filter's flags). */
static void allow_port(const struct target *t)
{
	const __u64 flags = 2 | 8; /* the destination port of UDP */
	__u32 port = htons(9);
	__u64 values[256];

	for (int i = 0; i < 256; i++)
		values[i] = flags;
	assert_true(libbpf_num_possible_cpus() <= 256);
	assert_int_equal(
		bpf_map_update_elem(bpf_object__find_map_fd_by_name(t->obj, "filter_ports"), &port,
				    values, BPF_ANY),
		0);
}

/* Adds the runs in a line of -I to sums[2]: runs that dropped a packet, and runs that did not. */
static void add_line(const char *line, const struct target *t, json_int_t *sums)
{
	static const char *const values[] = {"XDP_DROP", "XDP_PASS"};
	json_t *report = json_loads(line, 0, NULL);

	assert_non_null(report);
	for (int i = 0; i < 2; i++) {
		json_t *row = find_part(report, t->id, NULL, values[i]);

		sums[i] += row ? num(row, "runs") : 0;
		/* the net time may be below 0, if the calibration was disturbed by other processes */
		if (row && num(row, "runs") && real(event_of(row, "time"), "raw_per_run") <= 0)
			fail_test("%s costs nothing: %s", values[i], line);
	}
	json_decref(report);
}

/*
 * xdp-filter drops packets until a rule lets them pass. Each run is in the row of its return value.
 */
static void test_xdp_filter(void **state)
{
	struct fixture *f = *state;
	struct target t = attach_filter(f);
	json_int_t sums[2] = {}, sent[2] = {};
	struct child *c;
	struct run *r;

	c = bprof_start(f, "-j -I 50 --by retval -b %u -e time", t.id);
	add_line(child_line(c), &t, sums);
	for (int i = 0; i < 2; i++) {
		__u64 dropped = 0;

		assert_int_equal(packets__send("kt0", 300 - 100 * i, 0, &dropped), 0);
		sent[i] = 300 - 100 * i - dropped;
		while (sums[0] + sums[1] < sent[0] + sent[1])
			add_line(child_line(c), &t, sums);
		allow_port(&t);
	}
	child_signal(c, SIGTERM);
	r = child_wait(f, c);
	assert_status(r, 0);
	sums[0] = sums[1] = 0; /* r->out begins with the lines that were read already */
	for (char *line = strtok(r->out, "\n"); line; line = strtok(NULL, "\n"))
		add_line(line, &t, sums);
	assert_int_equal(sums[0], sent[0]);
	assert_int_equal(sums[1], sent[1]);
}

KTEST_GROUP(retval_traffic, "--by retval of xdp-filter, in $XDP_TOOLS_DIR", NULL, ON(SMP4),
	    KTEST_WITH(setup_veth, teardown_veth, test_xdp_filter));
