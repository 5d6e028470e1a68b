// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Chooses which probes are attached all the time (the probes without turns) and which take turns
 * (budget/turns.h). Owns the share that the probes without turns may use. probe_slices.c has the
 * strata of a target that takes turns.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/util.h"
#include "budget/probe_turns_priv.h"
#include "budget/thinning.h"
#include "budget/turns.h"
#include "target/target.h"

/*
 * Turns may end, and turns of further probes need not begin, if the probes without turns take at
 * most this part of their share.
 */
#define CALM_PART(share) ((share) / 2.)
/* The probes get at least 1/LEAST_PART of the limit. */
#define LEAST_PART 4
/* At the start, the probes without turns count as if they had used this part of their share. */
#define FIRST_USED 0.8

/* Returns the part of a CPU that the probes without turns may take. */
static double steady_share(const struct probe_turns *st)
{
	return (double)turns__steady_share(&st->plan, st->taking) / THINNING_FULL_SHARE;
}

void probe_turns__fit(struct probe_turns *st, const struct backend_env *env)
{
	int cnt = env->targets->cnt;

	if (cnt > st->cnt)
		st->turn = xreallocarray(st->turn, cnt, sizeof(*st->turn));
	while (st->cnt < cnt) {
		struct turn *u = &st->turn[st->cnt++];

		memset(u, 0, sizeof(*u));
		u->cpu = xcalloc(st->cpu_cnt + 1, sizeof(*u->cpu));
	}
}

struct probe_turns *probe_turns__new(const struct backend_env *env)
{
	struct probe_turns *st = xcalloc(1, sizeof(*st));

	st->cpu_cnt = env->cpus.cnt;
	st->plan = (struct turns){.share = env->opts.thin_share};
	if (getrandom(&st->plan.random, sizeof(st->plan.random), 0) < 0)
		st->plan.random = now_ns();
	st->used = xcalloc(st->cpu_cnt + 1, sizeof(*st->used));
	probe_turns__fit(st, env);
	/* A short session must stay below the limit, too. */
	for (int c = 0; c < st->cpu_cnt; c++)
		st->used[c] = FIRST_USED * steady_share(st);
	return st;
}

static void free_turn(struct turn *u)
{
	free(u->cpu);
	free(u->sums);
	free(u->noted);
}

void probe_turns__keep(struct probe_turns *st, const bool *keep)
{
	int cnt = 0;

	for (int i = 0; i < st->cnt; i++)
		if (keep[i])
			st->turn[cnt++] = st->turn[i];
		else
			free_turn(&st->turn[i]);
	st->cnt = cnt;
}

void probe_turns__free(struct probe_turns *st)
{
	if (!st)
		return;
	for (int i = 0; i < st->cnt; i++)
		free_turn(&st->turn[i]);
	other_runs__free(&st->others);
	free(st->turn);
	free(st->used);
	free(st);
}

/* ---- who takes turns ---- */

static bool is_steady(const struct probe_turns *st, const struct backend_env *env, int target)
{
	const struct target *t = &env->targets->v[target];

	return !st->turn[target].takes && !st->turn[target].suspended &&
	       t->backend->ops->probe_stat && !t->frozen;
}

/* Returns the expected cost of all probes without turns on a CPU. */
static double steady_cost(const struct probe_turns *st, const struct backend_env *env, int c)
{
	double sum = 0;

	for (int i = 0; i < st->cnt; i++)
		if (is_steady(st, env, i))
			sum += st->turn[i].cpu[c].cost.expected;
	return sum;
}

static int find_costliest(const struct probe_turns *st, const struct backend_env *env, int c)
{
	double most = 0;
	int best = -1;

	for (int i = 0; i < st->cnt; i++)
		if (is_steady(st, env, i) && st->turn[i].cpu[c].cost.expected > most) {
			best = i;
			most = st->turn[i].cpu[c].cost.expected;
		}
	return best;
}

/* Returns true if a probe that would take turns is detached for good instead. */
static bool stays_detached(const struct backend_env *env, const struct target *t)
{
	return env->opts.attach_once && turn__is_counted(env, t);
}

/* Makes a probe that has been attached all the time take turns from now on. */
static void begin_turns(struct probe_turns *st, const struct backend_env *env, int target)
{
	const struct target *t = &env->targets->v[target];
	struct turn *u = &st->turn[target];

	u->takes = true;
	st->taking++;
	/* Use the time that the first attaching took, until the time in a stratum is known. */
	if (!u->rested_ns && st->plan.attach_ns < t->open_ns)
		st->plan.attach_ns = t->open_ns;
	turn__take_step(st, env, target, STEP_DETACH);
	turn__note_slice(st, env, target, false);
	turn__begin_stratum(st, env, target, now_ns());
	if (st->said_detached || !stays_detached(env, t))
		return;
	st->said_detached = true;
	log_warn("program %u %s runs so often that its probe is detached for good: some CPUs are "
		 "isolated, and attaching it again would interrupt all CPUs. The probes of other "
		 "such programs will also be detached. The kernel counts the runs; with "
		 "--max-overhead, the probes are attached for slices of time",
		 t->id, t->func);
}

/*
 * If the probes without turns have used up their share of the CPU, makes the most expensive of
 * these probes take turns, until the expected cost of the others is low enough.
 */
static void relieve_cpu(struct probe_turns *st, const struct backend_env *env, int c)
{
	double cost = steady_cost(st, env, c);
	int target;

	if (st->used[c] < steady_share(st))
		return;
	while (cost > CALM_PART(steady_share(st)) && (target = find_costliest(st, env, c)) >= 0) {
		cost -= st->turn[target].cpu[c].cost.expected;
		begin_turns(st, env, target);
	}
}

/* Returns true if the target's probe could stay attached. */
static bool is_calm(const struct probe_turns *st, const struct backend_env *env, int target)
{
	for (int c = 0; c < st->cpu_cnt; c++)
		if (steady_cost(st, env, c) + st->turn[target].cpu[c].cost.expected >
		    CALM_PART(steady_share(st)))
			return false;
	return true;
}

/* ---- the adjustment ---- */

/* Returns the time that a probe without turns has added to a CPU, and notes the probe's cost. */
static __u64 note_cpu(struct turn_cpu *uc, const struct thinning_target *t,
		      const struct probe_cost *cost, __u64 elapsed_ns)
{
	/* Of hundreds of targets, only few run: calculate nothing for the others. */
	if (!elapsed_ns || (!t->seen && !uc->cost.expected))
		return 0;
	turns__expect(&uc->cost, fmin((double)t->seen * cost->skipped_ns / elapsed_ns, 1),
		      elapsed_ns);
	return probe_cost__added_ns(cost, t->measured, t->seen - t->measured);
}

/* Notes the time that the probes without turns have added to a CPU. */
static void note_cpu_targets(struct probe_turns *st, struct thinning_plans *plans, int c,
			     __u64 elapsed_ns)
{
	__u64 added = 0;

	for (int k = 0; k < plans->target_cnt; k++) {
		struct thinning_target *t = &plans->target[c * plans->target_cnt + k];
		struct turn *u = &st->turn[plans->index[k]];

		if (u->takes)
			t->seen = t->measured = t->rate = 0;
		else
			added += note_cpu(&u->cpu[c], t, &plans->cpu[c].cost, elapsed_ns);
	}
	if (elapsed_ns)
		turns__use(&st->used[c], (double)added / elapsed_ns, elapsed_ns);
}

/*
 * Continues a stratum. At its end, begins the next stratum, unless the probe can stay attached from
 * now on.
 */
static void take_turn(struct probe_turns *st, const struct backend_env *env, int target)
{
	struct turn *u = &st->turn[target];
	__u64 now;

	if (!turn__go_on(st, env, target))
		return;
	now = now_ns();
	turn__cut_slice(st, env, target);
	if (is_calm(st, env, target) && !turn__take_step(st, env, target, STEP_ATTACH)) {
		u->takes = false;
		st->taking--;
	} else {
		turn__begin_stratum(st, env, target, now);
	}
}

/* Returns the time until the next phase of a target. */
static __u64 next_turn(const struct turn *u, __u64 now)
{
	return u->next_ns > now ? u->next_ns - now : 1;
}

static bool can_take_turn(const struct probe_turns *st, const struct backend_env *env, int target)
{
	const struct turn *u = &st->turn[target];

	if (stays_detached(env, &env->targets->v[target]))
		return false;
	return u->takes && !u->suspended && !env->targets->v[target].frozen;
}

static bool has_steady(const struct probe_turns *st, const struct backend_env *env)
{
	for (int i = 0; i < st->cnt; i++)
		if (is_steady(st, env, i))
			return true;
	return false;
}

/*
 * Notes in st->look_ns the CPU time of a look, which is one check of the probes: the time that the
 * thread has taken since the last look, without the time for attaching. It includes waiting and
 * waking up, which take more time than the check itself. Other work, such as showing an interval,
 * happens only between few looks, so st->look_ns rises slowly.
 */
static void note_look(struct probe_turns *st)
{
	__u64 now = thread_cpu_ns();
	__u64 took = now - st->thread_ns - (st->attach_ns - st->attached_ns);
	__u64 max = st->look_ns + st->look_ns / 8;

	st->look_ns = took < max || !st->look_ns ? took : max;
	st->thread_ns = now;
	st->attached_ns = st->attach_ns;
}

/* Returns the time until the next step is due. */
static __u64 next_look(const struct probe_turns *st, const struct backend_env *env)
{
	__u64 wait, now;
	double most = 0;

	/*
	 * The lease depends on the CPU on which the probes without turns have left the smallest
	 * part of their share.
	 */
	for (int c = 0; c < st->cpu_cnt; c++)
		most = fmax(most, st->used[c]);
	wait = has_steady(st, env) ? turns__lease(&st->plan, steady_share(st) - most, st->look_ns)
				   : THINNING_ADJUST_MS * NSEC_PER_MSEC;
	now = now_ns();
	for (int i = 0; i < st->cnt; i++)
		if (can_take_turn(st, env, i) && next_turn(&st->turn[i], now) < wait)
			wait = next_turn(&st->turn[i], now);
	return wait;
}

/*
 * Returns the share of a CPU that run statistics take, in millionths, on the CPU where they take most.
 * It is not known on which CPUs the programs that are not measured run. So assumes the worst case: all
 * on this CPU.
 */
static __u32 stats_share(const struct probe_turns *st, const struct backend_env *env)
{
	double most = 0;

	for (int c = 0; c < st->cpu_cnt; c++) {
		double sum = 0;

		for (int i = 0; i < st->cnt; i++) {
			const struct turn_cost *cost = &st->turn[i].cpu[c].cost;
			const struct target *t = &env->targets->v[i];

			if (cost->expected && !t->frozen && turn__is_counted(env, t))
				sum += cost->expected / turn__skipped_ns(env, i, c);
		}
		most = fmax(most, sum * env->stats_cost.added_ns);
	}
	most += st->others.per_ns * env->stats_cost.added_ns;
	return fmin(most, 1) * THINNING_FULL_SHARE;
}

__u64 probe_turns__adjust(struct probe_turns *st, const struct backend_env *env,
			  struct thinning_plans *plans, __u64 elapsed_ns)
{
	__u32 limit = env->opts.thin_share, stats, share;
	int taking;

	for (int c = 0; c < st->cpu_cnt; c++) {
		note_cpu_targets(st, plans, c, elapsed_ns);
		relieve_cpu(st, env, c);
	}
	if (env->runs_counted)
		other_runs__update(&st->others, env, now_ns());
	/* Run statistics count towards the limit. The probes get the rest, but not too little. */
	stats = stats_share(st, env);
	st->plan.share = stats + limit / LEAST_PART < limit ? limit - stats : limit / LEAST_PART;
	taking = st->taking;
	for (int i = 0; i < st->cnt; i++)
		if (can_take_turn(st, env, i))
			take_turn(st, env, i);
	share = turns__steady_share(&st->plan, st->taking);
	for (int c = 0; c < st->cpu_cnt; c++) {
		plans->cpu[c].share = turns__planned_share(share);
		/*
		 * The probes whose turns have ended still have the periods of their slices: plan
		 * each CPU anew.
		 */
		if (st->taking < taking)
			plans->cpu[c].idle = false;
	}
	note_look(st);
	return next_look(st, env);
}

void probe_turns__start(struct probe_turns *st, const struct backend_env *env)
{
	__u64 now = now_ns();

	st->running = true;
	st->thread_ns = thread_cpu_ns();
	st->attached_ns = st->attach_ns;
	st->look_ns = 0;
	for (int i = 0; i < st->cnt; i++)
		if (can_take_turn(st, env, i))
			turn__begin_stratum(st, env, i, now);
}

void probe_turns__stop(struct probe_turns *st, const struct backend_env *env)
{
	if (!st->running)
		return;
	st->running = false;
	for (int i = 0; i < st->cnt; i++)
		if (st->turn[i].takes && !env->targets->v[i].frozen)
			turn__cut_slice(st, env, i);
}

/* ---- queries by other files ---- */

bool probe_turns__any(const struct probe_turns *st)
{
	return st && st->taking;
}

bool probe_turns__takes(const struct probe_turns *st, int target)
{
	return st && target < st->cnt && st->turn[target].takes;
}

void probe_turns__retire(struct probe_turns *st, const struct backend_env *env, int target)
{
	if (!probe_turns__takes(st, target))
		return;
	if (st->running)
		turn__cut_slice(st, env, target);
	st->turn[target].takes = false;
	st->taking--;
}

void probe_turns__suspend(struct probe_turns *st, const struct backend_env *env, int target)
{
	if (!st || target >= st->cnt)
		return;
	if (st->turn[target].takes)
		turn__cut_slice(st, env, target);
	st->turn[target].suspended = true;
}

void probe_turns__resume(struct probe_turns *st, int target)
{
	if (st && target < st->cnt)
		st->turn[target].suspended = false;
}

struct slice_sums **probe_turns__read_slices(const struct probe_turns *st,
					     const struct backend_env *env)
{
	const int rows = slice_sums__rows(env->cpus.cnt, backend_env__part_cnt(env));
	struct slice_sums **sums = st ? xcalloc(st->cnt + 1, sizeof(*sums)) : NULL;

	for (int i = 0; st && i < st->cnt; i++) {
		if (!st->turn[i].sums)
			continue;
		sums[i] = xcalloc(rows, sizeof(**sums));
		memcpy(sums[i], st->turn[i].sums, rows * sizeof(**sums));
	}
	return sums;
}

double probe_turns__other_runs(const struct probe_turns *st)
{
	return st ? st->others.per_ns : 0;
}

__u64 probe_turns__attach_ns(const struct probe_turns *st)
{
	return st ? st->attach_ns : 0;
}
