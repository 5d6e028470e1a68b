// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the numbers of an event: the raw reading, the bias (the probe's part of the reading), the
 * net value, and the distribution over the runs. The group needs the deterministic VM (one vCPU,
 * -icount).
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>

#include "bpf/probe.h"
#include "tests/kernel/harness.h"

#define RUNS 200
#define CLOCK_SOURCE "/sys/devices/system/clocksource/clocksource0/current_clocksource"

#define WRONG "/tmp/ktest-wrong-check"
#define RIGHT_JSON "/tmp/ktest-right.json"
#define WRONG_JSON "/tmp/ktest-wrong.json"

static json_t *alu_event(const struct run *r, struct target t)
{
	return event_of(row_of(r, t.id), exact_event());
}

/*
 * The raw minimum cost is exactly the net minimum cost plus the raw minimum cost of an empty
 * program. The biases of two sessions may differ by an instruction or two: on arm64, loading the
 * address of the session's map takes two or three instructions (emit_a64_mov_i64()).
 */
static void test_no_calibrate(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_100");
	struct target empty = load_target(f, "alu", "xdp_alu_0");
	struct run *net, *raw;
	json_int_t min;
	json_t *ev;

	net = bprof(f, "-j -b %u -e %s -- drive testrun %u:%d", t.id, exact_event(), t.id, RUNS);
	raw = bprof(f, "-j --no-calibrate -b %u,%u -e %s -- drive testrun %u:%d %u:%d", t.id,
		    empty.id, exact_event(), t.id, RUNS, empty.id, RUNS);
	assert_status(net, 0);
	assert_status(raw, 0);
	assert_true(json_is_true(json_object_get(net->json, "calibrated")));
	assert_true(json_is_false(json_object_get(raw->json, "calibrated")));
	ev = alu_event(net, t);
	assert_int_equal(num(ev, "per_run.min"), 100);
	assert_true(num(ev, "bias") > 0);
	min = num(alu_event(raw, empty), "per_run.min");
	assert_int_equal(num(alu_event(raw, t), "per_run.min"), 100 + min);
	/*
	 * The probes of the two sessions differ, because they do not distinguish the same contexts.
	 * On x86-64, they save the registers that they use, so either probe may save up to two
	 * registers more than the other.
	 */
	assert_in_range(min + 4 - num(ev, "bias"), 0, 8);
	/* The report states the bias only if a bias was subtracted. */
	assert_float_equal(real(ev, "raw_per_run"), real(ev, "per_run.mean") + real(ev, "bias"),
			   1e-3);
	assert_true(real(ev, "bias_stddev") >= 0);
	assert_null(json_object_get(alu_event(raw, t), "bias"));
	assert_null(json_object_get(alu_event(raw, t), "bias_stddev"));
}

/* If the user asked for raw numbers, they are compared with raw numbers, but not with net ones. */
static void test_no_calibrate_diff(void **state)
{
	static const char *const raw = "--no-calibrate";
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_100");
	struct run *r;

	for (int i = 0; i < 4; i++) {
		r = bprof(f, "-j -o %d.json %s -b %u -e %s -r 6 -- drive testrun %u:1000", i,
			  i < 2 ? "" : raw, t.id, exact_event(), t.id);
		assert_status(r, 0);
	}
	for (int i = 0; i < 16; i++) {
		bool alike = i / 4 / 2 == i % 4 / 2;

		r = command(f, "bprof diff %d.json %d.json --fail-on '%s:p50>50%%'", i / 4, i % 4,
			    exact_event());
		assert_status(r, alike ? 0 : 5);
		assert_int_equal(!!strstr(r->out, "only one of the reports has net numbers"),
				 !alike);
	}
}

/* The text output also says whether the numbers are net or raw. */
static void test_no_calibrate_text(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_7");
	struct run *r;

	r = bprof(f, "-b %u -e %s -- drive testrun %u:5", t.id, exact_event(), t.id);
	assert_contains(r->out, "net of the probe's cost");
	r = bprof(f, "--no-calibrate -b %u -e %s -- drive testrun %u:5", t.id, exact_event(), t.id);
	assert_status(r, 0);
	assert_null(strstr(r->out, "net of"));
}

static void test_no_hist(void **state)
{
	static const char *const distribution[] = {"stddev", "p50", "p90", "p95", "p99", "p99.9"};
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_100");
	struct run *with, *without;

	with = bprof(f, "-j -b %u -e %s,time -- drive testrun %u:%d", t.id, exact_event(), t.id,
		     RUNS);
	without = bprof(f, "-j --no-hist -b %u -e %s,time -- drive testrun %u:%d", t.id,
			exact_event(), t.id, RUNS);
	assert_status(with, 0);
	assert_status(without, 0);
	for (size_t i = 0; i < sizeof(distribution) / sizeof(distribution[0]); i++) {
		json_t *stats = json_object_get(alu_event(without, t), "per_run");

		if (json_object_get(stats, distribution[i]))
			fail_test("%s without a distribution: %s", distribution[i], without->out);
		real(json_object_get(alu_event(with, t), "per_run"), distribution[i]);
	}
	/* The report contains buckets only if they were requested. */
	assert_null(json_object_get(alu_event(with, t), "hist"));
	assert_null(json_object_get(alu_event(without, t), "hist"));
	/* The probe without a distribution has its own bias, which makes the net cost the same. */
	assert_int_equal(num(alu_event(without, t), "per_run.min"), 100);
	assert_true(real(alu_event(without, t), "per_run.mean") >= 100);
}

static void assert_ordered(json_t *ev, const char *out)
{
	static const char *const order[] = {"min", "p50", "p90", "p95", "p99", "p99.9", "max"};
	json_t *stats = json_object_get(ev, "per_run");

	for (size_t i = 1; i < sizeof(order) / sizeof(order[0]); i++)
		if (real(stats, order[i - 1]) > real(stats, order[i]))
			fail_test("%s is above %s: %s", order[i - 1], order[i], out);
	if (real(stats, "mean") < real(stats, "min") || real(stats, "mean") > real(stats, "max"))
		fail_test("the mean is beyond the extremes: %s", out);
}

static void assert_hist(json_t *ev, json_int_t runs, const char *out)
{
	json_t *hist = json_object_get(ev, "hist"), *bucket;
	double above = -1;
	json_int_t sum = 0;

	for (size_t i = 0; (bucket = json_array_get(hist, i)); i++) {
		double low = json_number_value(json_array_get(bucket, 0));
		double high = json_number_value(json_array_get(bucket, 1));

		if (low < above || high < low)
			fail_test("bucket %zu is out of order: %s", i, out);
		above = high;
		sum += json_integer_value(json_array_get(bucket, 2));
	}
	if (sum != runs)
		fail_test("the buckets have %lld runs, not %lld: %s", (long long)sum,
			  (long long)runs, out);
}

static void test_hist(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "work", "xdp_map");
	struct run *r;
	json_t *ev;

	r = bprof(f, "-j --hist -b %u -e %s,time -- drive testrun %u:3000", t.id, exact_event(),
		  t.id);
	assert_status(r, 0);
	assert_counted(r, t.id, 3000);
	for (int i = 0; i < 2; i++) {
		ev = event_of(row_of(r, t.id), i ? "time" : exact_event());
		assert_int_equal(num(ev, "measured"), 3000);
		assert_hist(ev, 3000, r->out);
		assert_ordered(ev, r->out);
	}
}

/* If every run costs the same, the deviation is 0 and all runs are in one bucket. */
static void test_constant(void **state)
{
	static const char *const progs[] = {"xdp_alu_1", "xdp_alu_7", "xdp_alu_64"};
	struct fixture *f = *state;
	struct target t[3];
	int constant = 0;
	struct run *r;

	for (int i = 0; i < 3; i++)
		t[i] = load_target(f, "alu", progs[i]);
	r = bprof(f, "-j --hist -b %u,%u,%u -e %s -- drive testrun %u:5 %u:5 %u:5", t[0].id,
		  t[1].id, t[2].id, exact_event(), t[0].id, t[1].id, t[2].id);
	assert_status(r, 0);
	for (int i = 0; i < 3; i++) {
		json_t *ev = alu_event(r, t[i]);
		bool same = num(ev, "per_run.min") == num(ev, "per_run.max");

		if (same != (real(ev, "per_run.stddev") == 0) ||
		    same != (json_array_size(json_object_get(ev, "hist")) == 1))
			fail_test("%s: its runs %s the same cost: %s", progs[i],
				  same ? "have" : "have not", r->out);
		assert_ordered(ev, r->out);
		constant += same;
	}
	/*
	 * A timer interrupt changes the cost of a run. It comes every 4 ms, and five runs take
	 * about 10 us. So the chance that the runs of all three programs are interrupted is less
	 * than 1e-7.
	 */
	assert_true(constant >= 1);
}

static void assert_quiet(const struct run *r)
{
	assert_status(r, 0);
	if (strstr(r->err, "clock source"))
		fail_test("no clock source changed that mattered: %s", r->err);
}

/*
 * A bias that includes reading the clock is valid only for one clock source. bprof warns once if
 * the kernel switches to another clock source.
 */
static void test_clock_source(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_7");
	const char *event = exact_event(), *warning;
	struct run *changed, *no_clock, *raw, *after;

	if (arch_is("x86_64")) { /* arm64 machines have one clock source only */
		changed = bprof(f,
				"-j -I 50 -b %u -e %s,time -- sh -c 'echo acpi_pm >" CLOCK_SOURCE
				"; drive testrun %u:5; sleep 0.2; drive testrun %u:5'",
				t.id, event, t.id, t.id);
		no_clock = bprof(f,
				 "-j -b %u -e %s -- sh -c 'echo tsc >" CLOCK_SOURCE
				 "; drive testrun %u:5'",
				 t.id, event, t.id);
		raw = bprof(
			f,
			"-j --no-calibrate -b %u -e %s,time -- sh -c 'echo acpi_pm >" CLOCK_SOURCE
			"; drive testrun %u:5'",
			t.id, event, t.id);
		write_file(CLOCK_SOURCE, "tsc");
		assert_status(changed, 0);
		assert_contains(changed->err, "clock source has changed from tsc to acpi_pm");
		warning = strstr(changed->err, "clock source has changed");
		assert_null(strstr(warning + 1, "clock source has changed"));
		assert_quiet(no_clock);
		assert_quiet(raw);
	}
	after = bprof(f, "-j -b %u -e %s,time -- drive testrun %u:%d", t.id, event, t.id, RUNS);
	assert_quiet(after);
	assert_int_equal(num(alu_event(after, t), "per_run.min"), 7);
}

static bool is_addition(const char *insn)
{
	static const unsigned char one[4] = {1}, minus_one[4] = {255, 255, 255, 255};

	/* writes to w0 or, in a subprogram, to r1 */
	return ((insn[0] == 0x04 && !insn[1]) || (insn[0] == 0x07 && insn[1] == 1)) && !insn[2] &&
	       !insn[3] && (!memcmp(insn + 4, one, 4) || !memcmp(insn + 4, minus_one, 4));
}

/*
 * Makes a copy of bprof whose programs of known cost have 12 divisions in place of additions. On
 * arm64, these take 12 more instructions. The checks with these programs then fail as if all biases
 * were too small by 12.
 */
static void make_wrong_bprof(void)
{
	static char data[32 * 1024 * 1024];
	FILE *f = popen("cat $(which bprof)", "r");
	int runs = 0;
	size_t sz;

	assert_non_null(f);
	sz = fread(data, 1, sizeof(data) - 8, f);
	pclose(f);
	assert_true(sz > 0 && sz < sizeof(data) - 8);
	for (size_t i = 0, n; i + 8 < sz; i += n ? n * 8 : 1) {
		for (n = 0; i + n * 8 + 8 <= sz && is_addition(data + i + n * 8);)
			n++;
		if (n != BPROF_CHECK_INSNS)
			continue;
		for (int k = 0; k < 12; k++) {
			data[i + k * 8] += 0x30; /* w0 /= 1, r1 /= 1 */
			memcpy(data + i + k * 8 + 4, "\1\0\0\0", 4);
		}
		runs++;
	}
	assert_true(runs);
	f = fopen(WRONG, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(data, sz, 1, f), 1);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(WRONG, 0755), 0);
}

static int teardown_wrong(void **state)
{
	unlink(WRONG);
	unlink(RIGHT_JSON);
	unlink(WRONG_JSON);
	return teardown(state);
}

/* Measures the program with the wrong copy of bprof, and writes the JSON to "to". */
static struct run *measure_wrong(struct fixture *f, struct target t, const char *to)
{
	struct run *r = command(f, WRONG " -j -o %s -b %u -e %s -- drive testrun %u:%d", to, t.id,
				exact_event(), t.id, RUNS);

	assert_status(r, 0);
	return r;
}

/*
 * If a program of known cost contradicts the calibration, numbers are raw, one line says so, and
 * there is no verdict.
 */
static void test_wrong_calibration(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_100");
	struct run *raw, *r;

	make_wrong_bprof();
	r = command(f, "bprof -j -o " RIGHT_JSON " -b %u -e %s -- drive testrun %u:%d", t.id,
		    exact_event(), t.id, RUNS);
	assert_status(r, 0);
	assert_string_equal(r->err, "");
	raw = bprof(f, "-j --no-calibrate -b %u -e %s -- drive testrun %u:%d", t.id, exact_event(),
		    t.id, RUNS);
	r = measure_wrong(f, t, "-");
	if (strcmp(exact_event(), "instructions")) {
		/*
		 * bprof does not check msr/tsc/: it does not know how much an instruction adds to
		 * this event.
		 */
		assert_string_equal(r->err, "");
		return;
	}
	assert_contains(r->err,
			"not calibrated, numbers are raw: a check of the calibration is wrong "
			"by +12 instructions on CPU 0 for ");
	assert_contains(r->err, "send this line and the output of 'bprof doctor --self-test -j' in "
				"a bug report");
	assert_int_equal(strchr(r->err, '\n') - r->err + 1, strlen(r->err));
	assert_true(json_is_false(json_object_get(r->json, "calibrated")));
	assert_true(json_is_true(json_object_get(row_of(r, t.id), "uncalibrated")));
	assert_null(json_object_get(row_of(raw, t.id), "uncalibrated"));
	assert_in_range(num(alu_event(r, t), "per_run.min") + 8 -
				num(alu_event(raw, t), "per_run.min"),
			0, 16);
	measure_wrong(f, t, WRONG_JSON);
	for (int i = 0; i < 3; i++) {
		r = bprof(f, "diff --fail-on '*:min>1%%' %s %s", i ? WRONG_JSON : RIGHT_JSON,
			  i == 1 ? RIGHT_JSON : WRONG_JSON);
		assert_status(r, 5);
		assert_contains(r->out, "the calibration of a measurement failed");
	}
}

KTEST_GROUP(net, "raw and net costs, distributions", NULL, ON(EXACT, CPUS512, RISCV64),
	    KTEST(test_no_calibrate), KTEST(test_no_calibrate_text), KTEST(test_no_calibrate_diff),
	    KTEST(test_no_hist), KTEST(test_hist), KTEST(test_constant, ALSO_X86, ALSO_NEWEST),
	    KTEST(test_clock_source, ALSO_X86),
	    KTEST_WITH(setup, teardown_wrong, test_wrong_calibration));
