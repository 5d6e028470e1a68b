// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests --max-overhead in simulated sessions: runs all code of turns and thinning with a made-up clock, CPU and
 * probes. The CPU executes either the load or bprof. The simulation knows the true number of runs, their time, and
 * the time that probes and bprof add. The reported runs and times must be true, and the added time must stay
 * below the limit. The linker replaces the clocks, and the reading of the kernel's run statistics
 * (Makefile: --wrap).
 *
 * With BPROF_TEST_LONG=1, simulates six times as many sessions. With arguments, prints the figures of
 * more sessions: SESSIONS SECONDS.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/hist.h"
#include "base/random.h"
#include "base/util.h"
#include "budget/budget.h"
#include "budget/budget_priv.h"
#include "budget/probe_turns.h"
#include "budget/probe_turns_priv.h"
#include "budget/thinning.h"
#include "budget/turns.h"
#include "result/result_counts.h"
#include "session/session.h"
#include "tests/unit/long_test.h"

#define MS 1000000.
#define SECOND (1000 * MS)
#define LIGHT_PERIOD_NS (10 * SECOND)

enum { MAX_TARGETS = 3 };

/* The CPU time in ns of a run without a probe. probe_costs: the time that a probe adds to a run. */
#define RUN_NS 110
/* The kernel's run statistics show this many ns too much for each run. */
#define STATS_NS 40
static const struct probe_cost probe_costs = {.measured_ns = 1200, .skipped_ns = 400};
/* The CPU time of bprof's steps: loading, attaching and detaching a probe, and reading the counts (a look). */
#define LOAD_NS (1.2 * MS)
#define ATTACH_NS (0.5 * MS)
#define DETACH_NS (0.3 * MS)
#define LOOK_NS (0.02 * MS)
/* If the load does not pause, bprof waits for the CPU for this time. */
#define MAX_WAIT_NS (0.7 * MS)
#define WAIT_STEP_NS (0.002 * MS)
#define MAX_STEP_NS (0.1 * MS)
/* After this time, bprof knows which probes cost so much that they must be attached in turns. */
#define START_UP_NS (2 * SECOND)
/* The cost of a cheap run. It is large, because totals and the values of distributions are whole numbers. */
#define COST_SCALE 1000
/* The cost of an expensive run, in costs of a cheap one. */
#define DEAR 2
#define MAX_COST (2 * DEAR * COST_SCALE)

/* A load: every period_ns it has cnt runs to do. The targets run in turn. */
struct load {
	const char *name;
	double cnt, period_ns;
	bool random;	/* the time until the next runs is exponentially distributed */
	double seconds; /* of a session */
	double light; /* used instead of cnt in the first half of each LIGHT_PERIOD_NS; 0: cnt is always used */
};

static const struct load loads[] = {
	{"steady, 20,000/s", 1, 50000, true, 10},
	{"100,000/s, 1 kHz", 100, MS, false, 10},
	{"500,000/s, 10 kHz", 50, 0.1 * MS, false, 10},
	{"500,000/s, 1 kHz", 500, MS, false, 10},
	{"1,000,000/s, 1 kHz", 1000, MS, false, 10},
	{"1,000,000/s, bursts each 500 ms", 500000, 500 * MS, false, 20},
	{"300,000/s, bursts each second", 300000, SECOND, false, 20},
	{"500,000/s, random bursts", 100000, 200 * MS, true, 20},
	{"without a pause", 1e9, SECOND, false, 10},
	{"100,000/s and 2,000,000/s", 2000, MS, false, 20, 100},
};

/*
 * Kinds of costs. A run costs a random value from COST_SCALE to twice as much. In the first half of each
 * period, it costs DEAR times as much.
 */
static const struct kind {
	const char *name;
	double period_ns; /* 0: a burst is the period */
} kinds[] = {
	{"of bursts"},
	{"of each ms", MS},
	{"of each 100 ms", 100 * MS},
	{"of ten seconds", LIGHT_PERIOD_NS},
};

static struct machine {
	const struct load *load;
	__u64 random;
	double now, bprof_ns, added_ns;
	double next;	/* the time at which the load gets its next runs to do */
	double backlog; /* runs that it has to do */
	double part;	/* the part of the next run that is already done */
	double read_ns; /* how long it takes to read the counts of a target */
	double slow;	/* the factor by which bprof's steps take longer */
	bool stalled;	/* the load does not run, such as on a CPU that the host does not run */
	__u64 runs;
	double run_ns[MAX_TARGETS]; /* the time of all runs, as the kernel measures it */
	const struct kind *kind;
	/* numbers of all runs and of expensive runs, and the same for runs that a probe saw */
	double all_runs, all_dear, probed_runs, probed_dear;
	__u64 draws;		  /* the random costs of measured runs */
	__u32 measured[MAX_COST]; /* number of measured runs, by cost */
	int target_cnt;
	struct target target[MAX_TARGETS];
	struct prog prog[MAX_TARGETS];
	bool attached[MAX_TARGETS];
	struct bprof_cpu_stat stat[MAX_TARGETS];
} m;

static double random_part(__u64 *state)
{
	return (random__next(state) >> 11) * 0x1p-53;
}

static double until_next(void)
{
	return m.load->period_ns * (m.load->random ? -log(1 - random_part(&m.random)) : 1);
}

/* Returns the time that the probe of a target adds to a run. */
static double added_to_run(int target)
{
	double more = probe_costs.measured_ns - probe_costs.skipped_ns;

	return m.attached[target] ? probe_costs.skipped_ns + more / m.stat[target].period : 0;
}

/* Returns how many of the first runs of the load belong to a target. */
static __u64 runs_of(__u64 runs, int target)
{
	return (runs + m.target_cnt - 1 - target) / m.target_cnt;
}

/* Returns how many of the next runs are expensive. */
static double dear_runs(double runs)
{
	if (m.kind->period_ns)
		return fmod(m.now / m.kind->period_ns, 1) < 0.5 ? runs : 0;
	return fmax(0, m.backlog - fmax(m.backlog - runs, m.load->cnt / 2));
}

/* Returns the part of the next runs that is expensive. */
static double count_dear(__u64 runs)
{
	double dear;

	if (!m.kind || !runs)
		return 0;
	dear = dear_runs(runs);
	if (m.now < START_UP_NS)
		return dear / runs;
	m.all_dear += dear;
	m.all_runs += runs;
	if (m.attached[0]) {
		m.probed_dear += dear;
		m.probed_runs += runs;
	}
	return dear / runs;
}

/* Returns the cost of measured runs. dear: the part of them that is expensive. */
static __u64 measure_costs(__u64 runs, double dear)
{
	__u64 sum = 0;

	for (; m.kind && runs; runs--) {
		double scale = random_part(&m.draws) < dear ? DEAR * COST_SCALE : COST_SCALE;
		int cost = scale * (1 + random_part(&m.draws));

		m.measured[cost] += m.now >= START_UP_NS;
		sum += cost;
	}
	return sum;
}

static void count(__u64 runs)
{
	double dear = count_dear(runs);

	for (int i = 0; i < m.target_cnt; i++) {
		__u64 period = m.stat[i].period, before = runs_of(m.runs, i);
		__u64 after = runs_of(m.runs + runs, i), seen = after - before;
		__u64 measured = after / period - before / period;

		m.added_ns += seen * added_to_run(i);
		m.run_ns[i] += seen * (RUN_NS + STATS_NS + added_to_run(i));
		if (!m.attached[i])
			continue;
		m.stat[i].measured[0] += measured;
		m.stat[i].event[BPROF_CLOCK_SLOT].total += measure_costs(measured, dear);
		m.stat[i].thinned_out += seen - measured;
	}
	m.runs += runs;
}

/* Lets the load run for some time in which it gets no further runs to do. */
static void execute(double ns)
{
	double cost = RUN_NS, done;

	if (m.stalled)
		return;
	for (int i = 0; i < m.target_cnt; i++)
		cost += added_to_run(i) / m.target_cnt;
	done = fmin(m.backlog, ns / cost + m.part);
	count(floor(done));
	m.backlog -= floor(done);
	m.part = m.backlog > 0 ? done - floor(done) : 0;
}

/* Time passes, in which bprof or the load has the CPU. */
static void pass(double ns, bool bprof)
{
	double end = m.now + ns;

	while (m.now < end) {
		double until = fmin(end, m.next);

		for (double step; !bprof && m.now < until; m.now += step) {
			step = fmin(until - m.now, MAX_STEP_NS);
			execute(step);
		}
		m.now = until;
		if (m.now < m.next)
			continue;
		m.backlog += m.load->light && fmod(m.now, LIGHT_PERIOD_NS) < LIGHT_PERIOD_NS / 2
				     ? m.load->light
				     : m.load->cnt;
		m.next += until_next();
	}
	if (bprof)
		m.bprof_ns += ns;
}

/* bprof gets the CPU when the load pauses, or after some time. */
static void wait_for_cpu(void)
{
	for (double end = m.now + MAX_WAIT_NS; m.backlog > 0 && m.now < end;)
		pass(WAIT_STEP_NS, false);
}

/* ---- functions that replace those of bprof (--wrap) ---- */

__u64 now_ns(void)
{
	return m.now;
}

__u64 thread_cpu_ns(void)
{
	return m.bprof_ns;
}

int prog__refresh(struct prog *p)
{
	p->info.run_cnt = runs_of(m.runs, p - m.prog);
	p->info.run_time_ns = m.run_ns[p - m.prog];
	return 0;
}

/* The number of runs of all other programs per ns. */
static double others_per_ns;

void other_runs__update(struct other_runs *o, const struct backend_env *of, __u64 at_ns)
{
	o->per_ns = others_per_ns;
}

/* ---- the backend ---- */

static struct bprof_cpu_stat *made_stat(const struct target *t, int cpu)
{
	pass(m.read_ns, true);
	return &m.stat[t - m.target];
}

static struct session s;

enum { PART_CNT = 3 };
static struct counts made_part[PART_CNT]; /* with --by */

static int made_read(const void *state, struct target *t, bool hists, struct counts *per_cpu,
		     struct counts *no_cpu)
{
	const struct bprof_cpu_stat *stat = made_stat(t, 0);

	per_cpu->measured = probe_stat__measured(stat);
	per_cpu->event[BPROF_CLOCK_SLOT].total = stat->event[BPROF_CLOCK_SLOT].total;
	per_cpu->event[BPROF_CLOCK_SLOT].uncovered = stat->event[BPROF_CLOCK_SLOT].uncovered;
	for (int i = 0; s.env.opts.by == BY_RETVAL && i < PART_CNT; i++)
		no_cpu[1 + i] = made_part[i];
	return 0;
}

static const struct probe_cost *made_cost(const void *state, int cpu)
{
	return &probe_costs;
}

static int made_preload(void *state, struct target *t, struct reason *reason)
{
	pass(m.slow * LOAD_NS, true);
	return 0;
}

static int made_reattach(void *state, struct target *t, struct reason *reason)
{
	pass(m.slow * ATTACH_NS, true);
	m.attached[t - m.target] = true;
	return 0;
}

static void made_detach(struct target *t)
{
	pass(m.slow * DETACH_NS, true);
	m.attached[t - m.target] = false;
}

static const struct counter_ops made_ops = {
	.method = "made",
	.caps = BACKEND_PROBES | BACKEND_COUNTS_EVENTS | BACKEND_PER_CPU,
	.probe_stat = made_stat,
	.read_target = made_read,
	.probe_cost = made_cost,
	.preload = made_preload,
	.reattach = made_reattach,
	.detach = made_detach,
};

/* ---- sessions ---- */

/* The true and the reported numbers of a target at one moment. */
struct reading {
	__u64 runs, reported;
	struct kernel_runs rested;
};

static struct event_fds fds = {.clock = true};

static void begin(const struct load *load, int targets, int seed)
{
	static int cpu;

	m = (struct machine){
		.load = load, .random = seed, .draws = seed, .target_cnt = targets, .slow = 1};
	m.next = load->period_ns * random_part(&m.random);
	s = (struct session){
		.env = {.opts = {.thin_share = THINNING_FULL_SHARE / 100, .turns = true},
			.cpus = {&cpu, 1},
			.cpu_limit = 1,
			.fds = &fds,
			.runs_counted = true,
			.targets = &s.targets},
		.targets = {.v = m.target, .cnt = targets},
	};
	s.backend[0] = (struct backend){.ops = &made_ops, .state = &m};
	for (int i = 0; i < targets; i++) {
		m.attached[i] = true;
		m.stat[i].period = 1;
		m.target[i] = (struct target){.id = i + 1,
					      .backend = &s.backend[0],
					      .prog = &m.prog[i],
					      .open_ns = LOAD_NS + ATTACH_NS};
	}
	assert_int_equal(budget__new(&s.env, &s.backend[0], &s.budget), 0);
	s.budget->turns->plan.random = seed;
	budget__start(s.budget, &s.env);
}

/* Lets the session run until bprof next reads the counts (a look), or until a time. */
static void run_to_look(double end)
{
	pass(fmin(budget__next_ns(s.budget), fmax(end - m.now, 1)), false);
	wait_for_cpu();
	pass(LOOK_NS, true);
	budget__adjust(s.budget, &s.env);
}

static void run_until(double end)
{
	while (m.now < end)
		run_to_look(end);
}

static struct reading read_now(int target)
{
	struct counts rows[2] = {};

	prog__refresh(m.target[target].prog);
	rows[0].measured = probe_stat__measured(&m.stat[target]);
	rows[0].thinned_out = m.stat[target].thinned_out;
	probe_turns__add_kernel(s.budget->turns, &s.env, target, rows);
	return (struct reading){runs_of(m.runs, target),
				counts__runs(&rows[0]) + counts__runs(&rows[1]), rows[1].rested};
}

static void end(void)
{
	budget__free(s.budget);
}

/* Checks the reported numbers of a target: all its runs, and the time of the runs without a probe. */
static void assert_right(const struct reading *from, const struct reading *to)
{
	struct kernel_runs rested = {to->rested.runs - from->rested.runs,
				     to->rested.ns - from->rested.ns};

	assert_int_equal(to->reported - from->reported, to->runs - from->runs);
	/* The kernel's time is in whole ns. */
	assert_true(fabs((double)rested.ns - rested.runs * (RUN_NS + STATS_NS)) <= 1000);
}

/*
 * Measures a load in some sessions, and returns the highest share that was added in one of them. Sets
 * *probed to the part of the runs that probes saw.
 */
static double measure(const struct load *load, int targets, int sessions, double seconds,
		      double *probed)
{
	const struct reading zero = {};
	double most = 0, runs = 0, rested = 0;

	for (int seed = 1; seed <= sessions; seed++) {
		begin(load, targets, seed * 7919);
		run_until(seconds * SECOND);
		budget__stop(s.budget, &s.env);
		for (int i = 0; i < targets; i++) {
			struct reading all = read_now(i);

			assert_right(&zero, &all);
			runs += all.runs;
			rested += all.rested.runs;
		}
		most = fmax(most, (m.added_ns + m.bprof_ns) / m.now);
		end();
	}
	*probed = 1 - rested / runs;
	print_message("%s: probed %.3f %% of the runs; at most %.2f %% added\n", load->name,
		      100 * *probed, 100 * most);
	return most;
}

/* Returns the mean cost of runs. dear: the part of them that is expensive. */
static double mean_cost(double dear)
{
	return COST_SCALE * 1.5 * (1 + (DEAR - 1) * dear);
}

/* Returns the mean of the runs that probes saw in some sessions, divided by that of all runs. */
static double compare_means(const struct load *load, const struct kind *kind, int sessions)
{
	double dear = 0, runs = 0, probed_dear = 0, probed = 0, ratio;

	for (int seed = 1; seed <= sessions; seed++) {
		begin(load, 1, seed * 7919);
		m.kind = kind;
		run_until(START_UP_NS + 20 * SECOND);
		dear += m.all_dear;
		runs += m.all_runs;
		probed_dear += m.probed_dear;
		probed += m.probed_runs;
		end();
	}
	ratio = mean_cost(probed_dear / probed) / mean_cost(dear / runs);
	print_message("%s, where runs cost more in the first half %s: %.3f of the mean\n",
		      load->name, kind->name, ratio);
	return ratio;
}

/* ---- tests ---- */

/* The runs that the probes see are a fair sample, with whatever period their cost changes. */
static void test_fair(void **state)
{
	static const int fair_loads[] = {1, 3, 9};
	/*
	 * With a sixth of the sessions, a ratio varies sqrt(6) times as much, and the mean of all
	 * ratios less than that.
	 */
	const double off = is_long_test() ? 0.025 : 0.06, off_in_all = is_long_test() ? 0.01 : 0.02;
	double sum = 0;
	int cnt = 0;

	for (size_t l = 0; l < ARRAY_SIZE(fair_loads); l++) {
		const struct load *load = &loads[fair_loads[l]];

		/* The first kind, "of bursts", is only for loads whose bursts all have the same number of runs. */
		for (size_t k = load->light ? 1 : 0; k < ARRAY_SIZE(kinds); k++, cnt++) {
			double ratio = compare_means(load, &kinds[k], case_cnt(60));

			assert_true(fabs(ratio - 1) < off);
			sum += ratio;
		}
	}
	print_message("%.3f in all\n", sum / cnt);
	assert_true(fabs(sum / cnt - 1) < off_in_all);
}

/* All runs are counted, and the added time stays below 1 %, also with several targets. */
static void test_loads(void **state)
{
	for (size_t l = 0; l < ARRAY_SIZE(loads); l++) {
		double probed;

		assert_true(measure(&loads[l], 1, case_cnt(100), loads[l].seconds, &probed) < 0.01);
		assert_true(probed > 0);
		assert_true(measure(&loads[l], MAX_TARGETS, case_cnt(40), 30, &probed) < 0.01);
	}
}

/* In each interval, all runs are counted. */
static void test_intervals(void **state)
{
	for (size_t l = 0; l < ARRAY_SIZE(loads); l++)
		for (int seed = 1; seed <= case_cnt(10); seed++) {
			struct reading from = {}, to;

			begin(&loads[l], 1, seed * 7919);
			for (int i = 1; i <= 20; i++) {
				run_until(i * SECOND);
				to = read_now(0);
				assert_right(&from, &to);
				from = to;
			}
			end();
		}
}

/*
 * If the set-up has shown that attaching takes long, a short session attaches a probe again only in few cases.
 * On average, the added time stays below the limit.
 */
static void test_slow_attaching(void **state)
{
	double sum = 0;

	for (int seed = 1; seed <= 50; seed++) {
		begin(&loads[ARRAY_SIZE(loads) - 1], 1, seed * 7919);
		m.slow = 50;
		m.target[0].open_ns = m.slow * (LOAD_NS + ATTACH_NS);
		run_until(5 * SECOND);
		budget__stop(s.budget, &s.env);
		sum += (m.added_ns + m.bprof_ns) / m.now;
		end();
	}
	print_message("%.2f %% added\n", 100 * sum / 50);
	assert_true(sum / 50 < 0.01);
}

/* After a target has ended, it gets no more runs, and keeps those that it had. */
static void test_ended(void **state)
{
	struct reading at_end, later;

	begin(&loads[3], 1, 1);
	run_until(5.5 * SECOND);
	probe_turns__retire(s.budget->turns, &s.env, 0);
	at_end = read_now(0);
	assert_int_equal(at_end.reported, at_end.runs);
	run_until(10 * SECOND);
	later = read_now(0);
	assert_true(later.reported >= at_end.reported);
	end();
}

/* A target that has ended is removed from the list. The next target, which moves to its place, keeps its numbers. */
static void test_forgotten(void **state)
{
	struct counts *frozen = counts__new(2);
	bool takes;
	__u64 seen;

	begin(&loads[3], 2, 1);
	run_until(5.5 * SECOND);
	probe_turns__retire(s.budget->turns, &s.env, 0);
	m.target[0].frozen = frozen;
	budget__fit(s.budget, &s.env);
	takes = probe_turns__takes(s.budget->turns, 1);
	seen = s.budget->turns->turn[1].sums->seen;
	assert_true(takes && seen);
	s.targets.v++;
	s.targets.cnt--;
	budget__keep(s.budget, &s.env, (bool[]){false, true});
	assert_int_equal(s.budget->turns->cnt, 1);
	assert_true(probe_turns__takes(s.budget->turns, 0));
	assert_int_equal(s.budget->turns->turn[0].sums->seen, seen);
	assert_int_equal(s.budget->plans.index[0], 0);
	run_until(10 * SECOND);
	assert_true(s.budget->turns->turn[0].sums->seen > seen);
	counts__free(frozen, 2);
	end();
}

/*
 * The probe of a busy target is detached for another reason than its turns (suspended). Until it is
 * resumed, it does not take turns, although bprof knows that it costs much.
 */
static void test_suspended(void **state)
{
	begin(&loads[3], 2, 1);
	s.budget->turns->turn[0].cpu[0].cost.expected = 0.5;
	probe_turns__suspend(s.budget->turns, &s.env, 0);
	made_detach(&m.target[0]);
	for (int i = 1; i <= 100; i++) {
		run_until(i * SECOND / 20);
		assert_false(probe_turns__takes(s.budget->turns, 0) || m.attached[0]);
	}
	assert_true(probe_turns__takes(s.budget->turns, 1));
	probe_turns__resume(s.budget->turns, 0);
	m.attached[0] = true;
	run_until(10 * SECOND);
	assert_true(probe_turns__takes(s.budget->turns, 0));
	end();
}

/* If the kernel does not count runs while the probe is detached, blind_ns has the length of this time. */
static void test_blind(void **state)
{
	struct counts rows[2] = {};

	begin(&loads[3], 1, 1);
	s.env.runs_counted = false;
	run_until(5.5 * SECOND);
	probe_turns__add_kernel(s.budget->turns, &s.env, 0, rows);
	assert_true(rows[1].blind_ns > 4 * SECOND);
	assert_int_equal(rows[1].unprobed, 0);
	end();
}

static struct slice_sums read_sums(void)
{
	const struct slice_sums *sums = s.budget->turns->turn[0].sums;

	return sums ? *sums : (struct slice_sums){};
}

/* Reads the counts from which errors are calculated. */
static struct counts read_counts(struct slice_sums *sums)
{
	struct counts rows[2] = {};

	prog__refresh(m.target[0].prog);
	rows[0].measured = probe_stat__measured(&m.stat[0]);
	rows[0].thinned_out = m.stat[0].thinned_out;
	rows[0].event[BPROF_CLOCK_SLOT].total = m.stat[0].event[BPROF_CLOCK_SLOT].total;
	probe_turns__add_kernel(s.budget->turns, &s.env, 0, rows);
	counts__add(&rows[0], &rows[1], 1);
	*sums = read_sums();
	return rows[0];
}

/* How often a statistic is known, and how often the true value is within its error. */
struct coverage {
	int known, held;
};

static const double quantiles[] = {0.5, 0.95, 0.99};

static void cover(struct coverage *c, double truth, double low, double high)
{
	c->known++;
	/* The total of a slice is a whole number, so a bound may be off by 1. */
	c->held += truth >= low - 1 && truth <= high + 1;
}

/* Returns the cost that a part q of the runs does not exceed. */
static double true_quantile(double q)
{
	double dear = m.all_dear / m.all_runs, cheap = 1 - dear;

	return COST_SCALE * (q <= cheap ? 1 + q / cheap : DEAR * (1 + (q - cheap) / dear));
}

static struct hist read_hist(void)
{
	static struct hist_bucket buckets[MAX_COST];
	struct hist h = {.bucket = buckets};

	for (int cost = 0; cost < MAX_COST; cost++)
		if (m.measured[cost])
			buckets[h.cnt++] = (struct hist_bucket){.count = m.measured[cost],
								.value = cost,
								.low = cost,
								.high = cost};
	return h;
}

/* Measures a load in some sessions. Adds up the coverage of the mean, and of the percentiles. */
static void count_held(const struct load *load, const struct kind *kind, int sessions,
		       struct coverage *mean, struct coverage *percentiles)
{
	for (int seed = 1; seed <= sessions; seed++) {
		struct slice_sums sums[2];
		struct snapshot from = {.target_cnt = 1,
					.slices = &(struct slice_sums *){&sums[0]}};
		struct snapshot to = {.target_cnt = 1, .slices = &(struct slice_sums *){&sums[1]}};
		const struct range g = {.from = &from, .to = &to, .part = ALL_PARTS};
		struct counts before, after;
		struct slices_error e;
		struct hist h;

		begin(load, 1, seed * 104729);
		m.kind = kind;
		run_until(START_UP_NS);
		before = read_counts(&sums[0]);
		run_until(START_UP_NS + 40 * SECOND);
		after = read_counts(&sums[1]);
		counts__add(&after, &before, -1);
		e = slices__error(&g, &after, BPROF_CLOCK_SLOT);
		end();
		if (isnan(e.mean))
			continue;
		cover(mean, mean_cost(m.all_dear / m.all_runs), e.mean - e.half_width,
		      e.mean + e.half_width);
		h = read_hist();
		for (size_t i = 0; i < ARRAY_SIZE(quantiles); i++) {
			struct hist_value v = slices__quantile(&e, &h, quantiles[i]);

			if (!slices_error__is_too_large(v.value, (v.high - v.low) / 2))
				cover(&percentiles[i], true_quantile(quantiles[i]), v.low, v.high);
		}
	}
}

/* The mean and the percentiles of the probed runs are within their errors in 95 of 100 cases. */
static void test_errors(void **state)
{
	/*
	 * bprof's own work moves the runs of loads at 1 kHz and 10 kHz within their period, and
	 * makes one burst of several. So the costs of these loads do not follow bursts or a period
	 * of 1 ms here.
	 */
	static const struct {
		int load, kinds;
	} cases[] = {{0, 0xe}, {1, 0xc}, {2, 0xc}, {3, 0xc}, {4, 0xc},
		     {5, 0xf}, {6, 0xf}, {7, 0xf}, {8, 0xe}, {9, 0xc}};
	struct coverage mean = {}, percentiles[ARRAY_SIZE(quantiles)] = {};
	/* with a sixth of the sessions, 0.92 is enough (1.5 standard deviations less) */
	const double least = is_long_test() ? 0.95 : 0.92;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
			const struct load *load = &loads[cases[i].load];
			struct coverage before = mean;

			if (!(cases[i].kinds & 1 << k))
				continue;
			count_held(load, &kinds[k], case_cnt(40), &mean, percentiles);
			print_message("%s, where runs cost more in the first half %s: %d of %d\n",
				      load->name, kinds[k].name, mean.held - before.held,
				      mean.known - before.known);
		}
	print_message("%d of %d\n", mean.held, mean.known);
	assert_true(mean.known > case_cnt(500));
	assert_true(mean.held >= least * mean.known);
	for (size_t i = 0; i < ARRAY_SIZE(quantiles); i++) {
		const struct coverage *c = &percentiles[i];

		print_message("P%g: %d of %d\n", 100 * quantiles[i], c->held, c->known);
		assert_true(c->known > case_cnt(250));
		assert_true(c->held >= least * c->known);
	}
}

/*
 * In the mean, the weight of the runs before the first slice is their own number, and the weight of
 * the slices is the number of all other runs.
 */
static void test_weights(void **state)
{
	struct slice_sums none = {}, sums = {.seen = 100};
	struct snapshot from = {.target_cnt = 1, .slices = &(struct slice_sums *){&none}};
	struct snapshot to = {.target_cnt = 1, .slices = &(struct slice_sums *){&sums}};
	const struct range g = {.from = &from, .to = &to, .part = ALL_PARTS};
	struct counts c = {.measured = 200, .unprobed = 9800};
	struct slices_error e;

	/* ten slices of ten runs that cost 1000 each; before that, 100 runs that cost 5000 each */
	sums.event[BPROF_CLOCK_SLOT] =
		(struct slice_event){.n = 100, .nn = 1000, .x = 100000, .xx = 1e9, .nx = 1e6};
	c.event[BPROF_CLOCK_SLOT].total = 600000;
	e = slices__error(&g, &c, BPROF_CLOCK_SLOT);
	assert_true(fabs(e.mean - (100 * 5000 + 9900 * 1000) / 1e4) < 1e-6);
	assert_true(e.half_width < 1e-6);
	assert_true(fabs(e.skew - 0.49) < 1e-6);
}

/* Notes runs that the probe of the first target has measured. slice: it was attached for a slice. */
static void note_runs(double runs, double total, bool slice)
{
	m.stat[0].measured[0] += runs;
	m.stat[0].event[BPROF_CLOCK_SLOT].total += total;
	turn__note_slice(s.budget->turns, &s.env, 0, slice);
}

/*
 * The error of the mean comes from how much the costs of runs differ between slices, however many runs the slices
 * have. Only slices count, and only those with runs.
 */
static void test_slices(void **state)
{
	enum { SLICE_CNT = 5 };
	static const struct {
		double runs[SLICE_CNT], cost[SLICE_CNT];
		double mean, stddev;
	} cases[] = {
		{{10, 20, 10, 20, 15}, {100, 100, 100, 100, 100}, 100, 0},
		/* Each total is 1000 too high or too low: sqrt(4 * 1000^2 * 4 / 3) / 40 runs. */
		{{10, 10, 0, 10, 10}, {100, 300, 0, 100, 300}, 200, 57.735026918962575},
		/* Two totals are off by 20. Slices of different sizes count as 70^2 / 1100 slices. */
		{{10, 20, 10, 20, 10}, {4, 1, 2, 2, 2}, 2, 0.45883146774112354},
		/* These are too few slices to know the error. */
		{{10, 10, 10}, {1, 2, 3}, NAN, NAN},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct slice_sums none = {}, sums;
		struct snapshot from = {.target_cnt = 1, .slices = &(struct slice_sums *){&none}};
		struct snapshot to = {.target_cnt = 1, .slices = &(struct slice_sums *){&sums}};
		const struct range g = {.from = &from, .to = &to, .part = ALL_PARTS};
		struct counts c = {.unprobed = 1000};
		struct slices_error e;

		begin(&loads[0], 1, 1);
		note_runs(1000, 5000, false);
		for (int k = 0; k < SLICE_CNT; k++) {
			note_runs(cases[i].runs[k], cases[i].runs[k] * cases[i].cost[k], true);
			c.measured += cases[i].runs[k];
			note_runs(0, 7, false);
		}
		sums = read_sums();
		end();
		e = slices__error(&g, &c, BPROF_CLOCK_SLOT);
		assert_int_equal(isnan(e.stddev), isnan(cases[i].stddev));
		if (isnan(e.stddev))
			continue;
		assert_true(fabs(e.mean - cases[i].mean) < 1e-9);
		assert_true(fabs(e.stddev - cases[i].stddev) < 1e-9);
	}
}

/* Notes a slice in which the runs of a part had this cost. */
static void note_part(int part, double runs, double cost)
{
	made_part[part].measured += runs;
	made_part[part].event[BPROF_CLOCK_SLOT].total += runs * cost;
	note_runs(runs, runs * cost, true);
}

/* With --by, each part has its sums. A part that is freed gives up its sums, and then has those of another key. */
static void test_part_sums(void **state)
{
	const bool freed[BPROF_PARTS] = {[2] = true};
	const struct slice_sums *parts;

	begin(&loads[0], 1, 1);
	s.env.opts.by = BY_RETVAL;
	note_runs(0, 0, false);
	note_part(1, 10, 5);
	note_part(2, 20, 3);
	note_part(1, 30, 5);
	parts = &s.budget->turns->turn[0].sums[2];
	assert_true(parts[-2].event[BPROF_CLOCK_SLOT].n == 60);
	assert_true(parts[-1].event[BPROF_CLOCK_SLOT].x == 260);
	assert_true(parts[1].event[BPROF_CLOCK_SLOT].n == 40);
	assert_true(parts[1].event[BPROF_CLOCK_SLOT].nn == 1000);
	assert_true(parts[1].event[BPROF_CLOCK_SLOT].x_all == 50 * 50 + 150 * 150);
	assert_true(parts[2].event[BPROF_CLOCK_SLOT].xx == 60 * 60);
	probe_turns__free_parts(s.budget->turns, &s.env, 0, freed);
	counts__move(&made_part[0], &made_part[2]);
	assert_true(isnan(parts[0].event[BPROF_CLOCK_SLOT].n));
	note_part(2, 7, 2);
	assert_true(parts[2].event[BPROF_CLOCK_SLOT].n == 7);
	assert_true(parts[2].event[BPROF_CLOCK_SLOT].x == 14);
	end();
}

/*
 * If events are multiplexed, an event is counted in only a part of the measured runs. Its mean and error are
 * those of these runs.
 */
static void test_uncovered(void **state)
{
	struct slice_sums none = {}, sums;
	struct snapshot from = {.target_cnt = 1, .slices = &(struct slice_sums *){&none}};
	struct snapshot to = {.target_cnt = 1, .slices = &(struct slice_sums *){&sums}};
	const struct range g = {.from = &from, .to = &to, .part = ALL_PARTS};
	struct counts c = {.measured = 80, .unprobed = 900};
	struct event_counts *event = &c.event[BPROF_CLOCK_SLOT];
	struct slices_error e;

	begin(&loads[0], 1, 1);
	/* before the first slice, and in each of six slices, half of the runs are not counted */
	for (int k = 0; k < 7; k++) {
		double covered = k ? 5 : 10;

		m.stat[0].event[BPROF_CLOCK_SLOT].uncovered += covered;
		event->uncovered += covered;
		event->total += covered * 100;
		event->squares += covered * 100 * 100;
		note_runs(2 * covered, covered * 100, k > 0);
	}
	/* in one more slice, none of the runs is */
	m.stat[0].event[BPROF_CLOCK_SLOT].uncovered += 20;
	event->uncovered += 20;
	c.measured += 20;
	note_runs(20, 0, true);
	sums = read_sums();
	end();
	e = slices__error(&g, &c, BPROF_CLOCK_SLOT);
	assert_true(fabs(e.slices - 6) < 1e-9);
	assert_true(fabs(e.mean - 100) < 1e-9);
	assert_true(e.stddev < 1e-6);
}

/* Run statistics count towards the limit. The probes keep at least a quarter of it. */
static void test_stats(void **state)
{
	static const struct {
		double cnt, added_ns; /* runs per ms; ns per run */
		double others;	      /* runs per ms of programs that are not measured */
		double least, most;   /* the share that is left for probes */
	} cases[] = {{10, 100, 0, 0.0085, 0.0095},
		     {50, 100, 0, 0.004, 0.006},
		     {10, 100, 40, 0.0045, 0.0055},
		     {500, 100, 0, 0.0025, 0.0025}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct load load = {.cnt = cases[i].cnt, .period_ns = MS};
		double left;

		begin(&load, 1, 1);
		s.env.stats_cost.added_ns = cases[i].added_ns;
		others_per_ns = cases[i].others / MS;
		run_until(10 * SECOND);
		left = (double)s.budget->turns->plan.share / THINNING_FULL_SHARE;
		end();
		others_per_ns = 0;
		print_message("%g runs each ms, %g of others: %.4f left\n", load.cnt,
			      cases[i].others, left);
		assert_true(left >= cases[i].least && left <= cases[i].most);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loads),	       cmocka_unit_test(test_intervals),
		cmocka_unit_test(test_slow_attaching), cmocka_unit_test(test_ended),
		cmocka_unit_test(test_forgotten),      cmocka_unit_test(test_suspended),
		cmocka_unit_test(test_blind),	       cmocka_unit_test(test_fair),
		cmocka_unit_test(test_errors),	       cmocka_unit_test(test_stats),
		cmocka_unit_test(test_weights),	       cmocka_unit_test(test_slices),
		cmocka_unit_test(test_part_sums),      cmocka_unit_test(test_uncovered),
	};
	double probed;

	if (argc < 3)
		return cmocka_run_group_tests(tests, NULL, NULL);
	for (size_t l = 0; l < ARRAY_SIZE(loads); l++)
		measure(&loads[l], 1, atoi(argv[1]), atof(argv[2]), &probed);
	return 0;
}
