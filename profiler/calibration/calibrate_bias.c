// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Measures one bias: what a probe counts for an empty function on one CPU. Owns the statistics.
 * Must not know which kinds of CPUs and of trampolines exist.
 *
 * The bias of multiplexed events is measured without the cost of reading the events (struct
 * bprof_rotation). So this bias does not depend on which events are on a counter, and calibration
 * need not wait for every combination. Events whose bias is already known are disabled, so that
 * the other events get their counters.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "backend/backend_env.h"
#include "backend/probe_stat.h"
#include "base/stats.h"
#include "base/util.h"
#include "calibration/calibrate_bias.h"
#include "calibration/calibration.h"
#include "kernel/irq_run.h"
#include "kernel/test_run.h"
#include "probe/probes.h"
#include "target/target.h"

/*
 * The number of runs per block, and the number of blocks. Before these blocks, one block warms up
 * and another finds the minimum.
 */
#define BLOCK_RUNS 64
#define BLOCK_CNT 15
/*
 * The number of runs per block if each run needs a system call of its own, or if there is more to
 * measure: multiplexed events or nested targets.
 */
#define SHORT_RUNS 16
/* The number of runs per block if a timer makes the runs, which takes 20 us per run. */
#define TIMER_RUNS 4
/*
 * Maximum time to wait for a counter that another user of the PMU may release. In this time the
 * kernel rotates the events several times, even in a virtual machine on a busy host.
 */
#define MAX_WAIT_NS 500000000ULL

struct bias_bench {
	struct calibration *c;
	const struct target *target;
	int cpu;
	int runs; /* number of runs per block */
	struct bprof_cpu_stat *stat;
	__u32 pending; /* slots whose bias is not yet known, as bits */
};

/* The means of the blocks in which an event was counted. */
struct means {
	double v[BLOCK_CNT];
	int cnt;
	/* minimum of all runs after subtracting the initial bias; 0 if no run was below 0 */
	__s64 lowest;
};

/* Returns the pending slots that were counted in at least one run. */
static __u32 find_counted(const struct bias_bench *b)
{
	__u32 slots = 0;

	for (int i = 0; i < BPROF_SLOTS; i++) {
		const struct bprof_event_sum *sum = probe_stat__event(b->stat, i);

		if (sum && sum->min != INT64_MAX)
			slots |= 1U << i;
	}
	return slots & b->pending;
}

/*
 * Returns true if enough events were counted: all events or, if events are multiplexed, at least
 * one.
 */
static bool is_enough(const struct bias_bench *b)
{
	__u32 counted = find_counted(b);

	return b->c->probes->env->fds->multiplexed ? counted : counted == b->pending;
}

int calibrate__run(int prog_fd, __u32 type, int cpu, int runs, __u32 *mean_ns)
{
	static const char packet[64];
	static const __u64 ctx[2];
	const bool takes_packet = test_run__takes_packet(type);
	const struct test_input in = {.data = packet,
				      .data_sz = sizeof(packet),
				      .ctx = takes_packet ? NULL : ctx,
				      .ctx_sz = takes_packet ? 0 : sizeof(ctx)};
	const struct test_run_opts o = {.repeat = runs};
	struct test_run_result result;
	int err;

	do
		err = test_run(prog_fd, type, &in, &o, &result);
	while (err == -EINTR); /* SIGSTOP and SIGCONT interrupt test runs */
	if (!err && mean_ns)
		*mean_ns = result.mean_ns;
	return err;
}

/* The argument of has_run(). */
struct wanted_runs {
	const struct bprof_cpu_stat *stat;
	__u64 cnt; /* value of probe_stat__measured() after the last run */
};

static bool has_run(const void *arg)
{
	const struct wanted_runs *wanted = arg;

	return probe_stat__measured(wanted->stat) >= wanted->cnt;
}

int calibrate__run_target(struct calibration *c, const struct target *t, int cpu, int runs)
{
	const struct bprof_cpu_stat *stat = probe__find_sums(t, cpu);
	const struct wanted_runs wanted = {stat, probe_stat__measured(stat) + runs};
	int err;

	probes__start(c->probes);
	if (t->prog->info.type == BPF_PROG_TYPE_PERF_EVENT)
		err = irq_run(t->prog->fd, cpu, has_run, &wanted);
	else
		err = calibrate__run(t->prog->fd, t->prog->info.type, cpu, runs, NULL);
	probes__stop(c->probes);
	return err;
}

/*
 * Resets the counts and runs one block. Runs further blocks until enough events have been counted.
 */
static int run_block(const struct bias_bench *b, int runs)
{
	__u64 end = now_ns() + MAX_WAIT_NS;
	int err;

	probe__reset(b->target, b->cpu);
	do {
		err = calibrate__run_target(b->c, b->target, b->cpu, runs);
	} while (!err && !is_enough(b) && now_ns() < end);
	if (!err && !is_enough(b))
		err = -ETIME;
	return err;
}

/*
 * Adds the mean of a block. Leaves out the block's largest run if an interrupt has probably hit it: if
 * this run exceeds the block's minimum by at least as much as all other runs together. Where
 * interrupts are frequent, each block has such a run.
 */
static void add_mean(struct means *m, const struct bprof_cpu_stat *stat, int slot)
{
	const struct bprof_event_sum *sum = probe_stat__event(stat, slot);
	__u64 runs = sum ? probe_stat__measured(stat) - sum->errors - sum->uncovered : 0;
	double total = sum ? sum->total : 0;

	if (!runs || sum->min == INT64_MAX) /* a slot without an event has no values */
		return;
	if (runs > 1 && 2.0 * (sum->max - sum->min) >= total - (double)runs * sum->min) {
		total -= sum->max;
		runs--;
	}
	m->v[m->cnt++] = total / runs;
	if (sum->min < m->lowest)
		m->lowest = sum->min;
}

/* Computes the bias from the minimum and from the means of the blocks above that minimum. */
static void set_bias(struct bias *bias, int slot, __u64 min, struct means *m)
{
	int cnt = m->cnt;
	double middle, spread = 0;

	qsort(m->v, cnt, sizeof(double), compare_doubles);
	middle = m->v[cnt / 2];
	/*
	 * Compute the spread from the middle half of the blocks, so that disturbed blocks do not
	 * matter.
	 */
	for (int i = cnt / 4; i <= cnt * 3 / 4; i++)
		spread += (m->v[i] - middle) * (m->v[i] - middle);
	bias->value[slot] = min + round(middle);
	bias->min[slot] = (double)min + m->lowest;
	bias->stddev[slot] = sqrt(spread / (cnt * 3 / 4 - cnt / 4 + 1));
}

/* Sets the bias in all contexts to min. The probe subtracts it from each run. */
static void set_start(struct bprof_cpu_stat *stat, int slot, __u64 min)
{
	struct bprof_event_sum *sum = probe_stat__event(stat, slot);

	for (int i = 0; sum && i < BPROF_CONTEXTS; i++)
		sum->bias[i] = min;
}

/*
 * Measures the biases of the pending events that are on a counter. A bias is the minimum of the
 * runs plus the median of the distances from this minimum to the blocks' means. An interrupt
 * affects only few blocks, or one run of each block, so it changes neither the minimum nor the
 * median.
 */
static int measure_round(struct bias_bench *b, struct bias *bias)
{
	struct means means[BPROF_SLOTS] = {};
	__u64 start[BPROF_SLOTS] = {};
	int err;
	__u32 counted;

	for (int i = 0; i < BPROF_SLOTS; i++)
		set_start(b->stat, i, 0);
	err = run_block(b, b->runs) ?: run_block(b, b->runs);
	counted = err ? 0 : find_counted(b);
	for (int i = 0; i < BPROF_SLOTS; i++) {
		const struct bprof_event_sum *sum = probe_stat__event(b->stat, i);

		if (sum && counted >> i & 1)
			start[i] = sum->min;
		set_start(b->stat, i, start[i]);
	}
	for (int n = 0; !err && n < BLOCK_CNT; n++) {
		err = run_block(b, b->runs);
		for (int i = 0; !err && i < BPROF_SLOTS; i++)
			add_mean(&means[i], b->stat, i);
	}
	for (int i = 0; !err && i < BPROF_SLOTS; i++)
		if (counted >> i & 1 && means[i].cnt > BLOCK_CNT / 2) {
			set_bias(bias, i, start[i], &means[i]);
			b->pending &= ~(1U << i);
		}
	return err;
}

/* Enables the open events of these slots (bits), and disables all other events. */
static int enable_events(const struct bias_bench *b, __u32 slots)
{
	const struct event_fds *fds = b->c->probes->env->fds;
	int err = 0;

	/*
	 * Discard the known reading costs: reading a disabled event does not cost the same as
	 * reading an event that waits for a counter.
	 */
	probes__subtract_readings(b->c->probes, true);
	/* Disable first: an event gets a free counter at the moment when it is enabled. */
	for (int on = 0; on <= 1; on++)
		for (int i = 0; i < fds->event_cnt; i++)
			if (fds->state[i].status == EVENT_OK &&
			    (!on || slots >> fds->state[i].slot & 1))
				err = event_fds__enable(fds, i, b->cpu, on) ?: err;
	return err;
}

static int measure_rounds(struct bias_bench *b, struct bias *bias)
{
	__u64 end = now_ns() + MAX_WAIT_NS;
	int err = 0, enable_err;

	while (!err && b->pending) {
		__u32 before = b->pending;

		err = enable_events(b, b->pending) ?: measure_round(b, bias);
		if (b->pending != before)
			end = now_ns() + MAX_WAIT_NS;
		else if (!err && now_ns() > end)
			err = -ETIME;
	}
	enable_err = enable_events(b, ~0U);
	return err ?: enable_err;
}

int calibrate__measure(struct calibration *c, const struct target *t, int cpu, struct bias *bias)
{
	const struct event_fds *fds = c->probes->env->fds;
	const __u32 type = t->prog->info.type;
	const bool is_long = fds->multiplexed || c->probes->env->nested ||
			     type != BPF_PROG_TYPE_SCHED_CLS;
	struct bias_bench b = {.c = c,
			       .target = t,
			       .cpu = cpu,
			       .runs = type == BPF_PROG_TYPE_PERF_EVENT ? TIMER_RUNS
				       : is_long			? SHORT_RUNS
									: BLOCK_RUNS,
			       .stat = probe__find_sums(t, cpu),
			       .pending = (1U << fds->perf_slot_cnt) - 1};

	if (fds->clock)
		b.pending |= 1U << BPROF_CLOCK_SLOT;
	return fds->multiplexed ? measure_rounds(&b, bias) : measure_round(&b, bias);
}
