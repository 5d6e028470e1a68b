// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests stat --verify: at which rates runs are measured, in which order, and the result. The probe is made up, and
 * chooses runs as the real one does (bpf/probe_frames.bpf.h). In the made-up program, a run after a measured run
 * costs more.
 */
#include "tests/unit/made_session.h"

#include "base/log.h"
#include "run/verify_rates.h"

#define BASE 100
#define ADDED 50
#define RUNS 2560 /* in a turn */
#define ROUNDS_HERE 12

/* The probe's memory, and its sums, by CPU. */
static struct bprof_cpu_stat stats[8];
static __u64 measured[8];
static __s64 total[8];
static double squares[8];
static bool follows[8]; /* the next run follows a measured one */

static struct bprof_cpu_stat *stat_of(const struct target *t, int cpu)
{
	return &stats[cpu];
}

static int read_model(const void *state, struct target *t, bool hists, struct counts *per_cpu,
		      struct counts *no_cpu)
{
	static const int cpus[CPU_CNT] = {1, 2, 7};

	for (int i = 0; i < CPU_CNT; i++) {
		per_cpu[i].measured = measured[cpus[i]];
		per_cpu[i].thinned_out = stats[cpus[i]].thinned_out;
		per_cpu[i].event[0].total = total[cpus[i]];
		per_cpu[i].event[0].squares = squares[cpus[i]];
	}
	return 0;
}

static const struct counter_ops model_ops = {
	.method = "model",
	.caps = BACKEND_PROBES | BACKEND_COUNTS_EVENTS | BACKEND_PER_CPU,
	.read_target = read_model,
	.probe_stat = stat_of,
};

static void run_at(int cpu, double cost)
{
	struct bprof_cpu_stat *s = &stats[cpu];
	bool chosen = !s->countdown;

	if (chosen) {
		measured[cpu]++;
		total[cpu] += cost;
		squares[cpu] += cost * cost;
		s->countdown = (measured[cpu] < s->quota ? s->period : s->over_period) - 1;
	} else {
		s->countdown--;
		s->thinned_out++;
	}
	follows[cpu] = chosen;
}

static void run_on(int cpu)
{
	run_at(cpu, BASE + (follows[cpu] ? ADDED : 0));
}

static int set_up_model(void **state)
{
	struct fixture *f;

	if (setup((void **)&f))
		return -1;
	memset(stats, 0, sizeof(stats));
	memset(measured, 0, sizeof(measured));
	memset(total, 0, sizeof(total));
	memset(squares, 0, sizeof(squares));
	memset(follows, 0, sizeof(follows));
	add_event(f, "cycles", EVENT_OK);
	f->o.per_cpu = false;
	f->s.foreign.unknown = true;
	f->s.env.opts.hist = true; /* with sums of squares */
	for (int i = 0; i < BACKEND_CNT; i++)
		f->s.backend[i] = (struct backend){.ops = &model_ops};
	f->target[0].backend = &f->s.backend[0];
	*state = f;
	return 0;
}

/* Initializes the rates of a session, and begins the measurement. */
static struct snapshot *begin_rates(struct fixture *f, struct verify_rates *v)
{
	struct snapshot *from;

	assert_int_equal(session__start(&f->s, &from), 0);
	assert_int_equal(verify_rates__start(v, &f->s), 0);
	return from;
}

static void turn(struct fixture *f, struct verify_rates *v)
{
	for (int i = 0; i < RUNS; i++)
		run_on(i % 2 ? 1 : 7);
	assert_int_equal(verify_rates__turn(v, &f->s, &f->o), 0);
}

static struct report *end_rates(struct fixture *f, struct verify_rates *v, struct snapshot *from)
{
	struct result_span span = {.from = from};
	struct snapshot *to;

	verify_rates__stop(v);
	assert_int_equal(session__stop(&f->s, &to), 0);
	span.to = to;
	report__free(f->r);
	assert_int_equal(result__report(&f->s, &span, 1, &f->o, &f->r), 0);
	verify_rates__apply(v, f->r);
	verify_rates__free(v);
	snapshot__free(from);
	snapshot__free(to);
	snapshot__free(f->s.closed);
	snapshot__free(f->s.stopped);
	return f->r;
}

/*
 * ADDED is what the model adds to a run after a measured one. Each turn begins a new countdown. Otherwise, its first
 * runs would still be chosen at the rate of the previous turn.
 */
static void test_added(void **state)
{
	struct fixture *f = *state;
	struct verify_rates v = {.random = 7};
	struct snapshot *from = begin_rates(f, &v);
	const struct report_verify *got;

	for (int i = 0; i < ROUNDS_HERE * VERIFY_RATES; i++)
		turn(f, &v);
	got = end_rates(f, &v, from)->prog[0].all.event[0].verify;
	assert_int_equal(f->r->thin_period, 0);
	assert_string_equal(got->verdict, "more");
	/* On each CPU, the first run of a turn at 1 may follow one that was not measured. */
	assert_true(fabs(got->added - ADDED) <= ADDED * 2.0 / RUNS);
	assert_int_equal(got->use, 16);
	for (int i = 0; i < VERIFY_RATES; i++)
		assert_int_equal(got->rate[i].measured, ROUNDS_HERE * RUNS / verify_samples[i]);
	assert_near(got->rate[1].mean, BASE);
	assert_near(got->rate[2].mean, BASE);
	assert_near(got->rate[2].stddev + 1, 1);
}

/*
 * On a CPU that has fewer than 256 runs in a turn, the lowest rate measures a run only in some
 * turns.
 */
static void test_quiet_cpu(void **state)
{
	struct fixture *f = *state;
	struct verify_rates v = {.random = 11};
	struct snapshot *from = begin_rates(f, &v);
	const struct report_verify *got;

	for (int i = 0; i < 600 * VERIFY_RATES; i++) {
		for (int n = 0; n < 100; n++)
			run_at(2, 10 * BASE);
		for (int n = 0; n < 2560; n++)
			run_at(1, BASE);
		assert_int_equal(verify_rates__turn(&v, &f->s, &f->o), 0);
	}
	got = end_rates(f, &v, from)->prog[0].all.event[0].verify;
	assert_string_equal(got->verdict, "none");
}

/* Each round has a turn at each rate. The order of the rates differs from round to round. */
static void test_order(void **state)
{
	struct fixture *f = *state;
	struct verify_rates v = {.random = 3};
	struct snapshot *from = begin_rates(f, &v);
	int first[VERIFY_RATES] = {}, rounds = 60;

	for (int i = 0; i < rounds; i++) {
		unsigned int seen = 0;

		for (int k = 0; k < VERIFY_RATES; k++) {
			int rate = 0;

			while (verify_samples[rate] != stats[1].period)
				assert_true(++rate < VERIFY_RATES);
			assert_int_equal(stats[1].period, stats[1].over_period);
			assert_int_equal(stats[1].period, stats[7].period);
			assert_true(stats[1].countdown < stats[1].period);
			first[rate] += !k;
			seen |= 1U << rate;
			turn(f, &v);
		}
		assert_int_equal(seen, (1U << VERIFY_RATES) - 1);
	}
	for (int i = 0; i < VERIFY_RATES; i++)
		assert_in_range(first[i], rounds / 6, rounds / 2);
	end_rates(f, &v, from);
}

static void test_turn_ns(void **state)
{
	assert_int_equal(verify_rates__turn_ns(4000000000ULL), 100000000);
	assert_int_equal(verify_rates__turn_ns(100000000), 10000000);
	assert_int_equal(verify_rates__turn_ns(3600000000000ULL), 500000000);
	assert_int_equal(verify_rates__turn_ns(0), 200000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_added, set_up_model, teardown),
		cmocka_unit_test_setup_teardown(test_quiet_cpu, set_up_model, teardown),
		cmocka_unit_test_setup_teardown(test_order, set_up_model, teardown),
		cmocka_unit_test(test_turn_ns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
