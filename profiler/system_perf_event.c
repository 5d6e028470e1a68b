// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The method of `bprof system` that needs no BPF: perf events of our own, which nobody shares. Owns
 * their descriptors; must not know how their readings become a report.
 *
 * A scope is one event for each CPU (system, cgroup) or for each thread (process, thread, command),
 * which then also is one for each CPU where counts are wanted by CPU.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/perf_event.h>

#include "log.h"
#include "perf_event.h"
#include "system.h"
#include "task.h"
#include "util.h"

/*
 * So often a process's threads are opened anew because others were started meanwhile. Those of one
 * that never stops starting some are missed after that, if the starting thread was not open yet.
 */
#define MAX_ROUNDS 8

/* An event that is open, of one scope. */
struct counter {
	int fd;
	int event;
	int i; /* for system__at() */
};

struct counters {
	struct counter *v;
	int cnt;
};

struct perf_event_state {
	struct counters *scope; /* [scope] */
	int scope_cnt;
	bool inherit_thread; /* the kernel can let threads inherit, and processes not: Linux 5.13 */
};

/* One scope's events being opened. */
struct opener {
	struct system *s;
	const struct perf_event_state *state;
	enum scope_kind kind;
	unsigned long flags; /* perf_event_open()'s */
	struct counters *counters;
	int err[BPROF_MAX_EVENTS]; /* why the kernel refused an event, the last time; 0: not */
};

static bool is_task(enum scope_kind kind)
{
	return kind == SCOPE_PROCESS || kind == SCOPE_THREAD || kind == SCOPE_COMMAND;
}

/* The time of a task is what it runs; of a CPU, all of it. */
static void fill_clock(enum scope_kind kind, struct perf_event_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = is_task(kind) ? PERF_COUNT_SW_TASK_CLOCK : PERF_COUNT_SW_CPU_CLOCK;
}

static int open_event(const struct opener *o, int event, pid_t pid, int cpu, int group_fd)
{
	const struct event *ev = &o->s->events->v[event];
	bool inherit = o->s->opts.inherit;
	struct perf_event_attr attr;
	int err = 0;

	if (ev->kind == EVENT_TIME)
		fill_clock(o->kind, &attr);
	else
		err = event__to_attr(ev, &attr);
	if (err)
		return err;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	/* Precision is about sampled addresses: x86 refuses it for an event that only counts. */
	attr.precise_ip = 0;
	if (is_task(o->kind)) {
		/* Without inheritance a process still is all its threads, new ones too. */
		attr.inherit_thread = !inherit && o->kind == SCOPE_PROCESS &&
				      o->state->inherit_thread;
		attr.inherit = inherit || attr.inherit_thread;
	}
	if (group_fd >= 0) /* A group goes on the PMU as its leader does. */
		attr.pinned = attr.exclusive = 0;
	return perf_event__open(&attr, pid, cpu, group_fd, o->flags);
}

/* The leader of an event's group among the counters from first on, all of one place; or -1. */
static int find_leader(const struct opener *o, int first, int event)
{
	const struct event *ev = o->s->events->v;

	for (int i = first; ev[event].group >= 0 && i < o->counters->cnt; i++)
		if (ev[o->counters->v[i].event].group == ev[event].group)
			return o->counters->v[i].fd;
	return -1;
}

/*
 * Opens all events of a task (or of all: -1) on a CPU (or on all: -1), whose readings go to i. 0;
 * -ESRCH: the task has ended; -EMFILE, -ENFILE, -ENOMEM. What is refused otherwise goes to o->err.
 */
static int open_place(struct opener *o, pid_t pid, int cpu, int i)
{
	int first = o->counters->cnt;

	for (int e = 0; e < o->s->events->cnt; e++) {
		const struct event *ev = &o->s->events->v[e];
		struct counter *c;
		int fd;

		if (o->s->event[e].status != EVENT_OK)
			continue;
		if (cpu >= 0 && ev->cpumask.cnt && !cpus__has(&ev->cpumask, cpu))
			continue;
		fd = open_event(o, e, pid, cpu, find_leader(o, first, e));
		if (fd == -ESRCH || fd == -EMFILE || fd == -ENFILE || fd == -ENOMEM)
			return fd;
		if (fd < 0) {
			if (fd != -ENODEV) /* which an offline CPU says too */
				o->err[e] = fd;
			continue;
		}
		c = array__add(&o->counters->v, &o->counters->cnt, sizeof(*c));
		if (!c) {
			close(fd);
			return -ENOMEM;
		}
		*c = (struct counter){.fd = fd, .event = e, .i = i};
	}
	return 0;
}

static int open_places(struct opener *o, pid_t pid)
{
	const struct system *s = o->s;
	int err = 0;

	if (is_task(o->kind) && !s->some_cpus && !s->opts.per_cpu)
		return open_place(o, pid, -1, s->cpus.cnt);
	for (int i = 0; !err && i < s->cpus.cnt; i++)
		err = open_place(o, pid, s->cpus.id[i], i);
	return err;
}

static void close_counters(struct counters *counters)
{
	for (int i = 0; i < counters->cnt; i++)
		close(counters->v[i].fd);
	free(counters->v);
	memset(counters, 0, sizeof(*counters));
}

/* -ESRCH: all of them have ended. */
static int open_threads(struct opener *o, const struct task_list *threads)
{
	int ended = 0;

	for (int i = 0; i < threads->cnt; i++) {
		int err = open_places(o, threads->v[i]);

		if (err && err != -ESRCH)
			return err;
		ended += err == -ESRCH;
	}
	return ended < threads->cnt ? 0 : -ESRCH;
}

/* Are all of now in then? */
static bool has_all(const struct task_list *then, const struct task_list *now)
{
	for (int i = 0; i < now->cnt; i++)
		if (!task_list__has(then, now->v[i]))
			return false;
	return true;
}

/*
 * Opens the threads of a process. One that was started meanwhile either inherited the events of the
 * thread that started it, and must not be opened again, or was missed, and nothing tells which of
 * both: then all is done anew.
 */
static int open_process(struct opener *o, pid_t pid)
{
	bool complete = false;
	int err = 0;

	for (int round = 0; !err && !complete && round < MAX_ROUNDS; round++) {
		struct task_list then = {}, now = {};

		close_counters(o->counters);
		err = task_list__read(pid, &then);
		if (!err)
			err = open_threads(o, &then);
		if (!err)
			err = task_list__read(pid, &now);
		complete = has_all(&then, &now);
		task_list__free(&then);
		task_list__free(&now);
	}
	if (!complete)
		log_warn("process %d never stops starting threads: those that began just as it was "
			 "opened may not be counted",
			 pid);
	/* Its counts up to its end are there. */
	return err == -ESRCH && o->counters->cnt ? 0 : err;
}

static int open_cgroup(struct opener *o, const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	o->flags = PERF_FLAG_PID_CGROUP;
	err = open_places(o, fd);
	close(fd);
	return err;
}

static int open_scope(struct opener *o, const struct scope *scope)
{
	switch (scope->kind) {
	case SCOPE_SYSTEM:
		return open_places(o, -1);
	case SCOPE_PROCESS:
		return open_process(o, scope->id);
	case SCOPE_CGROUP:
		return open_cgroup(o, scope->path);
	default:
		return open_places(o, scope->id);
	}
}

/* Tries an event for a kind of scope, without one: 0 or -errno. */
static int try_event(struct system *s, const struct perf_event_state *state, int event,
		     enum scope_kind kind)
{
	const struct event *ev = &s->events->v[event];
	struct opener o = {.s = s, .state = state, .kind = kind};
	int fd = -ENODEV;

	if (is_task(kind))
		fd = open_event(&o, event, 0, -1, -1);
	for (int i = 0; !is_task(kind) && fd == -ENODEV && i < s->cpus.cnt; i++)
		if (!ev->cpumask.cnt || cpus__has(&ev->cpumask, s->cpus.id[i]))
			fd = open_event(&o, event, -1, s->cpus.id[i], -1);
	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

/* err: the kernel's refusal of an event for a scope of this kind. */
static void explain(struct system *s, const struct perf_event_state *state, int event,
		    enum scope_kind kind, int err, struct system_event *out)
{
	bool masked = s->events->v[event].cpumask.cnt;

	out->status = perf_event__refusal(err, out->detail, sizeof(out->detail));
	/* Such PMUs are no part of a CPU, so no task's (kernel/events/core.c: "uncore-task"). */
	if (err == -EINVAL && kind != SCOPE_SYSTEM && masked &&
	    !try_event(s, state, event, SCOPE_SYSTEM))
		snprintf(out->detail, sizeof(out->detail),
			 "its PMU counts for whole CPUs, not for a %s; count it with -a",
			 scope_kind__name(kind));
	else if (err == -ENODEV && masked)
		snprintf(out->detail, sizeof(out->detail),
			 "its PMU counts on other CPUs only, see its cpumask");
}

/* An event is as it is for that kind of the session's scopes for which it does best. */
static void try_kinds(struct system *s, const struct perf_event_state *state, int event)
{
	bool tried[SCOPE_KIND_CNT] = {};

	for (int i = 0; i < s->scopes.cnt; i++) {
		enum scope_kind kind = s->scopes.v[i].kind;
		int err = tried[kind] ? 0 : try_event(s, state, event, kind);

		if (!tried[kind] && !err) {
			s->event[event] = (struct system_event){.status = EVENT_OK};
			return;
		}
		if (!tried[kind])
			explain(s, state, event, kind, err, &s->event[event]);
		tried[kind] = true;
	}
}

/* Does the kernel know inherit_thread (commit 2b26f0aa0046)? */
static bool has_inherit_thread(void)
{
	struct perf_event_attr attr;
	int fd;

	fill_clock(SCOPE_PROCESS, &attr);
	attr.disabled = attr.inherit = attr.inherit_thread = 1;
	fd = perf_event__open(&attr, 0, -1, -1, 0);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void close_method(struct system *s, void *state_ptr)
{
	struct perf_event_state *state = state_ptr;

	if (!state)
		return;
	for (int i = 0; state->scope && i < state->scope_cnt; i++)
		close_counters(&state->scope[i]);
	free(state->scope);
	free(state);
}

static int open_method(struct system *s, void **state_ptr, char *why, size_t why_sz)
{
	struct perf_event_state *state = calloc(1, sizeof(*state));

	*state_ptr = NULL;
	if (state)
		state->scope = calloc(s->scopes.cnt + 1, sizeof(*state->scope));
	if (!state || !state->scope) {
		snprintf(why, why_sz, "out of memory");
		close_method(s, state);
		return -ENOMEM;
	}
	state->scope_cnt = s->scopes.cnt;
	state->inherit_thread = has_inherit_thread();
	for (int e = 0; e < s->events->cnt; e++)
		try_kinds(s, state, e);
	*state_ptr = state;
	return 0;
}

static bool has_event(const struct counters *counters, int event)
{
	for (int i = 0; i < counters->cnt; i++)
		if (counters->v[i].event == event)
			return true;
	return false;
}

/* "process 42 (nginx)", "cgroup a/b" */
static const char *label(const struct scope *scope, char *buf, size_t sz)
{
	const char *kind = scope_kind__name(scope->kind);

	if (is_task(scope->kind))
		snprintf(buf, sz, "%s %llu (%s)", kind, scope->id, scope->name);
	else
		snprintf(buf, sz, "%s%s%s", kind, *scope->name ? " " : "", scope->name);
	return buf;
}

/* What an event is that one scope lacks: not counted, if no other scope counts it. */
static void note_missing(const struct opener *o, int scope, int event)
{
	struct system *s = o->s;
	struct system_event missing = {};
	bool elsewhere = false;
	char buf[256];

	explain(s, o->state, event, o->kind, o->err[event] ?: -ENODEV, &missing);
	for (int i = 0; i < o->state->scope_cnt; i++)
		elsewhere |= has_event(&o->state->scope[i], event);
	if (!elsewhere)
		s->event[event] = missing;
	if (s->scopes.cnt > 1)
		log_warn("%s: event %s: %s", label(&s->scopes.v[scope], buf, sizeof(buf)),
			 s->events->v[event].name, missing.detail);
}

/* Why nothing of a scope could be opened. */
static int say_why(const struct opener *o, int err, char *why, size_t why_sz)
{
	struct system_event refused = {};

	for (int e = 0; !err && e < o->s->events->cnt; e++)
		err = o->err[e];
	if (!err)
		err = -ENODEV;
	if (err == -ESRCH)
		snprintf(why, why_sz, "it has ended");
	else if (err == -EMFILE || err == -ENFILE)
		snprintf(why, why_sz,
			 "out of file descriptors; raise 'ulimit -n' or count fewer events, "
			 "tasks or CPUs (-C)");
	else if (o->kind == SCOPE_CGROUP && !o->flags)
		snprintf(why, why_sz, "its directory cannot be opened: %s", strerror(-err));
	else {
		perf_event__refusal(err, refused.detail, sizeof(refused.detail));
		snprintf(why, why_sz, "%s", refused.detail);
	}
	return err;
}

static bool counts_anything(const struct system *s)
{
	for (int e = 0; e < s->events->cnt; e++)
		if (s->event[e].status == EVENT_OK)
			return true;
	return false;
}

static int add_scope(struct system *s, void *state_ptr, int scope, char *why, size_t why_sz)
{
	struct perf_event_state *state = state_ptr;
	struct opener o = {
		.s = s,
		.state = state,
		.kind = s->scopes.v[scope].kind,
		.counters = &state->scope[scope],
	};
	int err;

	close_counters(o.counters);
	if (!counts_anything(s)) /* which is the events' fault, not the scope's */
		return 0;
	err = open_scope(&o, &s->scopes.v[scope]);
	if (err || !o.counters->cnt) {
		close_counters(o.counters);
		return say_why(&o, err, why, why_sz);
	}
	for (int e = 0; e < s->events->cnt; e++)
		if (s->event[e].status == EVENT_OK && !has_event(o.counters, e))
			note_missing(&o, scope, e);
	return 0;
}

static void remove_scope(struct system *s, void *state_ptr, int scope)
{
	struct perf_event_state *state = state_ptr;

	close_counters(&state->scope[scope]);
}

static void read_counter(struct system *s, int scope, const struct counter *c,
			 struct reading *readings)
{
	struct reading *sum = &readings[system__at(s, scope, c->event, c->i)];
	struct system_event *ev = &s->event[c->event];
	struct reading one; /* laid out as the kernel's read_format has it */
	ssize_t n = read(c->fd, &one, sizeof(one));

	if (n == sizeof(one)) {
		sum->counter += one.counter;
		sum->enabled_ns += one.enabled_ns;
		sum->running_ns += one.running_ns;
		return;
	}
	ev->status = EVENT_NOT_COUNTED;
	/* in error the kernel has nothing to read: end of file */
	if (!n)
		snprintf(ev->detail, sizeof(ev->detail),
			 "no counter was free, and it is pinned (modifier D); leave D out to "
			 "share one");
	else
		snprintf(ev->detail, sizeof(ev->detail), "reading it: %s",
			 n < 0 ? strerror(errno) : "cut short");
}

static int read_all(struct system *s, void *state_ptr, struct reading *readings)
{
	const struct perf_event_state *state = state_ptr;

	for (int i = 0; i < state->scope_cnt; i++)
		for (int j = 0; j < state->scope[i].cnt; j++)
			read_counter(s, i, &state->scope[i].v[j], readings);
	return 0;
}

const struct system_ops perf_event_ops = {
	.method = "perf_event",
	.open = open_method,
	.add_scope = add_scope,
	.remove_scope = remove_scope,
	.read = read_all,
	.close = close_method,
};
