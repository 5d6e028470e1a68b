// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests that each run is counted with --max-overhead and by export: at any rate, on several CPUs,
 * and for programs that are loaded and unloaded meanwhile.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/kernel/harness.h"

#define METRICS "/tmp/metrics.prom"
#define REPORT "/tmp/report"
#define MANY 200

/* The program runs cnt times every period_us. */
struct rate {
	int cnt, period_us, seconds;
};

static const struct rate rare = {1, 10000000, 21}, one = {1, 1000000, 10}, thousand = {1, 1000, 10},
			 ten_thousand = {1000, 100000, 10}, hundred_thousand = {100, 1000, 10},
			 million = {1000, 1000, 5}, two_millions = {2000, 1000, 5};

/* Returns the sum of the first numbers of all lines that drive pace has printed. */
static double sum_paces(const char *lines)
{
	double sum = 0;

	for (; *lines; lines += strcspn(lines, "\n"), lines += *lines == '\n')
		sum += strtod(lines, NULL);
	return sum;
}

/* Measures while a command runs. The output of the command is that of drive pace. */
static struct run *measure(struct fixture *f, const char *targets, const char *shell, double *runs)
{
	struct run *r = bprof(f,
			      "-j -o " REPORT " --max-overhead 1%% %s -e time -I 500 -- sh -c '%s'",
			      targets, shell);

	assert_status(r, 0);
	*runs = sum_paces(r->out);
	return command(f, "cat " REPORT);
}

static void test_rate(void **state)
{
	struct fixture *f = *state;
	const struct rate *rate = f->param;
	struct target t = load_target(f, "skb", "tc_alu_1000");
	char targets[32], shell[128];
	struct run *r;
	double runs;

	snprintf(targets, sizeof(targets), "-b %u", t.id);
	snprintf(shell, sizeof(shell), "drive pace %u %d %d %d", t.id, rate->cnt, rate->period_us,
		 rate->seconds * 1000);
	r = measure(f, targets, shell, &runs);
	printf("# %d each %d us: %.0f runs\n", rate->cnt, rate->period_us, runs);
	assert_true(runs > 0);
	assert_int_equal(sum_of_runs(r->out, t.id), runs);
}

/* One program runs in bursts on each of four CPUs. */
static void test_cpus(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "skb", "tc_alu_1000");
	char targets[32], shell[256];
	struct run *r;
	double runs;

	snprintf(targets, sizeof(targets), "-b %u", t.id);
	snprintf(shell, sizeof(shell),
		 "for cpu in 0 1 2 3; do taskset -c $cpu drive pace %u 2000 $((20000 + 30000 * "
		 "cpu)) "
		 "5000 & done; wait",
		 t.id);
	r = measure(f, targets, shell, &runs);
	assert_int_equal(sum_of_runs(r->out, t.id), runs);
}

/* Adds up the runs in all reports. */
static void add_runs(const char *lines, const struct target *t, int cnt, json_int_t *sum)
{
	for (json_error_t error; *lines; lines += error.position, lines += *lines == '\n') {
		const struct run one = {.json = json_loads(lines, JSON_DISABLE_EOF_CHECK, &error),
					.err = ""};

		assert_non_null(one.json);
		for (int i = 0; i < cnt; i++)
			sum[i] += num(row_of(&one, t[i].id), "runs");
		json_decref(one.json);
	}
}

/*
 * 200 programs are measured at once. One of them has bursts, and each of the others runs now and
 * then.
 */
static void test_many(void **state)
{
	struct fixture *f = *state;
	struct target t[MANY];
	char ids[MANY * 8] = "", runs[MANY * 16] = "", *shell;
	json_int_t sum[MANY] = {};
	size_t id_len = 0, len = 0;
	struct run *r;
	double paced;

	t[0] = load_target(f, "skb", "tc_alu_1000");
	load_every(f, t + 1, MANY - 1);
	for (int i = 0; i < MANY; i++)
		id_len += snprintf(ids + id_len, sizeof(ids) - id_len, "%s%u", i ? "," : "-b ",
				   t[i].id);
	for (int i = 1; i < MANY; i++)
		len += snprintf(runs + len, sizeof(runs) - len, " %u:%d", t[i].id, i);
	assert_true(id_len < sizeof(ids) && len < sizeof(runs));
	assert_true(asprintf(&shell,
			     "drive pace %u 3000 100000 10000 & "
			     "for i in 1 2 3; do drive testrun%s; sleep 2; done; wait",
			     t[0].id, runs) > 0);
	r = measure(f, ids, shell, &paced);
	free(shell);
	add_runs(r->out, t, MANY, sum);
	assert_true(paced > 0);
	assert_int_equal(sum[0], paced);
	for (int i = 1; i < MANY; i++)
		assert_int_equal(sum[i], 3 * i);
}

/* export: programs are loaded and unloaded, one after the other. Their runs add up. */
static void test_loads(void **state)
{
	struct fixture *f = *state;
	struct child *c;
	struct run *r;
	const char *line;
	double runs;

	unlink(METRICS);
	c = bprof_start(f, "export -o " METRICS
			   " --interval 1s --min-age 0 --name tc_alu_1000 -e time");
	r = command(f, "sh -c 'while ! [ -e " METRICS " ]; do sleep .1; done; sleep 1; "
		       "for i in 1 2 3; do drive run --obj progs/skb.bpf.o:tc_alu_1000 -- sh -c "
		       "\"sleep 2; drive pace \\$PROG_IDS 3000 100000 3000; sleep 2\"; done'");
	assert_status(r, 0);
	runs = sum_paces(r->out);
	child_signal(c, SIGTERM);
	assert_status(child_wait(f, c), 0);
	r = command(f, "cat " METRICS);
	line = strstr(r->out, "\nbprof_program_runs_total{");
	if (!line || strtod(strchr(line, '}') + 1, NULL) != runs)
		fail_test("not %.0f runs: %s", runs, r->out);
	assert_true(runs > 0);
}

KTEST_GROUP(rates, "--max-overhead and export count each run", NULL, ON(SMP4),
	    KTEST(test_cpus, LONG), KTEST(test_loads, LONG), KTEST(test_many, LONG),
	    KTEST_PARAM("rare", test_rate, &rare, EXACT, ONCE, LONG),
	    KTEST_PARAM("one", test_rate, &one, EXACT, ONCE, LONG),
	    KTEST_PARAM("thousand", test_rate, &thousand, EXACT, ONCE, LONG),
	    KTEST_PARAM("ten_thousand", test_rate, &ten_thousand, EXACT, ONCE, LONG),
	    KTEST_PARAM("hundred_thousand", test_rate, &hundred_thousand, EXACT, ONCE, LONG),
	    KTEST_PARAM("million", test_rate, &million, EXACT, ONCE, LONG),
	    KTEST_PARAM("two_millions", test_rate, &two_millions, EXACT, ONCE, LONG));
