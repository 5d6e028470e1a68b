// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The counts of a session: starts and stops counting, and makes snapshots. Owns the
 * counts made while the gate was closed. Must not know output formats, time limits, or how a target
 * finds its backend (session.c).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/probe_stat.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/util.h"
#include "budget/budget.h"
#include "budget/probe_turns.h"
#include "session/session.h"
#include "session/others_limit.h"
#include "session/session_priv.h"

struct snapshot *session__new_snapshot(const struct session *s)
{
	return snapshot__new(s->targets.cnt, s->env.cpus.cnt, backend_env__part_cnt(&s->env));
}

/* Returns true if the kernel's number of runs is needed, which takes a system call per target. */
static bool needs_kernel(const struct session *s)
{
	return s->env.opts.follow || budget__turns(s->budget);
}

/*
 * Updates the number of runs of a followed target that its probe missed. rows has the probe's
 * counts; t->prog->info must have been read before them.
 *
 * The number of missed runs is the kernel's number of runs minus the probe's. The kernel counts a
 * run after the exit probe has counted it, and bprof reads the kernel's number first. So the probe
 * has counted every run in the kernel's number, except the runs that it missed. The probe's counts
 * may include later runs. These make the difference too small, but never too large.
 */
static void note_missed(const struct session *s, struct target *t, const struct counts *rows)
{
	struct target_life *life = &t->life;
	__s64 unseen = t->prog->info.run_cnt;

	/*
	 * skip this while the gate is closed: then the kernel counts runs, but the probe does not
	 */
	if (!s->env.opts.follow || !s->stopwatch.running || s->env.some_cpus || t->subprog ||
	    !backend__has(t->backend, BACKEND_PROBES) || !s->env.runs_counted)
		return;
	for (int i = 0; i <= s->env.cpus.cnt; i++)
		unseen -= counts__runs(&rows[i]) + rows[i].own;
	if (!life->unseen_known || unseen > life->unseen)
		life->unseen = unseen;
	life->unseen_known = true;
}

/*
 * Reads a target's counts into empty rows. Reads distributions only if hists is set. Returns 0 or
 * -errno (reported).
 */
static int read_target(struct session *s, struct target *t, bool hists, struct counts *rows)
{
	struct counts *no_cpu = rows + s->env.cpus.cnt;
	int err;

	if (t->frozen) {
		counts__copy(rows, t->frozen, backend_env__rows(&s->env));
		return 0;
	}
	/* Read the kernel's run count before the probe's counts: see note_missed(). */
	err = needs_kernel(s) ? prog__refresh(t->prog) : 0;
	if (!err)
		err = t->backend->ops->read_target(t->backend->state, t, hists, rows, no_cpu);
	if (err)
		return log_err(err, "program %u: cannot read its counts: %s", t->id,
			       strerror(-err));
	no_cpu->recursion_misses = t->prog->info.recursion_misses;
	probe_turns__add_kernel(budget__turns(s->budget), &s->env, t - s->targets.v, rows);
	note_missed(s, t, rows);
	return 0;
}

int session__read_raw(struct session *s, struct target *t, bool hists, struct counts **out)
{
	int cnt = backend_env__rows(&s->env), err;
	struct counts *rows = counts__new(cnt);

	*out = NULL;
	err = read_target(s, t, hists, rows);
	if (err)
		counts__free(rows, cnt);
	else
		*out = rows; /* not earlier: *out may be t->frozen, which read_target() uses */
	return err;
}

void session__forget_reading(struct session *s, struct target *t)
{
	counts__free(t->last.rows, backend_env__rows(&s->env));
	t->last.rows = NULL;
}

void session__forget_readings(struct session *s)
{
	for (int i = 0; i < s->targets.cnt; i++)
		session__forget_reading(s, &s->targets.v[i]);
}

/*
 * Sets *mark to a number that changes with the target's counts (counter_ops.mark). Returns 0 or
 * -errno (reported).
 */
static int find_mark(const struct session *s, struct target *t, __u64 *mark)
{
	int err = 0;

	*mark = 0;
	if (t->frozen || !t->backend->ops->mark)
		return 0;
	if (needs_kernel(s))
		err = prog__refresh(t->prog);
	err = err ?: t->backend->ops->mark(t, mark);
	*mark += t->prog->info.run_cnt + t->prog->info.recursion_misses +
		 probe_turns__blind_ns(budget__turns(s->budget), &s->env, t - s->targets.v);
	return err ? log_err(err, "program %u: cannot read its counts: %s", t->id, strerror(-err))
		   : 0;
}

/*
 * Reads a target's rows for a snapshot, without the counts made while the gate was closed. If the
 * target has not run since the last reading, shares the rows of that reading: of hundreds of
 * targets, only a few run.
 */
static int read_rows(struct session *s, struct target *t, bool hists, struct counts **out)
{
	bool marked = t->frozen || t->backend->ops->mark;
	int target = t - s->targets.v, err;
	__u64 mark;

	err = find_mark(s, t, &mark);
	if (err)
		return err;
	if (marked && t->last.rows && t->last.mark == mark && (t->last.hists || !hists)) {
		*out = counts__share(t->last.rows);
		return 0;
	}
	err = session__read_raw(s, t, hists, out);
	if (err)
		return err;
	for (int row = 0;
	     s->closed && snapshot__has(s->closed, target) && row < s->closed->rows_per_target;
	     row++)
		counts__add(&(*out)[row], snapshot__at(s->closed, target, row), -1);
	session__forget_reading(s, t);
	/*
	 * While the gate is closed, note_missed() does nothing. So do not keep this reading: the
	 * target must be read again once the gate is open.
	 */
	if (marked && s->stopwatch.running)
		t->last = (struct target_reading){counts__share(*out), mark, hists};
	return 0;
}

int session__leave_out_past(struct session *s, struct target *t)
{
	int rows = backend_env__rows(&s->env), err;
	struct counts *now, *past, *from, *to;

	if (!s->closed)
		return 0; /* session__start() will leave the past out */
	err = session__read_raw(s, t, false, &now);
	if (err)
		return err;
	past = counts__new(rows);
	from = &now[s->env.cpus.cnt];
	to = &past[s->env.cpus.cnt];
	/*
	 * A probe has counted only since it was attached. So only the kernel's counts have a past.
	 */
	if (!backend__has(t->backend, BACKEND_PROBES))
		*to = *from;
	to->recursion_misses = from->recursion_misses;
	to->unprobed = from->unprobed;
	to->rested = from->rested;
	to->blind_ns = from->blind_ns;
	counts__free(now, rows);
	snapshot__set(s->closed, t - s->targets.v, past);
	return 0;
}

typedef int (*read_fn)(struct session *s, struct target *t, bool hists, struct counts **out);

/* Reads a snapshot: each target's rows with read(). Returns 0 or -errno (reported). */
static int read_snapshot(struct session *s, bool hists, read_fn read, struct snapshot **out)
{
	struct snapshot *snap =
		snapshot__alloc(s->targets.cnt, s->env.cpus.cnt, backend_env__part_cnt(&s->env));
	int err = 0;

	*out = NULL;
	/* If no time is measured, CPU shares are shares of the cycles that a CPU executed. */
	if (s->cycles_event >= 0)
		snap->cycles = xcalloc(s->env.cpus.cnt, sizeof(*snap->cycles));
	/* A CPU that went offline gets 0 cycles, so the programs' shares of it become 0. */
	for (int i = 0; snap->cycles && i < s->env.cpus.cnt; i++)
		if (event_fds__read(s->env.fds, s->cycles_event, s->env.cpus.id[i],
				    &snap->cycles[i]))
			snap->cycles[i] = 0;
	snap->ns = stopwatch__elapsed_ns(&s->stopwatch);
	snap->attach_ns = probe_turns__attach_ns(budget__turns(s->budget));
	snap->other_per_ns = probe_turns__other_runs(budget__turns(s->budget));
	for (int i = 0; i < BACKEND_CNT; i++)
		if (s->backend[i].state && s->backend[i].ops->refresh)
			s->backend[i].ops->refresh(s->backend[i].state);
	for (int i = 0; !err && i < s->targets.cnt; i++)
		err = read(s, &s->targets.v[i], hists, &snap->target[i]);
	if (err) {
		snapshot__free(snap);
		return err;
	}
	snap->slices = probe_turns__read_slices(budget__turns(s->budget), &s->env);
	*out = snap;
	return 0;
}

/* Warns once if a CPU is online for which the counts have no room. */
static void check_left_out(struct session *s)
{
	struct cpus online = {};

	if (!s->cpus_left_out || s->warned_cpus || cpus__online(&online))
		return;
	s->warned_cpus = cpus__limit(&online) > s->env.cpu_limit;
	cpus__free(&online);
	if (s->warned_cpus)
		log_warn(
			"many CPUs came online: runs on CPU %d and on higher ones are not counted; "
			"start again to count them",
			s->env.cpu_limit);
}

/* Returns the slot of the first event that could be opened. */
static __u32 first_slot(const struct session *s)
{
	for (int i = 0; i < s->env.events->cnt; i++)
		if (s->env.fds->state[i].status == EVENT_OK)
			return s->env.fds->state[i].slot;
	return BPROF_CLOCK_SLOT;
}

void session__add_use(const struct session *s, int target, const struct snapshot *from,
		      const struct snapshot *to, int row, struct row_use *use)
{
	const struct counts *end = snapshot__at(to, target, row);
	const struct counts *begin = snapshot__before(from, target, row);
	__u32 slot = first_slot(s);

	use->cost += end->event[slot].total - begin->event[slot].total;
	use->runs += counts__runs(end) - counts__runs(begin);
}

int session__read(struct session *s, bool hists, struct snapshot **out)
{
	int err = read_snapshot(s, hists, read_rows, out);

	for (int i = 0; i < BACKEND_CNT; i++)
		if (s->backend[i].state && s->backend[i].ops->clock_changed)
			s->clock_changed |= s->backend[i].ops->clock_changed(s->backend[i].state);
	for (int i = 0; !err && s->closed && s->closed->cycles && i < (*out)->cpu_cnt; i++)
		(*out)->cycles[i] -= s->closed->cycles[i];
	if (!err)
		foreign_probes__mark_gone(&s->foreign, (*out)->ns);
	check_left_out(s);
	return err;
}

static void forget_targets(struct session *s, struct snapshot *const *snaps, int cnt,
			   const bool *keep)
{
	for (int i = 0; i < cnt; i++)
		if (snaps[i])
			snapshot__keep(snaps[i], keep);
	if (s->closed)
		snapshot__keep(s->closed, keep);
	if (s->stopped)
		snapshot__keep(s->stopped, keep);
	for (int i = 0; i < s->targets.cnt; i++) {
		struct target *t = &s->targets.v[i];

		if (keep[i])
			continue;
		session__forget_reading(s, t);
		counts__free(t->frozen, backend_env__rows(&s->env));
	}
	target_list__keep(&s->targets, keep);
	budget__keep(s->budget, &s->env, keep);
}

void session__forget_ended(struct session *s, struct snapshot *const *snaps, int cnt,
			   bool (*keeps)(void *arg, __u32 id), void *arg)
{
	bool *keep = xcalloc(s->targets.cnt + 1, sizeof(*keep));
	int gone = 0;

	for (int i = 0; i < s->targets.cnt; i++) {
		const struct target *t = &s->targets.v[i];

		/* An ended target with the same counts in both snapshots ended before the first. */
		keep[i] = !t->frozen || !snapshot__shares(snaps[0], snaps[1], i) ||
			  (keeps && keeps(arg, t->id));
		gone += !keep[i];
	}
	if (gone) {
		log_info("forgetting unloaded programs: %d target%s", gone, gone == 1 ? "" : "s");
		forget_targets(s, snaps, cnt, keep);
	}
	free(keep);
}

/*
 * The gate does not stop the counters of the backend run_stats, of recursion misses and of cycles.
 * So s->closed has the sum of what they counted while the gate was closed, and bprof subtracts this
 * sum from all readings. This function adds their counts since the last stop to s->closed; at the
 * first start, it adds all their counts. It may be called again if the start fails later.
 */
static int count_closed_time(struct session *s)
{
	struct snapshot *now;
	int err = read_snapshot(s, false, session__read_raw, &now);

	if (err)
		return err;
	if (!s->stopped) {
		snapshot__free(s->closed);
		s->closed = now;
		return 0;
	}
	snapshot__add(s->stopped, now, -1);
	snapshot__add(s->closed, s->stopped, -1);
	snapshot__free(s->stopped);
	s->stopped = now;
	return 0;
}

/*
 * Reads the kernel's recursion misses of the targets' programs (Linux 5.12; kernel/bpf/syscall.c,
 * bpf_prog_inc_misses_counter()). Called only when the session starts or stops, because this takes
 * one more system call per target.
 */
static int read_recursion_misses(const struct session *s)
{
	for (int i = 0; i < s->targets.cnt; i++) {
		struct target *t = &s->targets.v[i];
		int err = prog__refresh(t->prog);

		if (err)
			return log_err(err, "program %u: cannot read its info: %s", t->id,
				       strerror(-err));
	}
	return 0;
}

/*
 * Updates the list of foreign probes. Called only when the session starts or stops, because other
 * snapshots must be fast: they make only the system calls that read the counts.
 */
static void find_foreign_probes(struct session *s)
{
	foreign_probes__update(&s->foreign, &s->targets);
}

void session__add_foreign_probes(struct session *s, const struct session *other)
{
	find_foreign_probes(s);
	foreign_probes__mark_held(&s->foreign, &other->targets, getpid());
}

int session__start(struct session *s, struct snapshot **at)
{
	int err;

	foreign_probes__drop_gone(&s->foreign);
	find_foreign_probes(s);
	err = read_recursion_misses(s) ?: count_closed_time(s) ?: session__read(s, true, at);
	if (err)
		return err;
	(*at)->edge = true;
	budget__start(s->budget, &s->env);
	for (int i = 0; i < BACKEND_CNT; i++)
		if (s->backend[i].state && s->backend[i].ops->start)
			s->backend[i].ops->start(s->backend[i].state);
	stopwatch__start(&s->stopwatch);
	return 0;
}

int session__stop(struct session *s, struct snapshot **at)
{
	int err;

	stopwatch__stop(&s->stopwatch);
	for (int i = 0; i < BACKEND_CNT; i++)
		if (s->backend[i].state && s->backend[i].ops->stop)
			s->backend[i].ops->stop(s->backend[i].state);
	budget__stop(s->budget, &s->env);
	snapshot__free(s->stopped);
	s->stopped = NULL;
	find_foreign_probes(s);
	err = read_recursion_misses(s) ?:
	      read_snapshot(s, false, session__read_raw, &s->stopped) ?:
	      session__read(s, true, at);
	if (!err)
		(*at)->edge = true;
	return err;
}

void session__restart(struct session *s)
{
	for (int i = 0; i < s->targets.cnt; i++) {
		const struct backend *b = s->targets.v[i].backend;

		if (b->ops->reset)
			b->ops->reset(b->state, &s->targets.v[i]);
	}
	session__forget_readings(s);
	snapshot__free(s->closed);
	snapshot__free(s->stopped);
	s->closed = s->stopped = NULL;
	s->stopwatch.measured_ns = 0;
}

void session__set_period(const struct session *s, __u64 period, __u64 *random)
{
	for (int i = 0; i < s->targets.cnt; i++)
		for (int c = 0; c < s->env.cpus.cnt; c++) {
			const struct target *t = &s->targets.v[i];
			struct bprof_cpu_stat *stat =
				t->backend->ops->probe_stat && !t->frozen
					? t->backend->ops->probe_stat(t, s->env.cpus.id[c])
					: NULL;

			if (!stat)
				continue;
			__atomic_store_n(&stat->period, period, __ATOMIC_RELAXED);
			__atomic_store_n(&stat->over_period, period, __ATOMIC_RELAXED);
			probe_stat__begin_block(stat, period, random__next(random) % period);
		}
}

int session__tick(struct session *s)
{
	budget__adjust(s->budget, &s->env);
	return s->env.calls ? others_limit__check(&s->targets, &s->env, 0, &s->others_look_ns) : 0;
}

int session__check_others(struct session *s)
{
	bool over = s->env.calls && others_limit__check(&s->targets, &s->env, 1000 * NSEC_PER_MSEC,
							&s->others_look_ns);

	return over ? -EBUSY : 0;
}
