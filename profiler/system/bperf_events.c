// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The leaders of a bperf session's events. Owns the choice between an existing and a new leader,
 * and opens the events for a new leader. Must not know what is counted through leaders.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <linux/perf_event.h>

#include "base/util.h"
#include "btf/reason.h"
#include "kernel/perf_event.h"
#include "system/attr_key.h"
#include "system/bperf_priv.h"

static int open_event_fd(struct perf_event_attr attr, pid_t pid, int cpu, int group_fd)
{
	/*
	 * In a key of the attr map, these fields identify a group. For the event itself, they must
	 * be 0.
	 */
	attr.sample_period = 0;
	attr.wakeup_events = 0;
	return perf_event__open_host(attr, pid, cpu, group_fd, 0);
}

/*
 * Opens an event on every online CPU that its PMU counts on. Returns 0. If the kernel refused the
 * event on all CPUs, sets *refused to the kernel's error, otherwise to 0. on_cpu, which is indexed by
 * CPU id, gets the error for each CPU on which the kernel refused it. Returns -errno if it
 * fails for a reason that does not depend on the event.
 */
static int open_on_each_cpu(struct leader_events *e, const struct event *ev,
			    const struct perf_event_attr *attr, const struct leader_events *group,
			    int *refused, int *on_cpu)
{
	struct cpus online = {};
	int opened = 0, last = -ENODEV, err = cpus__online(&online);

	for (int i = 0; !err && i < online.cnt; i++) {
		int cpu = online.id[i], fd;

		if (ev->cpumask.cnt && !cpus__has(&ev->cpumask, cpu))
			continue;
		fd = open_event_fd(*attr, -1, cpu, group->fd ? group->fd[cpu] : -1);
		if (fd == -EMFILE || fd == -ENFILE)
			err = fd;
		else if (fd < 0 && fd != -ENODEV)
			last = on_cpu[cpu] = fd;
		if (fd < 0)
			continue;
		e->fd[cpu] = fd;
		on_cpu[cpu] = 0;
		opened++;
	}
	cpus__free(&online);
	*refused = opened ? 0 : last;
	return err;
}

/*
 * Keeps the perf events of a group leader open: it is the first event of a group that the kernel
 * accepts. Closes the perf events of other events.
 */
static void keep_or_close(struct bperf *b, const struct event *ev, struct leader_events *events,
			  bool accepted)
{
	if (accepted && ev->group >= 0 && !b->group.fd)
		b->group = *events;
	else
		leader_events__close(events);
}

/*
 * Opens an event for a leader. Returns 1; or 0 if the kernel refuses the event, whose state then
 * has the reason; or -errno with *reason for other failures.
 */
static int try_event_on_cpus(struct system *s, const struct bperf *b, int event,
			     const struct perf_event_attr *attr, struct leader_events *events,
			     struct reason *reason)
{
	const struct event *ev = &s->events->v[event];
	int refused = 0, err;

	leader_events__open(events, s->cpu_limit);
	err = open_on_each_cpu(events, ev, attr, &b->group, &refused,
			       &s->refused[event * s->cpu_limit]);
	if (err)
		return reason__fail(reason, err, "cannot open event %s on each CPU: %s", ev->name,
				    strerror(-err));
	if (refused)
		perf_event__explain(refused, &s->event[event]);
	return !refused;
}

/* Returns false for an uncore PMU's event, which counts for a socket, not for a task. */
static bool counts_tasks(const struct event *ev, const struct perf_event_attr *attr)
{
	int fd = ev->cpumask.cnt ? open_event_fd(*attr, 0, -1, -1) : 0;

	if (fd > 0)
		close(fd);
	/*
	 * If there are no descriptors left, assume that the event can count tasks. Opening the
	 * event for the leader will then fail, too, and report the shortage.
	 */
	return fd >= 0 || fd == -EMFILE || fd == -ENFILE;
}

/*
 * Fills attr for an event that needs a leader. Returns false if the event cannot be counted; its
 * state then has the reason.
 */
static bool needs_leader(struct system *s, int event, struct perf_event_attr *attr)
{
	struct event_state *state = &s->event[event];
	int err = attr_key__attr(s->events, event, attr);

	if (err) {
		perf_event__explain(err, state);
	} else if (scope_list__has(&s->scopes, SCOPES_ALL & ~(1 << SCOPE_SYSTEM)) &&
		   !counts_tasks(&s->events->v[event], attr)) {
		state->status = EVENT_NOT_SUPPORTED;
		snprintf(state->detail, sizeof(state->detail),
			 "its PMU counts for whole CPUs, not for tasks");
	}
	return state->status == EVENT_OK;
}

/*
 * Opens the leader of one event. Makes a new leader if there is none, or if make is set. If the
 * kernel refuses the event, this is no failure: stores the reason in the event's state. Returns 0,
 * or -errno with *reason.
 */
static int open_event_leader(struct system *s, struct bperf *b, int event, bool make,
			     struct reason *reason)
{
	struct leader_events events = {};
	struct perf_event_attr attr;
	int accepted, err;

	if (!needs_leader(s, event, &attr))
		return 0;
	err = make ? -ENOENT
		   : bperf_leader__find(&b->leader[event], &b->map, &attr, s->cpu_limit, reason);
	/* What check_missing() found out does not hold for a leader that exists. */
	memset(&s->refused[event * s->cpu_limit], 0, s->cpu_limit * sizeof(*s->refused));
	if (err != -ENOENT)
		return err;
	err = accepted = try_event_on_cpus(s, b, event, &attr, &events, reason);
	if (accepted > 0)
		err = bperf_leader__make(&b->leader[event], &b->map, &attr, &events, reason);
	keep_or_close(b, &s->events->v[event], &events, accepted > 0 && !err);
	return err;
}

/*
 * Returns 0 if the attr map has the event's leader, -ENOENT if not, or another -errno with *reason.
 */
static int find_leader_entry(const struct bperf *b, const struct perf_event_attr *attr,
			     struct reason *reason)
{
	struct attr_entry e;
	int fd, err = attr_map__find(&b->map, attr, &e, &fd);

	close_fd(&fd);
	return err && err != -ENOENT
		       ? reason__fail(reason, err, "cannot look for the leaders of a group: %s",
				      strerror(-err))
		       : err;
}

/*
 * Some events of the group have leaders, and others do not. Opens the group's events for a moment,
 * to find out which of them the kernel refuses, and stores the reasons in their states. Returns 0
 * if all events that the kernel accepts have leaders, -ENOENT if a leader is missing, or another
 * -errno with *reason.
 */
static int check_missing(struct system *s, struct bperf *b, int group, struct reason *reason)
{
	int err = 0;

	for (int i = 0; !err && i < s->events->cnt; i++) {
		struct leader_events events = {};
		struct perf_event_attr attr;

		if (s->events->v[i].group != group || !needs_leader(s, i, &attr))
			continue;
		err = try_event_on_cpus(s, b, i, &attr, &events, reason);
		keep_or_close(b, &s->events->v[i], &events, err > 0);
		if (err > 0)
			err = find_leader_entry(b, &attr, reason);
	}
	leader_events__close(&b->group);
	return err;
}

/*
 * Returns 0 if every event of the group that the kernel accepts has a leader, -ENOENT if one is
 * missing, or another -errno with *reason. If a leader is missing, all leaders of the group must be
 * made again, because their perf events must be opened as one group.
 */
static int find_group_leaders(struct system *s, struct bperf *b, int group, struct reason *reason)
{
	bool found = false, missing = false;

	for (int i = 0; i < s->events->cnt; i++) {
		struct perf_event_attr attr;
		int err;

		if (s->events->v[i].group != group || !needs_leader(s, i, &attr))
			continue;
		err = find_leader_entry(b, &attr, reason);
		if (err && err != -ENOENT)
			return err;
		found |= !err;
		missing |= err;
	}
	if (!missing)
		return 0;
	return found ? check_missing(s, b, group, reason) : -ENOENT;
}

static int open_group(struct system *s, struct bperf *b, int group, struct reason *reason)
{
	int err = group >= 0 ? find_group_leaders(s, b, group, reason) : 0;
	bool make = err == -ENOENT;

	if (err && !make)
		return err;
	err = 0;
	for (int i = 0; !err && i < s->events->cnt; i++)
		if (s->events->v[i].group == group)
			err = open_event_leader(s, b, i, make, reason);
	leader_events__close(&b->group);
	return err;
}

int bperf__lock_map(const struct system *s, struct bperf *b, struct reason *reason)
{
	__u64 timeout_ns = b->lock_timed_out ? 0 : s->opts.lock_timeout_ns;
	int err = attr_map__lock(&b->map, timeout_ns, reason);

	b->lock_timed_out |= err == -ETIMEDOUT;
	return err;
}

int bperf__open_leaders(struct system *s, struct bperf *b, struct reason *reason)
{
	int err = bperf__lock_map(s, b, reason);

	/* group -1: all events that are in no group */
	for (int group = -1; !err && group < s->events->group_cnt; group++)
		err = open_group(s, b, group, reason);
	for (int i = 0; !err && i < s->events->cnt; i++)
		if (b->leader[i].link_fd >= 0)
			b->lost[i] = bperf_tables__config(&b->leader[i].tables)->lost;
	attr_map__unlock(&b->map);
	return err;
}
