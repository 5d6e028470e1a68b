// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The strata of the targets that take turns: loads, attaches and detaches a target's probe for its
 * slice, and keeps the slice's numbers. Owns the phases of a stratum. Must not know which targets
 * take turns, or how long slices are.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/probe_stat.h"
#include "backend/snapshot.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/util.h"
#include "budget/probe_turns_priv.h"
#include "budget/thinning.h"
#include "budget/turns.h"
#include "target/target.h"

/*
 * In a slice, measuring runs adds at most 1/MEASURING_PART of the time that counting adds. The less
 * a probe adds to a run, the longer the slices are.
 */
#define MEASURING_PART 4
/* bprof concludes from about this many slices on which CPUs a target runs. */
#define KEPT_SLICES 8

static struct bprof_cpu_stat *find_stat(const struct backend_env *env, int target, int cpu)
{
	const struct target *t = &env->targets->v[target];

	return t->backend->ops->probe_stat(t, env->cpus.id[cpu]);
}

static const struct probe_cost *find_cost(const struct backend_env *env, int target, int cpu)
{
	const struct backend *b = env->targets->v[target].backend;

	return b->ops->probe_cost(b->state, env->cpus.id[cpu]);
}

__u64 turn__skipped_ns(const struct backend_env *env, int target, int cpu)
{
	return find_cost(env, target, cpu)->skipped_ns;
}

void turn__begin_stratum(struct probe_turns *st, const struct backend_env *env, int target,
			 __u64 now)
{
	struct turn *u = &st->turn[target];
	double max = 0;

	u->begin_ns = now;
	u->phase = TURN_RESTING;
	/* Plan with the probe's cost on the CPU where it is highest, plus the cost of measuring. */
	for (int c = 0; c < st->cpu_cnt; c++)
		max = fmax(max, u->cpu[c].cost.expected);
	turns__plan(&st->plan, fmin(max + max / MEASURING_PART, 1), st->taking, &u->plan);
	u->next_ns = now + u->plan.begin_ns;
}

/* Sets the period of a slice: which share of its runs the probe measures. */
static void set_slice_period(const struct probe_cost *cost, struct bprof_cpu_stat *stat)
{
	__u64 extra = cost->measured_ns - cost->skipped_ns;

	stat->period = stat->over_period = (MEASURING_PART * extra / cost->skipped_ns) | 1;
	stat->quota = ~0ULL;
	probe_stat__shorten_block(stat, stat->period);
}

bool turn__is_counted(const struct backend_env *env, const struct target *t)
{
	return env->runs_counted && !t->subprog && !env->some_cpus &&
	       t->prog->info.type != BPF_PROG_TYPE_EXT;
}

/* Reads the kernel's counts of a target. */
static struct kernel_runs read_kernel(const struct target *t)
{
	/* If this fails, t->prog->info still has the last numbers: use these. */
	if (prog__refresh(t->prog))
		log_debug("program %u: cannot read its run statistics", t->id);
	return (struct kernel_runs){t->prog->info.run_cnt, t->prog->info.run_time_ns};
}

static struct kernel_runs rested_until(const struct turn *u, struct kernel_runs now)
{
	if (!u->resting)
		return u->rested;
	return (struct kernel_runs){u->rested.runs + now.runs - u->rest_from.runs,
				    u->rested.ns + now.ns - u->rest_from.ns};
}

/*
 * Takes a step of attaching or detaching, and notes how much CPU time the step takes. Warns once if
 * a step fails.
 */
int turn__take_step(struct probe_turns *st, const struct backend_env *env, int target,
		    enum attach_step step)
{
	struct target *t = &env->targets->v[target];
	struct turn *u = &st->turn[target];
	const struct backend *b = t->backend;
	__u64 begin = thread_cpu_ns();
	struct reason reason = {};
	char why[512];
	int err = 0;

	if (step == STEP_ATTACH && u->resting) {
		u->rested = rested_until(u, read_kernel(t));
		u->rested_ns += now_ns() - u->rest_from_ns;
		u->resting = false;
	}
	if (step == STEP_LOAD)
		err = b->ops->preload(b->state, t, &reason);
	else if (step == STEP_ATTACH)
		err = b->ops->reattach(b->state, t, &reason);
	else
		b->ops->detach(t);
	if ((step == STEP_DETACH || err) && !u->resting) {
		u->resting = true;
		u->rest_from_ns = now_ns();
		u->rest_from = read_kernel(t);
	}
	if (err && !st->warned) {
		st->warned = true;
		log_warn("program %u: its probe cannot be attached again: %s; further runs are not "
			 "measured, only counted",
			 t->id, reason__describe(&reason, why, sizeof(why)));
	}
	begin = thread_cpu_ns() - begin;
	st->attach_ns += begin;
	u->worked_ns += begin;
	return err;
}

/* Ends the stratum's slice, or leaves it out. The stratum still lasts as planned. */
static void give_up_slice(struct turn *u)
{
	u->phase = TURN_OVER;
	u->next_ns = u->begin_ns + u->plan.length_ns;
}

/*
 * Takes a step. Then begins a phase that lasts for the duration of the step plus a random time.
 * Before the step, bprof may have waited for the end of a burst of runs: without a random time, the
 * slice would be in step with the bursts.
 */
static void take_step_and_pause(struct probe_turns *st, const struct backend_env *env, int target,
				enum attach_step step, enum turn_phase phase)
{
	struct turn *u = &st->turn[target];
	__u64 begin = now_ns(), end;

	if (turn__take_step(st, env, target, step)) {
		give_up_slice(u);
		return;
	}
	end = now_ns();
	u->phase = phase;
	u->next_ns = end + (end - begin) + turns__random_pause(&st->plan);
}

/* Reads how many runs the probe of a target that takes turns has seen on a CPU. */
static __u64 read_seen(const struct backend_env *env, int target, int cpu)
{
	__u64 measured;

	return probe_stat__seen(find_stat(env, target, cpu), &measured);
}

/*
 * Notes what the probe would have cost since the end of the last slice if it had been attached all the
 * time: it would have counted all runs that the kernel has counted. Assumes that these runs were on the
 * CPUs of the last slices. If the kernel does not count the runs, assumes the rate at which the target
 * ran in the slice.
 */
static void note_costs(struct probe_turns *st, const struct backend_env *env, int target,
		       __u64 slice_ns)
{
	struct turn *u = &st->turn[target];
	bool counted = turn__is_counted(env, &env->targets->v[target]);
	__u64 elapsed = u->rest_from_ns - u->noted_ns;
	double weights = 0, runs = u->rest_from.runs - u->noted_runs;

	for (int c = 0; c < st->cpu_cnt; c++) {
		struct turn_cpu *uc = &u->cpu[c];

		uc->slice_seen = read_seen(env, target, c) - uc->slice_seen;
		uc->weight += uc->slice_seen - uc->weight / KEPT_SLICES;
		weights += uc->weight;
	}
	for (int c = 0; elapsed && c < st->cpu_cnt; c++) {
		struct turn_cpu *uc = &u->cpu[c];
		double here = weights > 0 ? runs * uc->weight / weights : runs;
		double rate = counted ? here / elapsed : (double)uc->slice_seen / (slice_ns ?: 1);

		turns__expect(&uc->cost, fmin(rate * turn__skipped_ns(env, target, c), 1), elapsed);
	}
}

/*
 * Adds one event's measurements in a slice to the sums of one row. now: the measurements so far of all
 * rows.
 */
static void note_row_event(struct turn *u, int row, int slot, const struct noted *now)
{
	struct slice_event *sums = &u->sums[row].event[slot];
	double n = now[row].runs[slot] - u->noted[row].runs[slot];
	double x = now[row].total[slot] - u->noted[row].total[slot];

	if (!n)
		return;
	sums->n += n;
	sums->nn += n * n;
	sums->x += x;
	sums->xx += x * x;
	sums->nx += n * x;
	sums->n_all += n * (now->runs[slot] - u->noted->runs[slot]);
	sums->x_all += x * (now->total[slot] - u->noted->total[slot]);
}

/* Adds a row of a target's counts. */
static void add_counts(struct noted *sum, const struct counts *c)
{
	for (int slot = 0; slot < BPROF_SLOTS; slot++) {
		const struct event_counts *event = &c->event[slot];

		sum->runs[slot] += c->measured - event->errors - event->uncovered;
		sum->total[slot] += event->total;
	}
}

/* Adds up the rows of a target's counts to the rows of slice_sums__rows(). */
static void add_rows(const struct counts *rows, int cpu_cnt, int part_cnt, struct noted *now)
{
	for (int c = 0; c < cpu_cnt; c++) {
		add_counts(&now[0], &rows[c]);
		add_counts(&now[1 + c], &rows[c]);
		for (int part = 0; part < part_cnt; part++)
			add_counts(&now[1 + cpu_cnt + part],
				   &rows[cpu_cnt + 1 + part * cpu_cnt + c]);
	}
}

/* Adds the measurements since the last call to the sums over slices. slice: there was a slice. */
static void note_rows(struct turn *u, const struct backend_env *env, struct target *t, bool slice)
{
	const int cpu_cnt = env->cpus.cnt, part_cnt = backend_env__part_cnt(env);
	const int slice_rows = slice_sums__rows(cpu_cnt, part_cnt);
	struct counts *rows = counts__new(counts__rows(cpu_cnt, part_cnt));
	struct noted *now = xcalloc(slice_rows, sizeof(*now));
	int err;

	if (!u->sums) {
		u->sums = xcalloc(slice_rows, sizeof(*u->sums));
		u->noted = xcalloc(slice_rows, sizeof(*u->noted));
	}
	err = t->backend->ops->read_target(t->backend->state, t, false, rows, rows + cpu_cnt);
	if (err)
		log_debug("program %u: cannot read its counts: %s", t->id, strerror(-err));
	add_rows(rows, cpu_cnt, part_cnt, now);
	for (int slot = 0; slice && !err && slot < BPROF_SLOTS; slot++)
		for (int row = 0; row < slice_rows; row++)
			note_row_event(u, row, slot, now);
	if (!err)
		memcpy(u->noted, now, slice_rows * sizeof(*now));
	counts__free(rows, counts__rows(cpu_cnt, part_cnt));
	free(now);
}

void turn__note_slice(struct probe_turns *st, const struct backend_env *env, int target, bool slice)
{
	struct turn *u = &st->turn[target];
	__u64 seen = 0;

	note_rows(u, env, &env->targets->v[target], slice);
	for (int c = 0; c < st->cpu_cnt; c++)
		seen += read_seen(env, target, c);
	u->sums[0].seen += slice && seen > u->noted_seen ? seen - u->noted_seen : 0;
	u->noted_seen = seen;
	u->noted_runs = u->rest_from.runs;
	u->noted_ns = u->rest_from_ns;
}

void probe_turns__free_parts(struct probe_turns *st, const struct backend_env *env, int target,
			     const bool *part)
{
	struct noted *noted;

	if (!st || !st->turn[target].sums)
		return;
	noted = &st->turn[target].noted[1 + env->cpus.cnt];
	for (int i = 1; i < backend_env__part_cnt(env); i++)
		for (int slot = 0; part[i] && slot < BPROF_SLOTS; slot++) {
			noted[0].runs[slot] += noted[i].runs[slot];
			noted[0].total[slot] += noted[i].total[slot];
			noted[i].runs[slot] = noted[i].total[slot] = 0;
		}
	slice_sums__free_parts(st->turn[target].sums, env->cpus.cnt, backend_env__part_cnt(env),
			       part);
}

static void end_slice(struct probe_turns *st, const struct backend_env *env, int target)
{
	struct turn *u = &st->turn[target];
	__u64 slice_ns = now_ns() - u->slice_ns;

	turn__take_step(st, env, target, STEP_DETACH);
	note_costs(st, env, target, slice_ns);
	turn__note_slice(st, env, target, true);
	/* attach_ns follows a higher number at once, and falls by an eighth with each slice */
	st->plan.attach_ns -= st->plan.attach_ns / 8;
	if (u->worked_ns > st->plan.attach_ns)
		st->plan.attach_ns = u->worked_ns;
	give_up_slice(u);
}

/* Ends a slice, or the preparations for it, early. */
void turn__cut_slice(struct probe_turns *st, const struct backend_env *env, int target)
{
	struct turn *u = &st->turn[target];

	if (u->phase == TURN_IN_SLICE)
		end_slice(st, env, target);
	else if (u->phase == TURN_LOADED || u->phase == TURN_ATTACHED) {
		turn__take_step(st, env, target, STEP_DETACH);
		turn__note_slice(st, env, target, true);
	}
	give_up_slice(u);
}

/* Begins the next phase of a target's stratum, if it is due. Returns true if the stratum is over. */
bool turn__go_on(struct probe_turns *st, const struct backend_env *env, int target)
{
	struct turn *u = &st->turn[target];

	if (now_ns() < u->next_ns)
		return false;
	switch (u->phase) {
	case TURN_RESTING:
		u->worked_ns = 0;
		take_step_and_pause(st, env, target, STEP_LOAD, TURN_LOADED);
		break;
	case TURN_LOADED:
		for (int c = 0; c < st->cpu_cnt; c++)
			set_slice_period(find_cost(env, target, c), find_stat(env, target, c));
		take_step_and_pause(st, env, target, STEP_ATTACH, TURN_ATTACHED);
		break;
	case TURN_ATTACHED:
		/*
		 * Read the clock before the counts, as at the end: with many CPUs, reading the
		 * counts takes some time.
		 */
		u->slice_ns = now_ns();
		for (int c = 0; c < st->cpu_cnt; c++)
			u->cpu[c].slice_seen = read_seen(env, target, c);
		u->phase = TURN_IN_SLICE;
		u->next_ns = u->slice_ns + u->plan.slice_ns;
		break;
	case TURN_IN_SLICE:
		end_slice(st, env, target);
		break;
	case TURN_OVER:
		return true;
	}
	return false;
}

__u64 probe_turns__blind_ns(const struct probe_turns *st, const struct backend_env *env, int target)
{
	const struct target *t = &env->targets->v[target];
	const struct turn *u;

	if (!st || target >= st->cnt || turn__is_counted(env, t) || t->frozen)
		return 0;
	u = &st->turn[target];
	return u->rested_ns + (u->resting ? now_ns() - u->rest_from_ns : 0);
}

void probe_turns__add_kernel(struct probe_turns *st, const struct backend_env *env, int target,
			     struct counts *rows)
{
	const struct target *t = &env->targets->v[target];
	__s64 unseen = t->prog->info.run_cnt;
	struct counts *no_cpu;
	struct turn *u;

	if (!st || target >= st->cnt)
		return;
	no_cpu = &rows[st->cpu_cnt];
	no_cpu->blind_ns = probe_turns__blind_ns(st, env, target);
	if (!turn__is_counted(env, t) || !t->backend->ops->probe_stat)
		return;
	u = &st->turn[target];
	no_cpu->rested = rested_until(
		u, (struct kernel_runs){t->prog->info.run_cnt, t->prog->info.run_time_ns});
	for (int i = 0; i <= st->cpu_cnt; i++)
		unseen -= counts__runs(&rows[i]) + rows[i].own;
	if (unseen > (__s64)u->unprobed)
		u->unprobed = unseen;
	no_cpu->unprobed = u->unprobed;
}
