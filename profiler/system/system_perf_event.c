// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The method of `bprof system` that needs no BPF: it counts with perf events that are not shared.
 * Owns the counters of all scopes, and the messages on events that cannot be counted. Must not know
 * how events are opened, or how readings become a report.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "btf/reason.h"
#include "kernel/perf_event.h"
#include "system/cpu_watch.h"
#include "system/perf_counters.h"
#include "system/system.h"

struct perf_event_state {
	struct perf_counters *scope; /* the perf events of each scope, indexed by scope */
	int scope_cnt;
	bool inherit_thread;
	struct cpu_watch watch; /* open if the system or a cgroup is counted */
};

/*
 * Returns true if kind is not SCOPE_SYSTEM and the event can be counted for the system. Then an
 * event that cannot be counted for kind fails because of this kind of scope.
 */
static bool others_can(const struct system *s, int event, enum scope_kind kind)
{
	return kind != SCOPE_SYSTEM && !perf_opener__try(s, event, SCOPE_SYSTEM);
}

/*
 * Sets *out to the status of an event that the kernel refused with err for a scope of this kind,
 * and to an explanation of err.
 */
static void explain_refused(const struct system *s, int event, enum scope_kind kind, int err,
			    struct event_state *out)
{
	bool masked = s->events->v[event].cpumask.cnt;
	char *text = out->detail;
	size_t sz = sizeof(out->detail);

	perf_event__explain(err, out);
	/*
	 * An uncore PMU, which has a cpumask, cannot count for a task (kernel/events/core.c:
	 * "uncore-task").
	 */
	if (err == -EINVAL && masked && others_can(s, event, kind))
		snprintf(text, sz, "its PMU counts for whole CPUs, not for a %s; count it with -a",
			 scope_kind__name(kind));
	else if (err == -ENODEV && masked)
		snprintf(text, sz, "its PMU counts on other CPUs only, see its cpumask");
	/*
	 * With cgroup v2, perf_event is enabled in all cgroups, but only after something was first
	 * written to cgroup.subtree_control (kernel/cgroup/cgroup.c, cgroup_propagate_control()).
	 */
	else if (err == -ENOENT && kind == SCOPE_CGROUP && others_can(s, event, kind))
		snprintf(text, sz,
			 "perf_event is not enabled in this cgroup; enabling any controller "
			 "also enables it: 'echo +pids >/sys/fs/cgroup/cgroup.subtree_control'");
}

/* Sets an event's state: EVENT_OK if it can be counted for any kind of scope in the session. */
static void try_kinds(struct system *s, int event)
{
	bool tried[SCOPE_KIND_CNT] = {};

	for (int i = 0; i < s->scopes.cnt; i++) {
		enum scope_kind kind = s->scopes.v[i].kind;
		int err;

		if (tried[kind])
			continue;
		tried[kind] = true;
		err = perf_opener__try(s, event, kind);
		if (!err) {
			s->event[event] = (struct event_state){.status = EVENT_OK};
			return;
		}
		explain_refused(s, event, kind, err, &s->event[event]);
	}
}

static void close_method(struct system *s, void *state_ptr)
{
	struct perf_event_state *state = state_ptr;

	if (!state)
		return;
	for (int i = 0; state->scope && i < state->scope_cnt; i++)
		perf_counters__close(&state->scope[i]);
	cpu_watch__close(&state->watch);
	free(state->scope);
	free(state);
}

static int open_perf_method(struct system *s, void **state_ptr, struct reason *reason)
{
	struct perf_event_state *state = xcalloc(1, sizeof(*state));

	state->scope = xcalloc(s->scopes.cnt + 1, sizeof(*state->scope));
	state->scope_cnt = s->scopes.cnt;
	state->inherit_thread = perf_event__has_inherit_thread();
	/* Older kernels can count new threads only together with child processes. */
	if (scope_list__has(&s->scopes, 1 << SCOPE_PROCESS) && !s->opts.inherit &&
	    !state->inherit_thread)
		log_warn("--no-inherit: threads that a process starts from now on are not counted "
			 "either; that needs Linux 5.13");
	for (int e = 0; e < s->events->cnt; e++)
		try_kinds(s, e);
	*state_ptr = state;
	return 0;
}

/* Writes a scope's name for messages: "process 42 (nginx)", "cgroup a/b". */
static const char *label(const struct scope *scope, char *buf, size_t sz)
{
	const char *kind = scope_kind__name(scope->kind);

	if (scope_kind__is_task(scope->kind))
		snprintf(buf, sz, "%s %llu (%s)", kind, scope->id, scope->name);
	else
		snprintf(buf, sz, "%s%s%s", kind, *scope->name ? " " : "", scope->name);
	return buf;
}

/*
 * Called if an event could not be opened for a scope. If the event is not open for any other scope
 * either, sets the event's state. Warns if the session has several scopes.
 */
static void note_missing(struct system *s, const struct perf_event_state *state,
			 const struct perf_opener *o, int scope, int event)
{
	struct event_state missing = {};
	bool elsewhere = false;
	char buf[256];

	explain_refused(s, event, o->kind, o->err[event] ?: -ENODEV, &missing);
	for (int i = 0; i < state->scope_cnt; i++)
		elsewhere |= perf_counters__has(&state->scope[i], event);
	if (!elsewhere)
		s->event[event] = missing;
	if (s->scopes.cnt > 1)
		log_warn("%s: event %s: %s", label(&s->scopes.v[scope], buf, sizeof(buf)),
			 s->events->v[event].name, missing.detail);
}

/*
 * Sets *reason to why no event of a scope could be opened, and returns the reason as -errno. err is
 * the error of perf_opener__open(), or 0 if the kernel refused every event.
 */
static int explain_scope(const struct perf_opener *o, int err, struct reason *reason)
{
	struct event_state refused = {};
	int e = 0;

	if (err == -ESRCH)
		return reason__fail(reason, err, "it has ended");
	if (err == -EMFILE || err == -ENFILE)
		return reason__fail(reason, err,
				    "out of file descriptors; raise 'ulimit -n' or count fewer "
				    "events, tasks or CPUs (-C)");
	if (err && o->kind == SCOPE_CGROUP && !o->flags)
		return reason__fail(reason, err, "its directory cannot be opened: %s",
				    strerror(-err));
	if (err) {
		perf_event__explain(err, &refused);
		return reason__fail(reason, err, "%s", refused.detail);
	}
	while (e < o->s->events->cnt - 1 && !o->err[e])
		e++;
	err = o->err[e] ?: -ENODEV;
	explain_refused(o->s, e, o->kind, err, &refused);
	return reason__fail(reason, err, "%s", refused.detail);
}

/*
 * Returns the number of events whose status is EVENT_OK. If counters is not NULL, counts only the
 * events that are open in *counters.
 */
static int count_events(const struct system *s, const struct perf_counters *counters)
{
	int cnt = 0;

	for (int e = 0; e < s->events->cnt; e++)
		cnt += s->event[e].status == EVENT_OK &&
		       (!counters || perf_counters__has(counters, e));
	return cnt;
}

static int add_perf_scope(struct system *s, void *state_ptr, int scope, struct reason *reason)
{
	struct perf_event_state *state = state_ptr;
	struct perf_opener o = {
		.s = s,
		.inherit_thread = state->inherit_thread,
		.kind = s->scopes.v[scope].kind,
		.counters = &state->scope[scope],
	};
	int err = 0;

	perf_counters__close(o.counters);
	memset(&s->unread[scope * s->events->cnt], 0, s->events->cnt * sizeof(*s->unread));
	/*
	 * If no event at all can be counted, this scope is not the reason: event_list__check()
	 * reports the error.
	 */
	if (!count_events(s, NULL))
		return 0;
	if (!scope_kind__is_task(o.kind))
		err = cpu_watch__open(&state->watch, &s->cpus);
	err = err ?: perf_opener__open(&o, &s->scopes.v[scope]);
	if (err || !count_events(s, o.counters)) {
		perf_counters__close(o.counters);
		return explain_scope(&o, err, reason);
	}
	for (int e = 0; e < s->events->cnt; e++)
		if (s->event[e].status == EVENT_OK && !perf_counters__has(o.counters, e))
			note_missing(s, state, &o, scope, e);
	return 0;
}

static void remove_scope(struct system *s, void *state_ptr, int scope)
{
	struct perf_event_state *state = state_ptr;

	perf_counters__close(&state->scope[scope]);
}

static int read_perf_scopes(struct system *s, void *state_ptr, struct reading *readings)
{
	const struct perf_event_state *state = state_ptr;

	for (int i = 0; i < state->scope_cnt; i++)
		perf_counters__read(&state->scope[i], s, i, readings,
				    &s->unread[i * s->events->cnt]);
	cpu_watch__check(&state->watch, &s->cpus, s->uncounted_cpu);
	return 0;
}

const struct system_ops perf_event_ops = {
	.method = "perf_event",
	.open = open_perf_method,
	.add_scope = add_perf_scope,
	.remove_scope = remove_scope,
	.read = read_perf_scopes,
	.close = close_method,
};
