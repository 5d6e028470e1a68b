// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A session. Owns the targets, the events' descriptors and the backends' states; chooses the
 * backend of each target. Knows no output and no time-out.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "session.h"
#include "util.h"

/* The order is that of preference. */
static const struct counter_ops *const all_ops[BACKEND_CNT] = {
	[BACKEND_FENTRY] = &fentry_ops,
	[BACKEND_RUN_STATS] = &run_stats_ops,
};

static int open_backend(struct session *s, struct backend *b, struct reason *reason)
{
	int err;

	if (b->state)
		return 0;
	if (!b->refused.code) {
		err = b->ops->open(s, &b->state, &b->refused);
		if (!err)
			return 0;
	}
	*reason = b->refused;
	return -EOPNOTSUPP;
}

/*
 * Events that the machine lacks are shown as such; without a single one left there is nothing to
 * measure.
 */
static int check_events(const struct session *s)
{
	for (int i = 0; i < s->fds->event_cnt; i++)
		if (s->fds->state[i].status == EVENT_OK)
			return 0;
	for (int i = 0; i < s->fds->event_cnt; i++)
		log_warn("event %s: %s", s->events->v[i].name, s->fds->state[i].detail);
	return log_err(
		-ENODATA,
		"none of the events can be counted here; use -e time, or see 'bprof doctor'");
}

static int try_backend(struct session *s, int which, struct target *t, struct reason *reason)
{
	struct backend *b = &s->backend[which];
	int err;

	reason->code = REASON_NONE;
	err = open_backend(s, b, reason) ?: b->ops->open_target(s, b->state, t, reason) ?:
	      b->ops->attach_target(b->state, t, reason);
	if (!err)
		t->backend = b;
	return err;
}

/* Finds the backend that measures a target; -errno with the target's reason where there is none. */
static int place_target(struct session *s, struct target *t, struct reason *reason)
{
	char why[512], why_not[512];
	struct reason fallback;

	if (!try_backend(s, BACKEND_FENTRY, t, reason))
		return 0;
	t->no_probe = *reason;
	/* run_stats counts whole programs. */
	if (!reason__spec(reason->code)->run_stats || t->subprog)
		return -EOPNOTSUPP;
	reason__describe(reason, why, sizeof(why));
	if (!try_backend(s, BACKEND_RUN_STATS, t, &fallback)) {
		log_warn("program %u (%s): %s; measuring it by run_stats instead", t->id,
			 prog__name(t->prog), why);
		return 0;
	}
	log_info("program %u: run_stats: %s", t->id,
		 reason__describe(&fallback, why_not, sizeof(why_not)));
	return -EOPNOTSUPP;
}

static int place_targets(struct session *s)
{
	struct reason reason = {};
	int err, i = 0;

	while (i < s->targets.cnt) {
		if (!place_target(s, &s->targets.v[i], &reason)) {
			i++;
			continue;
		}
		err = target_list__skip(&s->targets, i, &reason);
		if (err)
			return err;
	}
	return 0;
}

static void find_cycles_event(struct session *s)
{
	s->cycles_event = -1;
	for (int i = 0; i < s->events->cnt; i++) {
		const struct event *ev = &s->events->v[i];

		if (s->fds->state[i].status == EVENT_OK && !strcmp(ev->base, "cycles") &&
		    !ev->exclude_kernel && !ev->exclude_user)
			s->cycles_event = i;
	}
}

static int choose_cpus(struct session *s, const struct cpus *cpus)
{
	struct cpus possible = {};
	int err = cpus__possible(&possible);

	if (err)
		return log_err(err, "cannot read which CPUs are possible: %s", strerror(-err));
	s->cpu_limit = cpus__limit(&possible);
	cpus__free(&possible);
	err = cpus->cnt ? cpus__dup(cpus, &s->cpus) : cpus__online(&s->cpus);
	if (err)
		return log_err(err, "cannot read which CPUs are online: %s", strerror(-err));
	return 0;
}

int session__open(struct target_list *targets, const struct event_list *events,
		  const struct cpus *cpus, struct session **out)
{
	struct session *s = calloc(1, sizeof(*s));
	int err;

	*out = NULL;
	if (!s) {
		target_list__free(targets);
		return log_err(-ENOMEM, "out of memory");
	}
	s->targets = *targets;
	memset(targets, 0, sizeof(*targets));
	s->events = events;
	for (int i = 0; i < BACKEND_CNT; i++)
		s->backend[i].ops = all_ops[i];
	err = choose_cpus(s, cpus) ?:
	      event_fds__open(events, &s->cpus, &s->fds) ?:
	      check_events(s) ?:
	      place_targets(s);
	if (err) {
		session__close(s);
		return err;
	}
	find_cycles_event(s);
	*out = s;
	return 0;
}

void session__close(struct session *s)
{
	if (!s)
		return;
	for (int i = 0; i < s->targets.cnt; i++)
		if (s->targets.v[i].backend)
			s->targets.v[i].backend->ops->close_target(&s->targets.v[i]);
	for (int i = 0; i < BACKEND_CNT; i++)
		s->backend[i].ops->close(s->backend[i].state);
	target_list__free(&s->targets);
	event_fds__close(s->fds);
	cpus__free(&s->cpus);
	free(s);
}

void session__start(struct session *s)
{
	for (int i = 0; i < BACKEND_CNT; i++)
		if (s->backend[i].state && s->backend[i].ops->start)
			s->backend[i].ops->start(s, s->backend[i].state);
	s->started_ns = now_ns();
	s->running = true;
}

void session__stop(struct session *s)
{
	if (!s->running)
		return;
	s->measured_ns += now_ns() - s->started_ns;
	s->running = false;
	for (int i = 0; i < BACKEND_CNT; i++)
		if (s->backend[i].state && s->backend[i].ops->stop)
			s->backend[i].ops->stop(s, s->backend[i].state);
}

struct counts *snapshot__at(const struct session *s, const struct snapshot *snap, int target,
			    int row)
{
	return &snap->counts[target * (s->cpus.cnt + 1) + row];
}

static struct snapshot *new_snapshot(int row_cnt)
{
	struct snapshot *snap = calloc(1, sizeof(*snap));

	if (!snap)
		return NULL;
	snap->counts =
		calloc(row_cnt + 1, sizeof(*snap->counts)); /* + 1: also where there is none */
	if (!snap->counts) {
		free(snap);
		return NULL;
	}
	for (int i = 0; i < row_cnt; i++)
		for (int slot = 0; slot < BPROF_SLOTS; slot++)
			snap->counts[i].event[slot].min = ~0ULL;
	return snap;
}

/*
 * The cycles that each CPU executed, whatever ran there: what CPU shares are of where no time is
 * measured.
 */
static int read_cycles(const struct session *s, struct snapshot *snap)
{
	if (s->cycles_event < 0)
		return 0;
	snap->cycles = calloc(s->cpus.cnt, sizeof(*snap->cycles));
	if (!snap->cycles)
		return -ENOMEM;
	/* Where a CPU went offline its count stays 0, and so does what its share is made of. */
	for (int i = 0; i < s->cpus.cnt; i++)
		if (event_fds__read(s->fds, s->cycles_event, s->cpus.id[i], &snap->cycles[i]))
			snap->cycles[i] = 0;
	return 0;
}

int session__read(struct session *s, struct snapshot **out)
{
	struct snapshot *snap = new_snapshot(s->targets.cnt * (s->cpus.cnt + 1));

	*out = NULL;
	if (!snap || read_cycles(s, snap)) {
		snapshot__free(snap);
		return log_err(-ENOMEM, "out of memory");
	}
	snap->ns = s->measured_ns + (s->running ? now_ns() - s->started_ns : 0);
	for (int i = 0; i < s->targets.cnt; i++) {
		struct target *t = &s->targets.v[i];
		int err = t->backend->ops->read_target(s, t, snapshot__at(s, snap, i, 0),
						       snapshot__at(s, snap, i, s->cpus.cnt));

		if (err) {
			snapshot__free(snap);
			return log_err(err, "program %u: cannot read its counts: %s", t->id,
				       strerror(-err));
		}
	}
	*out = snap;
	return 0;
}

void snapshot__free(struct snapshot *snap)
{
	if (!snap)
		return;
	free(snap->cycles);
	free(snap->counts);
	free(snap);
}
