// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The strata of the targets that take turns: loads, attaches and detaches a target's probe for its
 * slice, and keeps what was seen. Owns the phases of a stratum. Must not know which targets take
 * turns, or how long slices are.
 */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/turns.h"
#include "base/util.h"
#include "host/cpu_idle.h"
#include "session/session_thinning_priv.h"
#include "session/session_turns_priv.h"

/*
 * The idle times have a resolution of 10 ms: a share of a shorter time says little, and that of a
 * longer one says little of the present.
 */
#define MIN_IDLE_NS (100 * NSEC_PER_MSEC)
#define MAX_IDLE_NS (1000 * NSEC_PER_MSEC)

/*
 * Measuring runs in a slice adds at most 1/MEASURING_PART of what counting adds. The less a probe slows
 * down its target, the better is the estimate.
 */
#define MEASURING_PART 4

/*
 * The slice with which turns begin is paid for by a longer first stratum. So it is not longer than it
 * needs to be to show the rate, but spans several periods of a load with 1 kHz.
 */
#define FIRST_SLICE_NS (2 * NSEC_PER_MSEC)
#define FIRST_SLICE_PART 4

static struct bprof_cpu_stat *find_stat(const struct session *s, int target, int cpu)
{
	const struct target *t = &s->targets.v[target];

	return t->backend->ops->probe_stat(t, s->env.cpus.id[cpu]);
}

static const struct probe_cost *find_cost(const struct session *s, int target, int cpu)
{
	const struct backend *b = s->targets.v[target].backend;

	return b->ops->probe_cost(b->state, s->env.cpus.id[cpu]);
}

/* Returns the highest cost of all CPUs of a probe that also measures runs in its slices. */
static __u32 slice_cost(const struct session_turns *st, const struct turn *u)
{
	__u32 max = 0;

	for (int c = 0; c < st->cpu_cnt; c++)
		if (u->cpu[c].cost > max)
			max = u->cpu[c].cost;
	max += max / MEASURING_PART;
	return max < THINNING_FULL_SHARE ? max : THINNING_FULL_SHARE;
}

void turn__begin_stratum(struct session_turns *st, const struct session *s, int target, __u64 now)
{
	struct turn *u = &st->turn[target];
	__u64 measured;

	u->first = false;
	u->begin_ns = now;
	u->phase = TURN_RESTING;
	turns__plan(&st->plan, slice_cost(st, u), st->taking, u->debt_ns, &u->plan);
	u->next_ns = now + u->plan.begin_ns;
	for (int c = 0; c < st->cpu_cnt; c++)
		u->cpu[c].begin_seen = session_thinning__seen(find_stat(s, target, c), &measured);
}

/* Chooses how many runs are measured in a slice. */
static void set_slice_period(const struct probe_cost *cost, struct bprof_cpu_stat *stat)
{
	__u64 extra = cost->measured_ns - cost->skipped_ns;

	stat->period = stat->over_period = (MEASURING_PART * extra / cost->skipped_ns) | 1;
	stat->quota = ~0ULL;
	if (stat->countdown >= stat->period)
		stat->countdown = stat->period - 1;
}

/*
 * Takes a step of attaching or detaching, and notes how much CPU time it takes. Warns once if it
 * fails.
 */
int turn__take_step(struct session_turns *st, const struct session *s, int target,
		    enum attach_step step)
{
	struct target *t = &s->targets.v[target];
	const struct backend *b = t->backend;
	__u64 begin = thread_cpu_ns();
	struct reason reason = {};
	char why[512];
	int err = 0;

	if (step == STEP_LOAD)
		err = b->ops->preload(b->state, t, &reason);
	else if (step == STEP_ATTACH)
		err = b->ops->reattach(b->state, t, &reason);
	else
		b->ops->detach(t);
	if (err && !st->warned) {
		st->warned = true;
		log_warn("program %u: its probe cannot be attached again: %s; its runs are "
			 "estimated from the earlier ones",
			 t->id, reason__describe(&reason, why, sizeof(why)));
	}
	begin = thread_cpu_ns() - begin;
	st->attach_ns += begin;
	st->turn[target].worked_ns += begin;
	return err;
}

/* Without a slice, the stratum lasts as planned. */
static void give_up_slice(struct turn *u)
{
	u->phase = TURN_OVER;
	u->next_ns = u->begin_ns + u->plan.length_ns;
}

/*
 * Takes a step, and begins a phase that lasts as long as the step has taken, and a random time: bprof
 * may have waited for the end of a burst of runs before the step, and the slice would keep step with
 * the bursts.
 */
static void take_step_and_pause(struct session_turns *st, const struct session *s, int target,
				enum attach_step step, enum turn_phase phase)
{
	struct turn *u = &st->turn[target];
	__u64 begin = now_ns(), end;

	if (turn__take_step(st, s, target, step)) {
		give_up_slice(u);
		return;
	}
	end = now_ns();
	u->phase = phase;
	u->next_ns = end + (end - begin) + turns__random_pause(&st->plan);
}

static void begin_slice(struct session_turns *st, const struct session *s, int target)
{
	struct turn *u = &st->turn[target];

	/* The clock is read before the counts, as at the end: with many CPUs, reading takes some time. */
	u->slice_ns = now_ns();
	for (int c = 0; c < st->cpu_cnt; c++)
		u->cpu[c].slice_seen =
			session_thinning__seen(find_stat(s, target, c), &u->cpu[c].slice_measured);
	u->phase = TURN_IN_SLICE;
	u->next_ns = u->slice_ns + u->plan.slice_ns;
}

/*
 * The probe is attached, and the load is what made it take turns: no slice says more of how high the
 * rate of runs may be. But it is at no random time, so it is a stratum of its own, and its rate is
 * only what the next slice is compared with.
 */
void turn__begin_with_slice(struct session_turns *st, const struct session *s, int target)
{
	struct turn *u = &st->turn[target];

	turn__begin_stratum(st, s, target, now_ns());
	u->first = true;
	u->plan.begin_ns = 0;
	u->plan.slice_ns /= FIRST_SLICE_PART;
	if (u->plan.slice_ns < FIRST_SLICE_NS)
		u->plan.slice_ns = FIRST_SLICE_NS;
	u->plan.length_ns = u->plan.slice_ns;
	/* Only detaching is measured now. */
	u->worked_ns = st->plan.attach_ns;
	for (int c = 0; c < st->cpu_cnt; c++)
		set_slice_period(find_cost(s, target, c), find_stat(s, target, c));
	begin_slice(st, s, target);
}

/* Finds out for which part of the last second each CPU was idle. */
static void look_at_idle(struct session_turns *st)
{
	__u64 now = now_ns(), ns = now - st->idle_at_ns;

	if (cpu_idle__read(st->idle, st->idle_ns) || ns < MIN_IDLE_NS)
		return;
	for (int cpu = 0; cpu < st->cpu_limit; cpu++)
		st->idle_share[cpu] = (double)(st->idle_ns[cpu] - st->idle_from_ns[cpu]) / ns;
	if (ns < MAX_IDLE_NS)
		return;
	memcpy(st->idle_from_ns, st->idle_ns, st->cpu_limit * sizeof(*st->idle_ns));
	st->idle_at_ns = now;
}

/* Reads what was seen in a slice that ends now. */
static void read_slice(struct session_turns *st, const struct session *s, int target)
{
	struct turn *u = &st->turn[target];

	u->seen.slice_ns = now_ns() - u->slice_ns;
	for (int c = 0; c < st->cpu_cnt; c++) {
		struct turn_cpu *uc = &u->cpu[c];
		__u64 measured;

		uc->slice_seen =
			session_thinning__seen(find_stat(s, target, c), &measured) - uc->slice_seen;
		uc->slice_measured = measured - uc->slice_measured;
	}
	look_at_idle(st);
}

/* Evaluates what was seen of a CPU in a slice, and returns what the probe added there. */
static __u64 see_cpu(struct session_turns *st, const struct session *s, int target, int c)
{
	struct turn *u = &st->turn[target];
	struct turn_cpu *uc = &u->cpu[c];
	const struct probe_cost *cost = find_cost(s, target, c);
	__u64 added =
		probe_cost__added_ns(cost, uc->slice_measured, uc->slice_seen - uc->slice_measured);

	/*
	 * If a slice sees no runs, nothing is kept of the expected cost, so that the probe may stay
	 * attached: the credit bounds what a burst adds then.
	 */
	turns__expect(&uc->cost, uc->slice_seen * cost->skipped_ns, u->seen.slice_ns, 0);
	uc->seen = (struct turn_seen){.slice_ns = u->seen.slice_ns};
	turns__see(&uc->seen, &uc->estimate, uc->slice_seen, added,
		   st->idle_share[s->env.cpus.id[c]]);
	u->seen.raw += uc->seen.raw;
	u->seen.rate += uc->seen.rate;
	u->seen.skew += uc->seen.skew;
	return added;
}

static void end_slice(struct session_turns *st, const struct session *s, int target)
{
	struct turn *u = &st->turn[target];
	__u64 added = 0, budget = turns__budget(&st->plan, st->taking, u->plan.length_ns);

	read_slice(st, s, target);
	for (int c = 0; c < st->cpu_cnt; c++) {
		__u64 on_cpu = see_cpu(st, s, target, c);

		if (on_cpu > added)
			added = on_cpu;
	}
	turn__take_step(st, s, target, STEP_DETACH);
	u->debt_ns = u->debt_ns + added > budget ? u->debt_ns + added - budget : 0;
	/* follows a higher number at once, and falls by an eighth at a time */
	st->plan.attach_ns -= st->plan.attach_ns / 8;
	if (u->worked_ns > st->plan.attach_ns)
		st->plan.attach_ns = u->worked_ns;
	give_up_slice(u);
}

/* Ends what has begun of a slice before its time. */
void turn__cut_slice(struct session_turns *st, const struct session *s, int target)
{
	struct turn *u = &st->turn[target];

	if (u->phase == TURN_IN_SLICE)
		end_slice(st, s, target);
	else if (u->phase == TURN_LOADED || u->phase == TURN_ATTACHED)
		turn__take_step(st, s, target, STEP_DETACH);
	give_up_slice(u);
}

/* Returns what was seen in the present stratum until now: on a CPU, or on all (c is -1). */
static struct turn_seen see_stratum(const struct session_turns *st, const struct session *s,
				    int target, int c, __u64 now)
{
	const struct turn *u = &st->turn[target];
	struct turn_seen seen = c < 0 ? u->seen : u->cpu[c].seen;
	__u64 measured;

	seen.length_ns = now - u->begin_ns;
	for (int i = c < 0 ? 0 : c; i < (c < 0 ? st->cpu_cnt : c + 1); i++)
		seen.runs += session_thinning__seen(find_stat(s, target, i), &measured) -
			     u->cpu[i].begin_seen;
	return seen;
}

/* Adds to an estimate what was seen in a stratum of a target. */
static void add_stratum(const struct turn *u, struct turn_estimate *e, const struct turn_seen *seen,
			void (*add)(struct turn_estimate *e, const struct turn_seen *seen))
{
	if (!u->first) {
		add(e, seen);
		return;
	}
	/* On a virtual machine, the host may not have run the CPU. Then the look before says more. */
	if (seen->raw > 0)
		e->rate = seen->raw;
	e->scale = 1;
}

void turn__end_stratum(struct session_turns *st, const struct session *s, int target, __u64 now)
{
	struct turn *u = &st->turn[target];
	struct turn_seen seen;

	turn__cut_slice(st, s, target);
	seen = see_stratum(st, s, target, -1, now);
	add_stratum(u, &u->whole, &seen, turns__estimate);
	for (int c = 0; c < st->cpu_cnt; c++) {
		seen = see_stratum(st, s, target, c, now);
		add_stratum(u, &u->cpu[c].estimate, &seen, turns__estimate);
		u->cpu[c].seen = (struct turn_seen){};
	}
	u->seen = (struct turn_seen){};
}

/*
 * Goes on to the next phase of a target's stratum, if it is time. Returns true if the stratum is over.
 */
bool turn__go_on(struct session_turns *st, const struct session *s, int target)
{
	struct turn *u = &st->turn[target];

	if (now_ns() < u->next_ns)
		return false;
	switch (u->phase) {
	case TURN_RESTING:
		u->worked_ns = 0;
		take_step_and_pause(st, s, target, STEP_LOAD, TURN_LOADED);
		break;
	case TURN_LOADED:
		for (int c = 0; c < st->cpu_cnt; c++)
			set_slice_period(find_cost(s, target, c), find_stat(s, target, c));
		take_step_and_pause(st, s, target, STEP_ATTACH, TURN_ATTACHED);
		break;
	case TURN_ATTACHED:
		begin_slice(st, s, target);
		break;
	case TURN_IN_SLICE:
		end_slice(st, s, target);
		break;
	case TURN_OVER:
		return true;
	}
	return false;
}

/* Returns the estimate with the present stratum, which has not ended. */
static struct turn_estimate estimate_now(const struct session_turns *st, const struct session *s,
					 int target, int c, __u64 now)
{
	const struct turn *u = &st->turn[target];
	struct turn_estimate e = c < 0 ? u->whole : u->cpu[c].estimate;
	struct turn_seen seen;

	if (u->takes && st->running) {
		seen = see_stratum(st, s, target, c, now);
		add_stratum(u, &e, &seen, turns__estimate_open);
	}
	return e;
}

void session_turns__add_estimates(struct session_turns *st, const struct session *s, int target,
				  struct counts *rows)
{
	__u64 now = now_ns();
	struct turn_estimate e;

	if (!st || target >= st->cnt || !s->targets.v[target].backend->ops->probe_stat)
		return;
	for (int c = 0; c < st->cpu_cnt; c++) {
		struct turn_cpu *uc = &st->turn[target].cpu[c];

		e = estimate_now(st, s, target, c, now);
		if (e.runs > uc->shown)
			uc->shown = e.runs;
		rows[c].estimated = uc->shown;
		rows[c].error = e.error;
	}
	e = estimate_now(st, s, target, -1, now);
	rows[st->cpu_cnt].error = e.error;
}
