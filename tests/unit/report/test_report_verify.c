// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the statistics of stat --verify with models of a program. In a model, a run costs more if it follows a
 * measured run. The reported difference between the rates must be this additional cost, within the reported error.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "base/util.h"
#include "report/report_verify.h"

/* A model: a run costs base + drift * round + noise, plus what measured runs before it add. */
struct model {
	double base, drift, noise;
	double added; /* what a measured run adds to the cost of the next run */
	double left;  /* the part of it that is left after each further run */
	__u64 rare;   /* one run in 10,000 / rare has an interrupt, which costs 1000 */
	int runs;     /* in a turn */
	int rounds;
	__u64 random;
};

/* Returns a number of about a normal distribution, with a standard deviation of 1. */
static double normal(__u64 *random)
{
	double sum = 0;

	for (int i = 0; i < 12; i++)
		sum += (double)(random__next(random) >> 11) / (1ULL << 53);
	return sum - 6;
}

static struct report *new_report(double measured, double total, double stddev)
{
	struct report *r = report__new();
	struct report_prog *p = report__add_prog(r);
	struct report_event *ev = report_row__add_event(&p->all);

	report_event__set_names(ev, "cycles", "cycles", "");
	p->probed = true;
	ev->measured = measured;
	ev->total = total;
	ev->stat[STAT_STDDEV] = stddev;
	return r;
}

/* Adds a turn of runs at one rate. *state: what the previous run adds to the next one; kept between turns. */
static void add_model_turn(struct verify *v, struct model *m, int round, int rate, double *state)
{
	struct report *r;
	double total = 0, squares = 0;
	int measured = 0;

	for (int i = 0; i < m->runs; i++) {
		bool chosen = i % verify_samples[rate] == verify_samples[rate] - 1;

		if (chosen) {
			double cost = m->base + m->drift * round + m->noise * normal(&m->random) +
				      (random__next(&m->random) % 10000 < m->rare ? 1000 : 0) +
				      *state;

			measured++;
			total += cost;
			squares += cost * cost;
		}
		*state = chosen ? m->added : *state * m->left;
	}
	r = new_report(measured, total,
		       sqrt(fmax(0, squares / measured - pow(total / measured, 2))));
	verify__add_turn(v, rate, r);
	report__free(r);
}

static void add_rounds(struct verify *v, struct model *m)
{
	double state = 0;

	for (int i = 0; i < m->rounds; i++) {
		for (int rate = 0; rate < VERIFY_RATES; rate++)
			add_model_turn(v, m, i, (rate + i) % VERIFY_RATES, &state);
		verify__end_round(v);
	}
}

/* Returns a report with the results of --verify, which the caller frees. */
static struct report *run_model(struct model *m)
{
	struct report *r = new_report(1, 100, 0);
	struct verify *v = verify__new();

	add_rounds(v, m);
	verify__apply(v, r);
	verify__free(v);
	return r;
}

static const struct report_verify *verify_of(const struct report *r)
{
	assert_non_null(r->prog[0].all.event[0].verify);
	assert_int_equal(r->prog[0].all.event[0].verify->rate_cnt, VERIFY_RATES);
	return r->prog[0].all.event[0].verify;
}

static void check(struct model m, const char *verdict, double added, double within, __u64 use,
		  const char *note)
{
	struct report *r = run_model(&m);
	const struct report_verify *v = verify_of(r);

	assert_string_equal(v->verdict, verdict);
	if (fabs(v->added - added) > within)
		fail_msg("%g added, not %g within %g", v->added, added, within);
	assert_int_equal(v->use, use);
	assert_int_equal(r->prog[0].notes.cnt, 1);
	assert_string_equal(r->prog[0].notes.text[0], note);
	report__free(r);
}

/* Each run costs the same: there is no error. */
static void test_exact(void **state)
{
	check((struct model){.base = 783, .runs = 1024, .rounds = 10}, "none", 0, 0, 1,
	      "cycles: no pollution by the probe found (+-0)");
}

/* Runs that differ between rounds, but not between rates: the load changes. */
static void test_drift(void **state)
{
	check((struct model){.base = 100, .drift = 90, .runs = 1024, .rounds = 10}, "none", 0, 1e-6,
	      1, "cycles: no pollution by the probe found (+-0)");
}

static void test_more(void **state)
{
	/*
	 * not exactly 50: the first run of a turn follows one that was not measured, or the last
	 * one of another turn
	 */
	check((struct model){.base = 100, .added = 50, .runs = 10240, .rounds = 10}, "more", 50,
	      0.01, 16,
	      "cycles: each measured run makes the next one cost 50.0 more (+-0.0): use --sample "
	      "16");
	/* a measured run also adds to the 16 runs after it, and to later ones */
	check((struct model){.base = 100, .added = 50, .left = 0.95, .runs = 10240, .rounds = 10},
	      "more", 50, 0.1, 256,
	      "cycles: each measured run makes the next one cost 50.0 more (+-0.0): use --sample "
	      "256");
}

/* At low rates, the probe's code is not in the caches, so a measured run costs more there. */
static void test_less(void **state)
{
	check((struct model){.base = 100, .added = -20, .runs = 10240, .rounds = 10}, "less", -20,
	      0.01, 1,
	      "cycles: a run after a measured one costs 20.0 less (+-0.0): at lower rates the "
	      "probe's "
	      "own code is out of the caches, so that --sample 1 is the best number");
}

/*
 * A turn with samples: in 2 s, the program runs 4,000,000 times on a machine with four CPUs: half a
 * run in a microsecond of each CPU. Probes show 100 for each run.
 */
static void check_sampled(const struct verify_sampled *sampled, const char *verdict,
			  const char *note)
{
	struct model m = {.base = 100, .runs = 1024, .rounds = 10};
	struct report *r = new_report(1, 100, 0), *turn = new_report(15625, 1562500, 0);
	const struct report_verify_samples *by;
	struct verify *v = verify__new();

	add_rounds(v, &m);
	turn->prog[0].all.runs = 4000000;
	turn->elapsed_ns = 2000000000;
	verify__add_turn(v, VERIFY_BY_SAMPLES, turn);
	verify__set_sampled(v, 0, sampled);
	verify__apply(v, r);
	by = verify_of(r)->samples;
	assert_string_equal(verify_of(r)->verdict, "none");
	assert_int_equal(by->samples, sampled->samples);
	assert_string_equal(by->verdict, verdict);
	assert_int_equal(r->prog[0].notes.cnt, note ? 2 : 1);
	if (note)
		assert_string_equal(r->prog[0].notes.text[1], note);
	verify__free(v);
	report__free(turn);
	report__free(r);
}

static void check_samples(__u64 samples, double rate, bool dropped, double cost,
			  const char *verdict, const char *note)
{
	check_sampled(&(struct verify_sampled){.samples = samples,
					       .rate = rate,
					       .cpu_cnt = 4,
					       .dropped = dropped,
					       .cost = cost},
		      verdict, note);
}

static void test_samples(void **state)
{
	const struct verify_sampled gaps = {
		.samples = 10000, .rate = 0.1, .cpu_cnt = 4, .gaps = true};

	check_samples(10000, 0.0505, false, 0, "agree",
		      "cycles: samples, which need no probe, agree: 101.0 (+-2.0)");
	/* the difference of 4 is more than three standard errors, which are 1 each */
	check_samples(
		10000, 0.052, false, 0, "disagree",
		"cycles: samples, which need no probe, disagree: 104.0 (+-2.0), where the probes "
		"show 100.0; concepts.md has the reasons");
	check_samples(
		10000, 0.048, false, 0, "disagree",
		"cycles: samples, which need no probe, disagree: 96.0 (+-1.9), where the probes "
		"show 100.0; concepts.md has the reasons");
	/* sampling made the runs 2 % longer */
	check_samples(10000, 0.052, false, .02, "agree",
		      "cycles: samples, which need no probe, agree: 104.0 (+-2.0)");
	check_samples(29, 0.05, false, 0, "unknown", NULL);
	check_samples(10000, 0.04, true, 0, "unknown", NULL);
	check_sampled(
		&gaps, "unknown",
		"cycles: not compared with samples: a CPU went offline or came online, or cannot "
		"sample this event");
}

static void test_few(void **state)
{
	static const char note[] =
		"cycles: too few runs for --verify: at --sample 256, some must be "
		"measured in 6 rounds; measure for longer";
	struct model few_runs = {.base = 100, .runs = 255, .rounds = 10, .random = 1};
	struct report *r = run_model(&few_runs);
	const struct report_verify *v = verify_of(r);

	assert_string_equal(v->verdict, "unknown");
	assert_true(isnan(v->added) && isnan(v->added_error));
	assert_int_equal(v->use, 0);
	assert_string_equal(r->prog[0].notes.text[0], note);
	assert_int_equal(v->rate[2].measured, 0);
	assert_true(isnan(v->rate[2].mean) && isnan(v->rate[2].stddev));
	report__free(r);
	r = run_model(&(struct model){.base = 100, .runs = 256, .rounds = 5});
	assert_string_equal(verify_of(r)->verdict, "unknown");
	report__free(r);
	r = run_model(&(struct model){.base = 100, .runs = 256, .rounds = 6});
	assert_string_equal(verify_of(r)->verdict, "none");
	report__free(r);
	/* the measurement ended before the first turn */
	r = run_model(&(struct model){.base = 100});
	assert_string_equal(verify_of(r)->verdict, "unknown");
	assert_string_equal(r->prog[0].notes.text[0], note);
	report__free(r);
}

/* In at least 95 % of the measurements, the difference is within the error, also when rounds are merged. */
static void check_coverage(int rounds, double drift)
{
	const int cnt = 1000;
	int within = 0;

	for (int i = 0; i < cnt; i++) {
		struct model m = {.base = 100,
				  .noise = 30,
				  .drift = drift,
				  .added = 7,
				  .runs = 2560,
				  .rounds = rounds,
				  .random = i};
		struct report *r = run_model(&m);
		const struct report_verify *v = verify_of(r);

		within += fabs(v->added - 7) <= v->added_error;
		report__free(r);
	}
	/*
	 * within three standard deviations of such a count; up to 98 %, as the error is the larger
	 * one of two, and so more often large enough
	 */
	if (within < cnt * 0.95 - 25 || within > cnt * 0.98 + 15)
		fail_msg("%d rounds: %d of %d are within the error", rounds, within, cnt);
}

static void test_coverage(void **state)
{
	check_coverage(10, 0);
	check_coverage(10, 20);
}

/*
 * Interrupts are in so few runs that possibly none of the runs that are measured at the lowest rate
 * has one.
 */
static void test_rare(void **state)
{
	const int cnt = 300;
	int none = 0;

	for (int i = 0; i < cnt; i++) {
		struct model m = {.base = 100, .runs = 5120, .rounds = 10, .rare = 4, .random = i};
		struct report *r = run_model(&m);

		none += !strcmp(verify_of(r)->verdict, "none");
		report__free(r);
	}
	if (none < cnt * 0.95 - 12)
		fail_msg("%d of %d are without pollution", none, cnt);
}

/* Without distributions, the probe makes no sums of squares, so errors are not known. */
static void test_no_spread(void **state)
{
	struct report *r = new_report(1, 100, 0), *turn = new_report(1, 100, NAN);
	struct verify *v = verify__new();

	for (int i = 0; i < 10 * VERIFY_RATES; i++) {
		verify__add_turn(v, i % VERIFY_RATES, turn);
		if (i % VERIFY_RATES == VERIFY_RATES - 1)
			verify__end_round(v);
	}
	verify__apply(v, r);
	assert_string_equal(verify_of(r)->verdict, "unknown");
	assert_string_equal(r->prog[0].notes.text[0],
			    "cycles: --verify needs to know how much the runs differ, for which "
			    "distributions need more memory (--max-memory)");
	verify__free(v);
	report__free(turn);
	report__free(r);
}

/* Many rounds take no more memory, and lose no run. */
static void test_merged(void **state)
{
	struct model m = {.base = 100, .added = 3, .noise = 1, .runs = 512, .rounds = 1000};
	struct report *r = run_model(&m);
	const struct report_verify *v = verify_of(r);
	/* 16 rounds were merged into one, and the last merged round is not complete */
	int complete = 1000 / 16 * 16;

	assert_int_equal(v->rate[0].measured, 512 * complete);
	assert_int_equal(v->rate[1].measured, 32 * complete);
	assert_int_equal(v->rate[2].measured, 2 * complete);
	assert_true(fabs(v->added - 3) < 3 * v->added_error && v->added_error < 0.1);
	report__free(r);
}

/* A program without a probe has no rates, and a report of other programs gets no result. */
static void test_others(void **state)
{
	struct report *turn = new_report(1, 100, 0), *r = new_report(1, 100, 0);
	struct verify *v = verify__new();

	verify__add_turn(v, 0, turn);
	r->prog[0].probed = false;
	verify__apply(v, r);
	assert_null(r->prog[0].all.event[0].verify);
	assert_string_equal(r->prog[0].notes.text[0],
			    "--verify: it has no probe that could disturb it");
	report_row__add_event(&r->prog[0].all);
	verify__add_turn(v, 0, r);
	verify__apply(v, r);
	assert_int_equal(r->prog[0].notes.cnt, 1);
	verify__free(v);
	report__free(turn);
	report__free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact),	  cmocka_unit_test(test_drift),
		cmocka_unit_test(test_more),	  cmocka_unit_test(test_less),
		cmocka_unit_test(test_samples),	  cmocka_unit_test(test_few),
		cmocka_unit_test(test_coverage),  cmocka_unit_test(test_rare),
		cmocka_unit_test(test_no_spread), cmocka_unit_test(test_merged),
		cmocka_unit_test(test_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
