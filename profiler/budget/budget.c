// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Applies the plans of thinning.c to the probes: until the next adjustment, a probe measures one
 * run in "period", and at most "quota" runs. Owns the counts of each probe at the last adjustment.
 * Must not know how a period is chosen.
 *
 * This file writes to memory that it shares with the probes. Each field is written either by the
 * probe or by this file (bpf/probe.h), except the countdown to the next measured run, which both
 * write. If both write the countdown at the same time, one write is lost. Then the probe measures a
 * run other than the planned run, but still counts all runs.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

#include "backend/backend_env.h"
#include "backend/probe_stat.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/util.h"
#include "budget/budget.h"
#include "budget/budget_priv.h"
#include "budget/probe_turns.h"
#include "budget/thinning.h"
#include "target/target.h"

/* Returns true if the target has a probe. A target that has ended has no probe. */
static bool has_probe(const struct target *t)
{
	return t->backend->ops->probe_stat && !t->frozen;
}

/* Finds where the probes store their counts, for each target and CPU. */
static void find_stats(const struct backend_env *env, struct budget *th)
{
	int cnt;

	th->plans.target_cnt = 0;
	for (int i = 0; i < env->targets->cnt; i++)
		th->plans.target_cnt += has_probe(&env->targets->v[i]);
	cnt = th->plans.cpu_cnt * th->plans.target_cnt + 1;
	th->plans.target = xcalloc(cnt, sizeof(*th->plans.target));
	th->last = xcalloc(cnt, sizeof(*th->last));
	th->stat = xcalloc(cnt, sizeof(*th->stat));
	th->plans.index = xcalloc(th->plans.target_cnt + 1, sizeof(*th->plans.index));
	for (int i = 0, k = 0; i < env->targets->cnt; i++)
		if (has_probe(&env->targets->v[i]))
			th->plans.index[k++] = i;
	for (int c = 0; c < th->plans.cpu_cnt; c++)
		for (int k = 0; k < th->plans.target_cnt; k++) {
			const struct target *t = &env->targets->v[th->plans.index[k]];

			th->stat[c * th->plans.target_cnt + k] =
				t->backend->ops->probe_stat(t, env->cpus.id[c]);
		}
}

static int new_cpus(const struct backend_env *env, const struct backend *prober, struct budget *th)
{
	th->plans.cpu_cnt = env->cpus.cnt;
	th->plans.cpu = xcalloc(th->plans.cpu_cnt + 1, sizeof(*th->plans.cpu));
	if (env->nested)
		th->total = xcalloc(th->plans.cpu_cnt + 1, sizeof(*th->total));
	for (int c = 0; c < th->plans.cpu_cnt; c++) {
		const struct probe_cost *cost =
			prober->ops->probe_cost(prober->state, env->cpus.id[c]);

		if (!cost)
			return log_err(-EOPNOTSUPP,
				       "cannot choose how many runs to measure: the cost of the "
				       "probe could not be measured; give a number");
		th->plans.cpu[c].share = env->opts.thin_share;
		th->plans.cpu[c].cost = *cost;
	}
	return 0;
}

/* Returns true if a target has a probe or may get one later. */
static bool is_needed(const struct backend_env *env, const struct backend *prober)
{
	if (env->opts.follow)
		return prober;
	for (int i = 0; i < env->targets->cnt; i++)
		if (has_probe(&env->targets->v[i]))
			return true;
	return false;
}

/*
 * Sets what a new target measures until it has run: it has no quota. Chooses its first measured
 * run at random: see first_countdown() in probe.c.
 */
static void begin_plan(struct budget *th, int c, struct bprof_cpu_stat *stat)
{
	__u64 period = thinning__over_period(&th->plans.cpu[c]);

	__atomic_store_n(&stat->quota, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&stat->over_period, period, __ATOMIC_RELAXED);
	if (__atomic_load_n(&stat->countdown, __ATOMIC_RELAXED) >= period)
		probe_stat__begin_block(stat, period, random__next(&th->random) % period);
}

int budget__new(const struct backend_env *env, const struct backend *prober, struct budget **out)
{
	struct budget *th;
	int err;

	*out = NULL;
	if (!is_needed(env, prober))
		return 0;
	th = xcalloc(1, sizeof(*th));
	err = new_cpus(env, prober, th);
	if (err) {
		budget__free(th);
		return err;
	}
	if (getrandom(&th->random, sizeof(th->random), 0) < 0)
		th->random = now_ns();
	find_stats(env, th);
	/*
	 * These targets were loaded before the session. They are planned at once, so that the first
	 * runs of a rare one are measured.
	 */
	for (int c = 0; env->opts.follow && c < th->plans.cpu_cnt; c++)
		for (int i = c * th->plans.target_cnt; i < (c + 1) * th->plans.target_cnt; i++) {
			begin_plan(th, c, th->stat[i]);
			th->plans.target[i].burst = 1;
		}
	/*
	 * Targets that call one another take no turns: either all their probes must be attached, or
	 * no probe.
	 */
	if (env->opts.turns && !env->nested)
		th->turns = probe_turns__new(env);
	*out = th;
	return 0;
}

static void free_targets(struct budget *th)
{
	free(th->plans.index);
	free(th->plans.target);
	free(th->last);
	free(th->stat);
}

/*
 * Sets th->plans.target[i], the plan of a target on the CPU with index c. A target that had a probe
 * before keeps its plan. A new target has no quota until it has run. "from" is the index at which the
 * search in the old plans begins: targets keep their order. Returns the index at which to begin the
 * search for the next target.
 */
static int carry_over(struct budget *th, const struct budget *old, int c, int i, int from)
{
	struct bprof_cpu_stat *stat = th->stat[i];

	for (int k = from; k < (c + 1) * old->plans.target_cnt; k++) {
		if (old->stat[k] != stat)
			continue;
		th->plans.target[i] = old->plans.target[k];
		th->last[i] = old->last[k];
		return k + 1;
	}
	begin_plan(th, c, stat);
	return from;
}

void budget__fit(struct budget *th, const struct backend_env *env)
{
	struct budget old;

	if (!th)
		return;
	old = *th;
	find_stats(env, th);
	for (int c = 0; c < th->plans.cpu_cnt; c++) {
		int from = c * old.plans.target_cnt;

		for (int i = 0; i < th->plans.target_cnt; i++)
			from = carry_over(th, &old, c, c * th->plans.target_cnt + i, from);
	}
	free_targets(&old);
	if (th->turns)
		probe_turns__fit(th->turns, env);
}

void budget__keep(struct budget *th, const struct backend_env *env, const bool *keep)
{
	if (th && th->turns)
		probe_turns__keep(th->turns, keep);
	budget__fit(th, env);
}

void budget__free(struct budget *th)
{
	if (!th)
		return;
	probe_turns__free(th->turns);
	free(th->plans.cpu);
	free_targets(th);
	free(th->total);
	free(th);
}

/*
 * Reads the counts of a CPU's targets, which begin at the index "first". Returns true if any of
 * them ran since the last adjustment or was expected to run.
 */
static bool read_cpu(struct budget *th, int first)
{
	bool any = false;

	for (int i = first; i < first + th->plans.target_cnt; i++) {
		__u64 measured, seen = probe_stat__seen(th->stat[i], &measured);

		th->plans.target[i].seen = seen > th->last[i].seen ? seen - th->last[i].seen : 0;
		th->plans.target[i].measured = measured - th->last[i].measured;
		any |= th->plans.target[i].seen || th->plans.target[i].rate ||
		       th->plans.target[i].burst > 1;
		th->last[i] = (struct last_counts){
			seen, measured, .running = th->plans.target[i].seen,
			.ended = th->last[i].running && !th->plans.target[i].seen};
	}
	return any;
}

/*
 * Writes v only if the value differs, because a write takes the cache line away from the probe's
 * CPU.
 */
static void set_u64(__u64 *field, __u64 v)
{
	if (__atomic_load_n(field, __ATOMIC_RELAXED) != v)
		__atomic_store_n(field, v, __ATOMIC_RELAXED);
}

static void set_cpu(struct budget *th, const struct thinning_cpu *cpu, int first, bool follow)
{
	for (int i = first; i < first + th->plans.target_cnt; i++) {
		const struct thinning_target *t = &th->plans.target[i];
		struct bprof_cpu_stat *stat = th->stat[i];

		if (probe_turns__takes(th->turns, th->plans.index[i - first]))
			continue;
		/* As long as a new target has not run, begin_plan() has its plan. */
		if (follow && !t->burst)
			continue;
		set_u64(&stat->over_period, thinning__over_period(cpu));
		set_u64(&stat->period, t->period);
		set_u64(&stat->quota, th->last[i].measured + t->quota);
		/*
		 * After each burst, the place of the next measured run is random. Otherwise, if all
		 * bursts have the same number of runs, the same runs of each might be measured.
		 */
		if (t->quota && th->last[i].ended && t->period > 1)
			probe_stat__begin_block(stat, t->period,
						random__next(&th->random) % t->period);
		else if (t->quota)
			probe_stat__shorten_block(stat, t->period);
	}
}

/* On a CPU where a target has not run, its bursts are expected to be like those on other CPUs. */
static void share_bursts(struct budget *th)
{
	const struct thinning_plans *p = &th->plans;

	for (int i = 0; i < p->target_cnt; i++) {
		__u64 most = 0;

		for (int c = 0; c < p->cpu_cnt; c++)
			if (p->target[c * p->target_cnt + i].burst > most)
				most = p->target[c * p->target_cnt + i].burst;
		for (int c = 0; most && c < p->cpu_cnt; c++)
			if (!p->target[c * p->target_cnt + i].burst)
				p->target[c * p->target_cnt + i].burst = most;
	}
}

/*
 * Plans one period for all targets of a CPU, because the targets that the outermost target calls
 * are measured if and only if the outermost target is measured. Divides the quota of measured runs
 * among the targets in proportion to their runs.
 */
static void plan_total(struct budget *th, int c, __u64 elapsed_ns)
{
	struct thinning_target *t = th->plans.target + c * th->plans.target_cnt,
			       *total = &th->total[c];

	total->seen = total->measured = 0;
	for (int i = 0; i < th->plans.target_cnt; i++) {
		total->seen += t[i].seen;
		total->measured += t[i].measured;
	}
	thinning__plan(&th->plans.cpu[c], total, 1, elapsed_ns, th->wait_ns);
	for (int i = 0; i < th->plans.target_cnt; i++) {
		t[i].rate = total->rate;
		if (t[i].seen || t[i].burst)
			t[i].burst = total->burst;
		t[i].period = total->period;
		t[i].quota = (double)total->quota * (t[i].seen + 1) /
			     (total->seen + th->plans.target_cnt);
	}
}

/*
 * Adjusts all probes. Sets th->wait_ns to the time until the next adjustment, unless this time
 * depends on how long this adjustment takes.
 */
static void plan(struct budget *th, const struct backend_env *env, __u64 elapsed_ns)
{
	for (int c = 0; c < th->plans.cpu_cnt; c++)
		th->plans.cpu[c].idle = !read_cpu(th, c * th->plans.target_cnt);
	if (th->turns)
		th->wait_ns = probe_turns__adjust(th->turns, env, &th->plans, elapsed_ns);
	share_bursts(th);
	for (int c = 0; c < th->plans.cpu_cnt; c++) {
		struct thinning_cpu *cpu = &th->plans.cpu[c];
		int first = c * th->plans.target_cnt;

		/* If no target runs on a CPU, its plan need not change. */
		if (cpu->idle && elapsed_ns && !cpu->debt_ns)
			continue;
		if (th->total)
			plan_total(th, c, elapsed_ns);
		else
			thinning__plan(cpu, th->plans.target + first, th->plans.target_cnt,
				       elapsed_ns, th->wait_ns);
		set_cpu(th, cpu, first, env->opts.follow);
	}
}

void budget__start(struct budget *th, const struct backend_env *env)
{
	__u64 now = now_ns();

	if (!th)
		return;
	th->wait_ns = thinning__min_interval(env->opts.thin_share, 0);
	if (th->turns)
		probe_turns__start(th->turns, env);
	/*
	 * If this is not the first start, the plan also compensates for the overhead that the
	 * probes added between the last adjustment and the stop.
	 */
	plan(th, env, th->last_ns ? now - th->last_ns : 0);
	th->last_ns = now;
}

void budget__stop(struct budget *th, const struct backend_env *env)
{
	if (th && th->turns)
		probe_turns__stop(th->turns, env);
}

void budget__adjust(struct budget *th, const struct backend_env *env)
{
	__u64 now = now_ns(), elapsed, begin;

	if (!th)
		return;
	elapsed = now - th->last_ns;
	/*
	 * wait_ns is longer than usual only after an adjustment that took long. Otherwise do not
	 * check the time, because the timer that calls this function may be a little early.
	 */
	if (!th->turns && th->wait_ns > thinning__min_interval(env->opts.thin_share, 0) &&
	    elapsed < th->wait_ns)
		return;
	begin = thread_cpu_ns();
	th->last_ns = now;
	plan(th, env, elapsed);
	if (!th->turns)
		th->wait_ns = thinning__min_interval(env->opts.thin_share, thread_cpu_ns() - begin);
}

__u64 budget__next_ns(const struct budget *th)
{
	return th && th->turns ? th->wait_ns : 0;
}

struct probe_turns *budget__turns(const struct budget *th)
{
	return th ? th->turns : NULL;
}
