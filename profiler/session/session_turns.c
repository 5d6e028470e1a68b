// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Applies the plans of turns.c to the probes: attaches and detaches them, and keeps for each target
 * what was seen in its strata. Owns which targets take turns. Must not know how long slices are, or
 * how runs are estimated from them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/log.h"
#include "base/turns.h"
#include "base/util.h"
#include "host/cpu_idle.h"
#include "session/session_thinning_priv.h"
#include "session/session_turns.h"

/* The guess of what attaching and detaching a probe takes, until it is known. */
#define FIRST_ATTACH_NS (2 * NSEC_PER_MSEC)
/* In a shorter time, a few runs would look like a high rate. */
#define MIN_RATE_NS (THINNING_FIRST_ADJUST_MS * NSEC_PER_MSEC)
/*
 * How much of the expected cost remains, in percent, if a probe adds nothing: at one look, of which
 * there are ten or more in a second, and in one slice, of which there is about one. If a slice sees
 * no runs, the probe may stay attached: the credit bounds what a burst adds then.
 */
#define KEPT 75
#define KEPT_OF_SLICE 0
/* Probes that are attached all the time may be expected to add at most this part of their share. */
#define FULL_PART(share) ((share) / 3 * 2)
/* A target ends its turns if these probes and its own would be expected to add less than this. */
#define CALM_PART(share) ((share) / 2)
/*
 * The idle times have a resolution of 10 ms: a share of a shorter time says little, and that of a
 * longer one says little of the present.
 */
#define MIN_IDLE_NS (100 * NSEC_PER_MSEC)
#define MAX_IDLE_NS (1000 * NSEC_PER_MSEC)

/* A target on one CPU. */
struct turn_cpu {
	__u32 cost;	  /* expected share that counting adds while the probe is attached */
	__u64 begin_seen; /* runs seen when the stratum began */
	/* the runs seen and measured: when the slice began, or in the slice, which has ended */
	__u64 slice_seen, slice_measured;
	struct turn_seen seen; /* the slice that has ended */
	struct turn_estimate estimate;
	__u64 shown; /* the highest estimate that was reported */
};

/*
 * The phases of a stratum. Loading the probe takes the CPU from a load of the same CPU, which then
 * catches up; so bprof pauses for as long as it has worked, before it attaches the probe, and before
 * the slice begins.
 */
enum turn_phase { TURN_RESTING, TURN_LOADED, TURN_ATTACHED, TURN_IN_SLICE, TURN_OVER };

struct turn {
	bool takes; /* it takes turns; otherwise its probe stays attached */
	enum turn_phase phase;
	__u64 next_ns;	 /* when the present phase ends */
	bool suspended;	 /* its program must not be held now */
	__u64 begin_ns;	 /* when its stratum began */
	__u64 slice_ns;	 /* when its slice began */
	__u64 worked_ns; /* CPU time for loading, attaching and detaching it in this stratum */
	__u64 debt_ns;	 /* what its slices added beyond their budget */
	struct turn_stratum plan;
	struct turn_seen seen;	    /* the slice that has ended, on all CPUs together */
	struct turn_cpu *cpu;	    /* indexed as the session's CPUs */
	struct turn_estimate whole; /* of all CPUs together */
};

struct session_turns {
	struct turns plan;
	int cpu_cnt, cpu_limit;
	int cnt; /* number of elements of "turn", which is indexed as the session's targets */
	struct turn *turn;
	int taking;	  /* number of targets that take turns */
	__s64 *credit_ns; /* of each CPU */
	struct cpu_idle *idle;
	/*
	 * Of each CPU, by id: its idle time since boot, at idle_at_ns and at the last look, and the
	 * part of the time between for which it was idle.
	 */
	__u64 *idle_from_ns, *idle_ns, idle_at_ns;
	double *idle_share;
	__u64 attach_ns; /* CPU time that attaching and detaching has taken in all */
	bool running;
	bool warned;
};

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
	int err = -ENOMEM;

	*out = NULL;
	if (!st)
		return log_err(-ENOMEM, "out of memory");
	st->cpu_cnt = s->env.cpus.cnt;
	st->cpu_limit = s->env.cpu_limit;
	st->plan = (struct turns){.share = s->env.opts.thin_share, .attach_ns = FIRST_ATTACH_NS};
	if (getrandom(&st->plan.random, sizeof(st->plan.random), 0) < 0)
		st->plan.random = now_ns();
	st->plan.random |= 1;
	st->credit_ns = calloc(st->cpu_cnt + 1, sizeof(*st->credit_ns));
	st->idle_from_ns = calloc(st->cpu_limit + 1, sizeof(*st->idle_from_ns));
	st->idle_ns = calloc(st->cpu_limit + 1, sizeof(*st->idle_ns));
	st->idle_share = calloc(st->cpu_limit + 1, sizeof(*st->idle_share));
	if (st->credit_ns && st->idle_from_ns && st->idle_ns && st->idle_share)
		err = cpu_idle__open(st->cpu_limit, &st->idle);
	err = err ? log_err(err, "cannot read the idle times of CPUs: %s", strerror(-err))
		  : session_turns__fit(st, s);
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
	free(st->idle_from_ns);
	free(st->idle_ns);
	free(st->idle_share);
	cpu_idle__close(st->idle);
	free(st);
}

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

static __u64 added_ns(const struct probe_cost *cost, __u64 seen, __u64 measured)
{
	return (seen - measured) * cost->skipped_ns + measured * cost->measured_ns;
}

/* ---- strata and slices ---- */

/* Returns the highest cost of all CPUs of a probe that also measures runs in its slices. */
static __u32 slice_cost(const struct session_turns *st, const struct turn *u)
{
	__u32 max = 0;

	for (int c = 0; c < st->cpu_cnt; c++)
		if (u->cpu[c].cost > max)
			max = u->cpu[c].cost;
	/* In a slice, measuring adds as much as counting (set_slice_period()). */
	return max < THINNING_FULL_SHARE / 2 ? 2 * max : THINNING_FULL_SHARE;
}

static void begin_stratum(struct session_turns *st, const struct session *s, int target, __u64 now)
{
	struct turn *u = &st->turn[target];
	__u64 measured;

	u->begin_ns = now;
	u->phase = TURN_RESTING;
	turns__plan(&st->plan, slice_cost(st, u), st->taking, u->debt_ns, &u->plan);
	u->next_ns = now + u->plan.begin_ns;
	for (int c = 0; c < st->cpu_cnt; c++)
		u->cpu[c].begin_seen = session_thinning__seen(find_stat(s, target, c), &measured);
}

/* Chooses how many runs are measured in a slice: so many that they add as much as counting. */
static void set_slice_period(const struct probe_cost *cost, struct bprof_cpu_stat *stat)
{
	__u64 extra = cost->measured_ns - cost->skipped_ns;

	stat->period = stat->over_period = (extra / cost->skipped_ns) | 1;
	stat->quota = ~0ULL;
	if (stat->countdown >= stat->period)
		stat->countdown = stat->period - 1;
}

enum attach_step { STEP_LOAD, STEP_ATTACH, STEP_DETACH };

/*
 * Takes a step of attaching or detaching, and notes how much CPU time it takes. Warns once if it
 * fails.
 */
static int take_step(struct session_turns *st, const struct session *s, int target,
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

/* Ends a phase. The next one lasts as long as this work, which began at begin_ns, has taken. */
static void pause_after(struct turn *u, enum turn_phase phase, __u64 begin_ns)
{
	__u64 now = now_ns();

	u->phase = phase;
	u->next_ns = now + (now - begin_ns);
}

/* Without a slice, the stratum lasts as planned. */
static void give_up_slice(struct turn *u)
{
	u->phase = TURN_OVER;
	u->next_ns = u->begin_ns + u->plan.length_ns;
}

static void load_probe(struct session_turns *st, const struct session *s, int target)
{
	struct turn *u = &st->turn[target];
	__u64 now = now_ns();

	u->worked_ns = 0;
	if (take_step(st, s, target, STEP_LOAD))
		give_up_slice(u);
	else
		pause_after(u, TURN_LOADED, now);
}

static void attach_probe(struct session_turns *st, const struct session *s, int target)
{
	struct turn *u = &st->turn[target];
	__u64 now = now_ns();

	for (int c = 0; c < st->cpu_cnt; c++)
		set_slice_period(find_cost(s, target, c), find_stat(s, target, c));
	if (take_step(st, s, target, STEP_ATTACH))
		give_up_slice(u);
	else
		pause_after(u, TURN_ATTACHED, now);
}

static void begin_slice(struct session_turns *st, const struct session *s, int target)
{
	struct turn *u = &st->turn[target];

	for (int c = 0; c < st->cpu_cnt; c++)
		u->cpu[c].slice_seen =
			session_thinning__seen(find_stat(s, target, c), &u->cpu[c].slice_measured);
	u->slice_ns = now_ns();
	u->phase = TURN_IN_SLICE;
	u->next_ns = u->slice_ns + u->plan.slice_ns;
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
	__u64 added = added_ns(cost, uc->slice_seen, uc->slice_measured);

	turns__expect(&uc->cost, uc->slice_seen * cost->skipped_ns, u->seen.slice_ns,
		      KEPT_OF_SLICE);
	uc->seen = (struct turn_seen){.slice_ns = u->seen.slice_ns};
	turns__see(&uc->seen, uc->slice_seen, added, st->idle_share[s->env.cpus.id[c]]);
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
	take_step(st, s, target, STEP_DETACH);
	u->debt_ns = u->debt_ns + added > budget ? u->debt_ns + added - budget : 0;
	/* follows a higher number at once, and falls by an eighth at a time */
	st->plan.attach_ns -= st->plan.attach_ns / 8;
	if (u->worked_ns > st->plan.attach_ns)
		st->plan.attach_ns = u->worked_ns;
	give_up_slice(u);
}

/* Ends what has begun of a slice before its time. */
static void cut_slice(struct session_turns *st, const struct session *s, int target)
{
	struct turn *u = &st->turn[target];

	if (u->phase == TURN_IN_SLICE)
		end_slice(st, s, target);
	else if (u->phase == TURN_LOADED || u->phase == TURN_ATTACHED)
		take_step(st, s, target, STEP_DETACH);
	give_up_slice(u);
}

/* Returns what was seen in the present stratum until now: on a CPU, or on all (c is -1). */
static struct turn_seen see_stratum(const struct session_turns *st, const struct session *s,
				    int target, int c, __u64 now)
{
	const struct turn *u = &st->turn[target];
	struct turn_seen seen = c < 0 ? u->seen : u->cpu[c].seen;
	__u64 measured;

	/* Without a slice, the load is taken for what it was before. */
	if (!seen.slice_ns)
		seen.rate = c < 0 ? u->whole.rate : u->cpu[c].estimate.rate;
	seen.length_ns = now - u->begin_ns;
	for (int i = c < 0 ? 0 : c; i < (c < 0 ? st->cpu_cnt : c + 1); i++)
		seen.runs += session_thinning__seen(find_stat(s, target, i), &measured) -
			     u->cpu[i].begin_seen;
	return seen;
}

static void end_stratum(struct session_turns *st, const struct session *s, int target, __u64 now)
{
	struct turn *u = &st->turn[target];
	struct turn_seen seen;

	cut_slice(st, s, target);
	seen = see_stratum(st, s, target, -1, now);
	turns__estimate(&u->whole, &seen);
	for (int c = 0; c < st->cpu_cnt; c++) {
		seen = see_stratum(st, s, target, c, now);
		turns__estimate(&u->cpu[c].estimate, &seen);
		u->cpu[c].seen = (struct turn_seen){};
	}
	u->seen = (struct turn_seen){};
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

/* Detaches a probe that has been attached all the time: from now on it takes turns. */
static void begin_turns(struct session_turns *st, const struct session *s, int target)
{
	struct turn *u = &st->turn[target];

	take_step(st, s, target, STEP_DETACH);
	u->takes = true;
	/* Its last turns ended with attaching it once more, which no stratum has paid for. */
	u->debt_ns = st->plan.attach_ns * 5 / 3;
	st->taking++;
	begin_stratum(st, s, target, now_ns());
}

/* Attaches a probe that has taken turns. */
static void end_turns(struct session_turns *st, const struct session *s, int target)
{
	if (take_step(st, s, target, STEP_ATTACH))
		return;
	st->turn[target].takes = false;
	st->taking--;
}

/*
 * Lets the dearest probes take turns until the others are expected to add little enough to a CPU. If
 * they have used up the CPU's credit in a burst, they must add even less from now on.
 */
static void relieve_cpu(struct session_turns *st, const struct session *s, int c)
{
	__u32 share = turns__steady_share(&st->plan, st->taking);
	__u64 max = turns__lease(&st->plan, st->credit_ns[c], 0) ? FULL_PART(share)
								 : CALM_PART(share);
	__u64 cost = steady_cost(st, s, c);
	int target;

	while (cost > max && (target = find_dearest(st, s, c)) >= 0) {
		cost -= st->turn[target].cpu[c].cost;
		begin_turns(st, s, target);
		/* With the first one, the slices need their part of the share. */
		share = turns__steady_share(&st->plan, st->taking);
		if (max > FULL_PART(share))
			max = FULL_PART(share);
	}
}

/* Returns true if the target's probe could stay attached. */
static bool is_calm(const struct session_turns *st, const struct session *s, int target)
{
	__u32 share = turns__steady_share(&st->plan, st->taking);

	for (int c = 0; c < st->cpu_cnt; c++)
		if (steady_cost(st, s, c) + st->turn[target].cpu[c].cost > CALM_PART(share) ||
		    !turns__lease(&st->plan, st->credit_ns[c], 0))
			return false;
	return true;
}

/* ---- the adjustment ---- */

/* Notes what the probe of one target has added to each CPU. */
static void note_target(struct session_turns *st, const struct session *s,
			struct session_thinning *th, int k, __u64 elapsed_ns)
{
	int target = th->index[k];
	struct turn *u = &st->turn[target];

	if (!u->takes && elapsed_ns)
		u->whole.rate = 0;
	for (int c = 0; c < st->cpu_cnt; c++) {
		struct thinning_target *t = &th->target[c * th->target_cnt + k];
		const struct probe_cost *cost = &th->cpu[c].cost;
		__u64 rate_ns = elapsed_ns > MIN_RATE_NS ? elapsed_ns : MIN_RATE_NS;

		if (u->takes) {
			t->seen = t->measured = t->rate = 0;
			continue;
		}
		if (elapsed_ns) {
			turns__expect(&u->cpu[c].cost, t->seen * cost->skipped_ns, rate_ns, KEPT);
			u->cpu[c].estimate.rate = (double)t->seen / elapsed_ns;
			u->whole.rate += u->cpu[c].estimate.rate;
		}
		st->credit_ns[c] -= added_ns(cost, t->seen, t->measured);
	}
}

/* Goes on to the next phase of a target's stratum, or to its next stratum, if it is time. */
static void take_turn(struct session_turns *st, const struct session *s, int target)
{
	struct turn *u = &st->turn[target];
	__u64 now = now_ns();

	if (now < u->next_ns)
		return;
	switch (u->phase) {
	case TURN_RESTING:
		load_probe(st, s, target);
		return;
	case TURN_LOADED:
		attach_probe(st, s, target);
		return;
	case TURN_ATTACHED:
		begin_slice(st, s, target);
		return;
	case TURN_IN_SLICE:
		end_slice(st, s, target);
		return;
	case TURN_OVER:
		break;
	}
	end_stratum(st, s, target, now);
	if (is_calm(st, s, target))
		end_turns(st, s, target);
	if (u->takes)
		begin_stratum(st, s, target, now);
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

__u64 session_turns__adjust(struct session_turns *st, const struct session *s,
			    struct session_thinning *th, __u64 elapsed_ns)
{
	__u64 begin = thread_cpu_ns(), wait = THINNING_ADJUST_MS * NSEC_PER_MSEC, now;
	__u32 share = turns__steady_share(&st->plan, st->taking);
	__s64 credit;

	for (int k = 0; k < th->target_cnt; k++)
		note_target(st, s, th, k, elapsed_ns);
	for (int c = 0; c < st->cpu_cnt; c++) {
		turns__settle(&st->credit_ns[c], share, elapsed_ns, 0);
		relieve_cpu(st, s, c);
	}
	begin = thread_cpu_ns() - begin;
	for (int i = 0; i < st->cnt; i++)
		if (can_take_turn(st, s, i))
			take_turn(st, s, i);
	credit = st->cpu_cnt ? st->credit_ns[0] : 0;
	share = turns__steady_share(&st->plan, st->taking);
	for (int c = 0; c < st->cpu_cnt; c++) {
		th->cpu[c].share = turns__planned_share(share);
		if (st->credit_ns[c] < credit)
			credit = st->credit_ns[c];
	}
	wait = turns__lease(&st->plan, credit, begin) ?: NSEC_PER_MSEC;
	now = now_ns();
	for (int i = 0; i < st->cnt; i++)
		if (can_take_turn(st, s, i) && next_turn(&st->turn[i], now) < wait)
			wait = next_turn(&st->turn[i], now);
	return wait;
}

void session_turns__start(struct session_turns *st, const struct session *s)
{
	__u64 now = now_ns();

	st->running = true;
	st->idle_at_ns = now;
	cpu_idle__read(st->idle, st->idle_from_ns);
	for (int i = 0; i < st->cnt; i++)
		if (can_take_turn(st, s, i))
			begin_stratum(st, s, i, now);
}

void session_turns__stop(struct session_turns *st, const struct session *s)
{
	__u64 now = now_ns();

	if (!st->running)
		return;
	st->running = false;
	for (int i = 0; i < st->cnt; i++)
		if (st->turn[i].takes && !s->targets.v[i].frozen)
			end_stratum(st, s, i, now);
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
	cut_slice(st, s, target);
	st->turn[target].takes = false;
	st->taking--;
}

void session_turns__suspend(struct session_turns *st, const struct session *s, int target)
{
	if (!session_turns__takes(st, target))
		return;
	cut_slice(st, s, target);
	st->turn[target].suspended = true;
}

void session_turns__resume(struct session_turns *st, int target)
{
	if (session_turns__takes(st, target))
		st->turn[target].suspended = false;
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
		turns__estimate(&e, &seen);
	}
	return e;
}

/* One slice does not show how much they differ: the error may then be as large as the estimate. */
static void set_error(struct counts *row, const struct turn_estimate *e)
{
	double variance = e->strata == 1 ? e->runs * e->runs : e->variance;

	row->error = (struct counts_error){variance, e->squares, e->skew};
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
		set_error(&rows[c], &e);
	}
	e = estimate_now(st, s, target, -1, now);
	set_error(&rows[st->cpu_cnt], &e);
}

__u64 session_turns__mark(const struct session_turns *st, int target)
{
	/* The estimate grows with time. */
	return session_turns__takes(st, target) ? now_ns() : 0;
}

__u64 session_turns__attach_ns(const struct session_turns *st)
{
	return st ? st->attach_ns : 0;
}
