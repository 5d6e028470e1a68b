// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests live measurements under bursts of packets. To limit the overhead, the probe is attached only some of
 * the time, in few of the bursts. top, export and stat --max-overhead still count each run and its CPU
 * time. Needs the deterministic VM (one vCPU, -icount).
 */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/kernel/harness.h"

#define METRICS "/tmp/metrics.prom"
#define RATE 30000
/* CPU time may differ from that of the program alone by at most this share. */
#define TIME_ERROR 0.02

/* The program runs RATE times a second, in bursts. */
struct burst {
	int period_ms;
};

static const struct burst each_ms = {1}, each_10_ms = {10}, each_100_ms = {100}, each_s = {1000};

static int burst_runs(const struct burst *b)
{
	return RATE / 1000 * b->period_ms;
}

/*
 * Returns the time of a run, in ns, as a probe that is attached all the time measures it. The load
 * is that of the tests, so that timer interrupts hit as many of its runs.
 */
static double alone_ns(struct fixture *f, struct target t, const struct burst *b)
{
	struct run *r = bprof(f, "-j -b %u -e time -- sh -c 'drive pace %u %d %d 2000 >/dev/null'",
			      t.id, t.id, burst_runs(b), b->period_ms * 1000);

	assert_status(r, 0);
	return real(event_of(row_of(r, t.id), "time"), "per_run.mean");
}

/* Starts the load, which runs for some seconds. */
static struct child *start_load(struct fixture *f, struct target t, const struct burst *b,
				int seconds)
{
	return command_start(f, "drive pace %u %d %d %d", t.id, burst_runs(b), b->period_ms * 1000,
			     seconds * 1000);
}

/* Waits until the load has ended, and returns its number of runs. */
static double end_load(struct fixture *f, struct child *c)
{
	struct run *r = child_wait(f, c);

	assert_status(r, 0);
	return strtod(r->out, NULL);
}

static void assert_time(double ns, double runs, double alone, const char *text)
{
	if (fabs(ns / runs / alone - 1) > TIME_ERROR)
		fail_test("%f ns per run, not %f: %s", ns / runs, alone, text);
}

/* stat: each run is counted in one interval, and the time is right in each interval. */
static void test_stat(void **state)
{
	struct fixture *f = *state;
	const struct burst *b = f->param;
	struct target t = load_target(f, "skb", "tc_alu_1000");
	double alone = alone_ns(f, t, b), sum = 0, probed = 0;
	struct run *r;
	int cnt = 0;

	r = bprof(f,
		  "-j -o /tmp/report --max-overhead 1%% -b %u -e time -I 1000 -- drive pace %u %d "
		  "%d 8000",
		  t.id, t.id, burst_runs(b), b->period_ms * 1000);
	assert_status(r, 0);
	sum = strtod(r->out, NULL);
	r = command(f, "cat /tmp/report");
	assert_int_equal(sum_of_runs(r->out, t.id), sum);
	for (const char *line = r->out; *line == '{'; cnt++) {
		json_error_t error;
		json_t *report = json_loads(line, JSON_DISABLE_EOF_CHECK, &error);
		const struct run one = {.json = report, .out = r->out, .err = ""};
		json_t *row = row_of(&one, t.id);
		double runs = num(row, "runs"), ns = real(report, "elapsed_ns");

		if (runs > burst_runs(b))
			assert_time(real(row, "cpu_share") * ns, runs, alone, r->out);
		probed += num(row, "measured");
		json_decref(report);
		line += error.position;
		line += strspn(line, "\n");
	}
	printf("# each %d ms: %d intervals, %.0f runs, %.0f measured\n", b->period_ms, cnt, sum,
	       probed);
	assert_true(cnt >= 8);
	/* If the probe had seen most runs, the checks above would not test anything. */
	assert_true(probed < sum / 2);
}

/*
 * Returns the number in a column of the program's next row in the text of top --batch. The number
 * ends below the end of the column's header. NaN: there is no further row. Moves *text behind the
 * row.
 */
static double column_of(const char **text, const char *name, const char *column)
{
	const char *row = strstr(*text, name), *header = strstr(*text, column), *cell;
	char digits[32];
	size_t len = 0;

	if (!row)
		return NAN;
	assert_non_null(header);
	cell = header + strlen(column);
	while (header > *text && header[-1] != '\n')
		header--;
	while (row > *text && row[-1] != '\n')
		row--;
	*text = row + strcspn(row, "\n");
	for (cell = row + (cell - header); cell[-1] != ' '; cell--)
		;
	for (; *cell != ' ' && *cell != '\n' && len < sizeof(digits) - 1; cell++)
		if (*cell != ',')
			digits[len++] = *cell;
	digits[len] = '\0';
	return strtod(digits, NULL);
}

/* top: in each interval, the program has a row with all its runs and its CPU time. */
static void test_top(void **state)
{
	struct fixture *f = *state;
	const struct burst *b = f->param;
	struct target t = load_target(f, "skb", "tc_alu_1000");
	double share = alone_ns(f, t, b) * RATE / 1e9 * 100;
	struct child *c = start_load(f, t, b, 20);
	struct run *r = bprof(f, "top --batch -n 5 -I 2s --prog-id %u -e time", t.id);
	const char *rates = r->out, *shares = r->out;
	int cnt = 0;

	assert_status(r, 0);
	end_load(f, c);
	for (double rate; rate = column_of(&rates, "tc_alu_1000", "RUNS/S"), !isnan(rate); cnt++) {
		double cpu = column_of(&shares, "tc_alu_1000", "CPU%");
		/* An interval of 2 s may have one burst more or less. */
		double error = burst_runs(b) / 2. + RATE * .01;

		if (fabs(rate - RATE) > error)
			fail_test("%f runs/s: %s", rate, r->out);
		if (fabs(cpu / rate * RATE / share - 1) > TIME_ERROR)
			fail_test("%f%%, not %f%%: %s", cpu, share * rate / RATE, r->out);
	}
	assert_int_equal(cnt, 5);
}

/*
 * Returns the value of a program's only sample with this name, in the file that export has written.
 */
static double sample(const char *text, const char *name)
{
	const char *line = text;

	while ((line = strstr(line, name)) && line[strlen(name)] != '{')
		line++;
	if (!line)
		fail_test("no %s: %s", name, text);
	return strtod(strchr(line, '}') + 1, NULL);
}

/*
 * export: the counters contain each run and its CPU time. The histogram contains the measured runs.
 */
static void test_export(void **state)
{
	struct fixture *f = *state;
	const struct burst *b = f->param;
	struct target t = load_target(f, "skb", "tc_alu_1000");
	double alone = alone_ns(f, t, b), runs, insns, error;
	struct child *c;
	struct run *r;

	unlink(METRICS);
	c = bprof_start(f, "export -o " METRICS " --interval 1s --min-age 0 -b %u -e %s", t.id,
			exact_event());
	r = command(f, "sh -c 'while ! grep -qs runs_total{ " METRICS "; do sleep .1; done'");
	assert_status(r, 0);
	runs = end_load(f, start_load(f, t, b, 10));
	child_signal(c, SIGTERM);
	assert_status(child_wait(f, c), 0);
	r = command(f, "cat " METRICS);
	if (sample(r->out, "bprof_program_runs_total") != runs)
		fail_test("not %f runs: %s", runs, r->out);
	assert_time(sample(r->out, "bprof_program_cpu_seconds_total") * 1e9, runs, alone, r->out);
	assert_true(sample(r->out, "bprof_program_run_time_seconds_count") < runs / 2);
	insns = sample(r->out, "bprof_program_event_total");
	error = 2 * sqrt(sample(r->out, "bprof_program_event_variance_total"));
	printf("# each %d ms: %.0f runs, %f +- %f instructions each\n", b->period_ms, runs,
	       insns / runs, error / runs);
	if (fabs(insns - 1000 * runs) > error + runs)
		fail_test("not 1000 instructions a run: %s", r->out);
}

#define COLD_BURST 10000

/* Returns the instructions and the measured runs in the line of each interval but the first. */
static double mean_of_intervals(struct fixture *f, struct target t, const char *options)
{
	double total = 0, measured = 0;
	const char *line;
	struct run *r;

	r = bprof(f, "-j -o /tmp/report %s -b %u -e %s -I 1000 -- drive pace %u %d 1000000 12000",
		  options, t.id, exact_event(), t.id, COLD_BURST);
	assert_status(r, 0);
	r = command(f, "cat /tmp/report");
	line = strchr(r->out, '\n');
	while (line && line[1] == '{') {
		json_t *report = json_loads(line, JSON_DISABLE_EOF_CHECK, NULL);
		const struct run one = {.json = report, .out = r->out, .err = ""};
		json_t *row = row_of(&one, t.id);

		total += real(event_of(row, exact_event()), "total");
		measured += num(row, "measured");
		json_decref(report);
		line = strchr(line + 1, '\n');
	}
	printf("# %s: %.0f measured, %f instructions each\n", options, measured, total / measured);
	return total / measured;
}

/*
 * The first runs of each burst cost more than the others. They are measured no more often, although
 * the program was idle before. (The first burst is not known before it comes.)
 */
static void test_cold(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "cold", "tc_cold");
	double all = mean_of_intervals(f, t, ""), some = mean_of_intervals(f, t, "--sample auto");

	/* Two of three instructions are in the first runs, of which about 40 are measured. */
	if (some < all / 2 || some > all * 1.7)
		fail_test("%f instructions each, not %f", some, all);
}

KTEST_GROUP(bursts, "live numbers under bursts", NULL, ON(EXACT, ONCE),
	    KTEST_PARAM("stat_ms", test_stat, &each_ms),
	    KTEST_PARAM("stat_100_ms", test_stat, &each_100_ms), KTEST(test_cold),
	    KTEST_PARAM("top_100_ms", test_top, &each_100_ms),
	    KTEST_PARAM("export_100_ms", test_export, &each_100_ms),
	    KTEST_PARAM("stat_10_ms", test_stat, &each_10_ms, LONG),
	    KTEST_PARAM("stat_s", test_stat, &each_s, LONG),
	    KTEST_PARAM("top_ms", test_top, &each_ms, LONG),
	    KTEST_PARAM("top_10_ms", test_top, &each_10_ms, LONG),
	    KTEST_PARAM("top_s", test_top, &each_s, LONG),
	    KTEST_PARAM("export_ms", test_export, &each_ms, LONG),
	    KTEST_PARAM("export_10_ms", test_export, &each_10_ms, LONG),
	    KTEST_PARAM("export_s", test_export, &each_s, LONG));
