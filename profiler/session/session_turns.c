// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Chooses which probes are attached all the time and which take turns (base/turns.h). Owns the credit
 * of the CPUs. session_slices.c has what happens in the strata of a target that takes turns.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/log.h"
#include "base/turns.h"
#include "base/util.h"
#include "session/session_thinning_priv.h"
#include "session/session_turns_priv.h"

/* In a shorter time, a few runs would look like a high rate. */
#define MIN_RATE_NS (THINNING_FIRST_ADJUST_MS * NSEC_PER_MSEC)
/* How much of the expected cost remains, in percent, if a probe adds nothing until the next look. */
#define KEPT 75
/* Once the credit is used up, probes that are attached all the time may add this part of their share. */
#define CALM_PART(share) ((share) / 2)
/* A load in bursts has some slices without runs, and ending turns costs as much as a stratum. */
#define CALM_SLICES 2

static int new_turn(const struct session_turns *st, struct turn *u)
{
	u->cpu = calloc(st->cpu_cnt + 1, sizeof(*u->cpu));
	return u->cpu ? 0 : -ENOMEM;
}

int session_turns__fit(struct session_turns *st, const struct session *s)
{
	int cnt = s->targets.cnt;
	struct turn *turn = cnt > st->cnt ? realloc(st->turn, cnt * sizeof(*turn)) : st->turn;

	if (cnt > st->cnt && !turn)
		return log_err(-ENOMEM, "out of memory");
	st->turn = turn;
	while (st->cnt < cnt) {
		struct turn *u = &st->turn[st->cnt++];

		memset(u, 0, sizeof(*u));
		if (new_turn(st, u))
			return log_err(-ENOMEM, "out of memory");
	}
	return 0;
}

int session_turns__new(const struct session *s, struct session_turns **out)
{
	struct session_turns *st = calloc(1, sizeof(*st));
	int err;

	*out = NULL;
	if (!st)
		return log_err(-ENOMEM, "out of memory");
	st->cpu_cnt = s->env.cpus.cnt;
	st->cpu_limit = s->env.cpu_limit;
	st->plan = (struct turns){.share = s->env.opts.thin_share};
	if (getrandom(&st->plan.random, sizeof(st->plan.random), 0) < 0)
		st->plan.random = now_ns();
	st->credit_ns = calloc(st->cpu_cnt + 1, sizeof(*st->credit_ns));
	err = st->credit_ns ? session_turns__fit(st, s) : log_err(-ENOMEM, "out of memory");
	if (err) {
		session_turns__free(st);
		return err;
	}
	for (int c = 0; c < st->cpu_cnt; c++)
		st->credit_ns[c] = turns__first_credit(turns__steady_share(&st->plan, 0));
	*out = st;
	return 0;
}

void session_turns__free(struct session_turns *st)
{
	if (!st)
		return;
	for (int i = 0; i < st->cnt; i++)
		free(st->turn[i].cpu);
	free(st->turn);
	free(st->credit_ns);
	free(st);
}

/* ---- who takes turns ---- */

static bool is_steady(const struct session_turns *st, const struct session *s, int target)
{
	return !st->turn[target].takes && s->targets.v[target].backend->ops->probe_stat &&
	       !s->targets.v[target].frozen;
}

/* Returns the expected cost on a CPU of all probes that are attached all the time. */
static __u64 steady_cost(const struct session_turns *st, const struct session *s, int c)
{
	__u64 sum = 0;

	for (int i = 0; i < st->cnt; i++)
		if (is_steady(st, s, i))
			sum += st->turn[i].cpu[c].cost;
	return sum;
}

static int find_dearest(const struct session_turns *st, const struct session *s, int c)
{
	int dearest = -1;

	for (int i = 0; i < st->cnt; i++)
		if (is_steady(st, s, i) && st->turn[i].cpu[c].cost &&
		    (dearest < 0 || st->turn[i].cpu[c].cost > st->turn[dearest].cpu[c].cost))
			dearest = i;
	return dearest;
}

/* From now on, a probe that has been attached all the time takes turns. */
static void begin_turns(struct session_turns *st, const struct session *s, int target)
{
	struct turn *u = &st->turn[target];

	u->takes = true;
	u->calm = 0;
	/* What attaching took at first, until it is known what it takes in a stratum. */
	if (!u->has_rested && st->plan.attach_ns < s->targets.v[target].open_ns)
		st->plan.attach_ns = s->targets.v[target].open_ns;
	/* If its last turns ended with attaching it once more, no stratum has paid for that. */
	u->debt_ns = u->has_rested ? st->plan.attach_ns * 5 / 3 : 0;
	u->has_rested = true;
	st->taking++;
	/* Only detaching is measured now. */
	u->worked_ns = st->plan.attach_ns;
	turn__take_step(st, s, target, STEP_DETACH);
	turn__begin_stratum(st, s, target, now_ns());
}

/* Attaches a probe that has taken turns. */
static void end_turns(struct session_turns *st, const struct session *s, int target)
{
	if (turn__take_step(st, s, target, STEP_ATTACH))
		return;
	st->turn[target].takes = false;
	st->taking--;
}

/*
 * If the probes that are attached all the time have used up the CPU's credit, lets the dearest ones
 * take turns until the others are expected to add little enough.
 */
static void relieve_cpu(struct session_turns *st, const struct session *s, int c)
{
	__u64 cost = steady_cost(st, s, c);
	int target;

	if (!turns__is_spent(st->credit_ns[c]))
		return;
	while (cost > CALM_PART(turns__steady_share(&st->plan, st->taking)) &&
	       (target = find_dearest(st, s, c)) >= 0) {
		cost -= st->turn[target].cpu[c].cost;
		begin_turns(st, s, target);
	}
}

/* Returns true if the target's probe could stay attached. */
static bool is_calm(const struct session_turns *st, const struct session *s, int target)
{
	__u32 share = turns__steady_share(&st->plan, st->taking);

	for (int c = 0; c < st->cpu_cnt; c++)
		if (steady_cost(st, s, c) + st->turn[target].cpu[c].cost > CALM_PART(share) ||
		    !turns__has_reserve(st->credit_ns[c], share))
			return false;
	return true;
}

/* ---- the adjustment ---- */

/* Takes what a probe that is attached all the time has added to a CPU from the CPU's credit. */
static void note_cpu(struct session_turns *st, struct turn *u, int c,
		     const struct thinning_target *t, const struct probe_cost *cost,
		     __u64 elapsed_ns)
{
	struct turn_cpu *uc = &u->cpu[c];

	/* Of hundreds of targets, few run: do not calculate anything for the others. */
	if (!t->seen && !uc->cost)
		return;
	st->credit_ns[c] -= probe_cost__added_ns(cost, t->measured, t->seen - t->measured);
	if (!elapsed_ns)
		return;
	turns__expect(&uc->cost, t->seen * cost->skipped_ns,
		      elapsed_ns > MIN_RATE_NS ? elapsed_ns : MIN_RATE_NS, KEPT);
}

/* Notes what the probe of one target has added to each CPU. */
static void note_target(struct session_turns *st, struct session_thinning *th, int k,
			__u64 elapsed_ns)
{
	struct turn *u = &st->turn[th->index[k]];

	for (int c = 0; c < st->cpu_cnt; c++) {
		struct thinning_target *t = &th->target[c * th->target_cnt + k];

		if (u->takes)
			t->seen = t->measured = t->rate = 0;
		else
			note_cpu(st, u, c, t, &th->cpu[c].cost, elapsed_ns);
	}
}

/* Ends a stratum, and begins the next one unless the probe can stay attached from now on. */
static void take_turn(struct session_turns *st, const struct session *s, int target)
{
	struct turn *u = &st->turn[target];
	__u64 now;

	if (!turn__go_on(st, s, target))
		return;
	now = now_ns();
	turn__cut_slice(st, s, target);
	u->calm = is_calm(st, s, target) ? u->calm + 1 : 0;
	if (u->calm >= CALM_SLICES)
		end_turns(st, s, target);
	if (u->takes)
		turn__begin_stratum(st, s, target, now);
}

/* Returns the time until the next phase of a target. */
static __u64 next_turn(const struct turn *u, __u64 now)
{
	return u->next_ns > now ? u->next_ns - now : 1;
}

static bool can_take_turn(const struct session_turns *st, const struct session *s, int target)
{
	const struct turn *u = &st->turn[target];

	return u->takes && !u->suspended && !s->targets.v[target].frozen;
}

/* Returns the least credit of all CPUs. */
static __s64 least_credit(const struct session_turns *st)
{
	__s64 least = st->cpu_cnt ? st->credit_ns[0] : 0;

	for (int c = 1; c < st->cpu_cnt; c++)
		if (st->credit_ns[c] < least)
			least = st->credit_ns[c];
	return least;
}

static bool has_steady(const struct session_turns *st, const struct session *s)
{
	for (int i = 0; i < st->cnt; i++)
		if (is_steady(st, s, i))
			return true;
	return false;
}

/*
 * Notes the CPU time that the thread has taken since the last look, without attaching: waiting and
 * waking up take more than the look itself. Other work, such as showing an interval, is done between
 * few looks only, so the time rises slowly.
 */
static void note_look(struct session_turns *st)
{
	__u64 now = thread_cpu_ns();
	__u64 took = now - st->thread_ns - (st->attach_ns - st->attached_ns);
	__u64 max = st->look_ns + st->look_ns / 8;

	st->look_ns = took < max || !st->look_ns ? took : max;
	st->thread_ns = now;
	st->attached_ns = st->attach_ns;
}

/* Returns the time until anything is to be done. */
static __u64 next_look(const struct session_turns *st, const struct session *s)
{
	__u64 wait = has_steady(st, s) ? turns__lease(&st->plan, least_credit(st), st->look_ns)
				       : THINNING_ADJUST_MS * NSEC_PER_MSEC;
	__u64 now = now_ns();

	for (int i = 0; i < st->cnt; i++)
		if (can_take_turn(st, s, i) && next_turn(&st->turn[i], now) < wait)
			wait = next_turn(&st->turn[i], now);
	return wait;
}

__u64 session_turns__adjust(struct session_turns *st, const struct session *s,
			    struct session_thinning *th, __u64 elapsed_ns)
{
	__u32 share = turns__steady_share(&st->plan, st->taking);
	int taking;

	for (int k = 0; k < th->target_cnt; k++)
		note_target(st, th, k, elapsed_ns);
	for (int c = 0; c < st->cpu_cnt; c++) {
		turns__refill(&st->credit_ns[c], share, elapsed_ns);
		relieve_cpu(st, s, c);
	}
	taking = st->taking;
	for (int i = 0; i < st->cnt; i++)
		if (can_take_turn(st, s, i))
			take_turn(st, s, i);
	share = turns__steady_share(&st->plan, st->taking);
	for (int c = 0; c < st->cpu_cnt; c++) {
		th->cpu[c].share = turns__planned_share(share);
		/* The probes whose turns have ended are still set to measure what they did in slices. */
		if (st->taking < taking)
			th->cpu[c].idle = false;
	}
	note_look(st);
	return next_look(st, s);
}

void session_turns__start(struct session_turns *st, const struct session *s)
{
	__u64 now = now_ns();

	st->running = true;
	st->thread_ns = thread_cpu_ns();
	st->attached_ns = st->attach_ns;
	st->look_ns = 0;
	for (int i = 0; i < st->cnt; i++)
		if (can_take_turn(st, s, i))
			turn__begin_stratum(st, s, i, now);
}

void session_turns__stop(struct session_turns *st, const struct session *s)
{
	if (!st->running)
		return;
	st->running = false;
	for (int i = 0; i < st->cnt; i++)
		if (st->turn[i].takes && !s->targets.v[i].frozen)
			turn__cut_slice(st, s, i);
}

/* ---- what other files ask ---- */

bool session_turns__takes(const struct session_turns *st, int target)
{
	return st && target < st->cnt && st->turn[target].takes;
}

void session_turns__retire(struct session_turns *st, const struct session *s, int target)
{
	if (!session_turns__takes(st, target))
		return;
	if (st->running)
		turn__cut_slice(st, s, target);
	st->turn[target].takes = false;
	st->taking--;
}

void session_turns__suspend(struct session_turns *st, const struct session *s, int target)
{
	if (!session_turns__takes(st, target))
		return;
	turn__cut_slice(st, s, target);
	st->turn[target].suspended = true;
}

void session_turns__resume(struct session_turns *st, int target)
{
	if (session_turns__takes(st, target))
		st->turn[target].suspended = false;
}

__u64 session_turns__attach_ns(const struct session_turns *st)
{
	return st ? st->attach_ns : 0;
}
