// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The perf events of one scope. Chooses, opens and reads these events. Must not know how refused
 * events are reported.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/perf_event.h>

#include "base/log.h"
#include "base/util.h"
#include "host/task.h"
#include "kernel/perf_event.h"
#include "system/perf_counters.h"

/*
 * If a process starts threads while the events of its threads are opened, open_process() opens all
 * events again, at most this many times. If new threads are started in the last round, too, some of
 * them may not be counted.
 */
#define MAX_ROUNDS 8

/*
 * If a task's events are opened on one CPU, a clock with this event number is opened with them. The
 * clock's running time shows how long the task ran on that CPU. The enabled time of the events
 * cannot be used for this, because it also grows while the task runs on other CPUs.
 */
#define COUNTER_ON_CPU (-1)

/*
 * Fills attr for a clock that counts the run time of a task or, for other scopes, all time of a
 * CPU. The attr excludes the kernel, so that users who may not count in the kernel can open the
 * clock. The clocks still count time in the kernel.
 */
static void fill_clock(enum scope_kind kind, struct perf_event_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = scope_kind__is_task(kind) ? PERF_COUNT_SW_TASK_CLOCK
						 : PERF_COUNT_SW_CPU_CLOCK;
	attr->exclude_kernel = attr->exclude_hv = 1;
}

static int open_counter(const struct perf_opener *o, int event, pid_t pid, int cpu, int group_fd)
{
	const struct event *ev = event == COUNTER_ON_CPU ? NULL : &o->s->events->v[event];
	bool inherit = o->s->opts.inherit;
	struct perf_event_attr attr;
	int err = 0;

	if (!ev || ev->kind == EVENT_TIME)
		fill_clock(o->kind, &attr);
	else
		err = event__to_attr(ev, &attr);
	if (err)
		return err;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	/*
	 * The modifier p applies only to sampled addresses, and x86 refuses it for an event that
	 * only counts.
	 */
	attr.precise_ip = 0;
	if (scope_kind__is_task(o->kind)) {
		/* Even without inheritance (--no-inherit), new threads of a process are counted. */
		attr.inherit_thread = !inherit && o->kind == SCOPE_PROCESS && o->inherit_thread;
		attr.inherit = inherit || attr.inherit_thread;
	}
	/* Only the group leader may have these flags: they apply to the entire group. */
	if (group_fd >= 0)
		attr.pinned = attr.exclusive = 0;
	if (!ev || !ev->machines_given)
		perf_event__leave_guests_out(&attr);
	return perf_event__open_host(attr, pid, cpu, group_fd, o->flags);
}

/*
 * Returns the fd of the event's group leader, or -1 if there is none. Searches the counters of one
 * task and CPU, which begin at the index "first".
 */
static int find_group_fd(const struct perf_opener *o, int first, int event)
{
	const struct event *ev = o->s->events->v;

	for (int i = first; ev[event].group >= 0 && i < o->counters->cnt; i++) {
		const struct perf_counter *c = &o->counters->v[i];

		if (c->event != COUNTER_ON_CPU && ev[c->event].group == ev[event].group)
			return c->fd;
	}
	return -1;
}

/* Adds an event with descriptor fd, and takes ownership of fd. If fd is -errno, only returns fd. */
static int add_counter(struct perf_opener *o, int event, int i, int fd)
{
	if (fd < 0)
		return fd;
	*(struct perf_counter *)array__add(&o->counters->v, &o->counters->cnt,
					   sizeof(*o->counters->v)) =
		(struct perf_counter){.fd = fd, .event = event, .i = i};
	return 0;
}

/*
 * Opens all events of a task (-1: all tasks) on a CPU (-1: all CPUs). Their values will be added to
 * the reading with index i. Returns 0; -ESRCH if the task has ended; -EMFILE, -ENFILE or -ENOMEM.
 * Stores other errors of an event in o->err.
 */
static int open_place(struct perf_opener *o, pid_t pid, int cpu, int i)
{
	int first = o->counters->cnt;

	if (pid >= 0 && cpu >= 0 && scope_kind__is_task(o->kind)) {
		int err = add_counter(o, COUNTER_ON_CPU, i,
				      open_counter(o, COUNTER_ON_CPU, pid, cpu, -1));

		if (err)
			return err == -ENODEV ? 0 : err; /* the CPU is offline */
	}
	for (int e = 0; e < o->s->events->cnt; e++) {
		const struct event *ev = &o->s->events->v[e];
		int fd, err;

		if (o->s->event[e].status != EVENT_OK)
			continue;
		if (cpu >= 0 && ev->cpumask.cnt && !cpus__has(&ev->cpumask, cpu))
			continue;
		fd = open_counter(o, e, pid, cpu, find_group_fd(o, first, e));
		err = add_counter(o, e, i, fd);
		if (err == -ESRCH || is_shortage(err))
			return err;
		/* Ignore -ENODEV, which the kernel also returns for an offline CPU. */
		if (err && err != -ENODEV)
			o->err[e] = err;
		if (err && err != -ENODEV && cpu >= 0)
			o->s->refused[e * o->s->cpu_limit + cpu] = err;
	}
	return 0;
}

static int open_places(struct perf_opener *o, pid_t pid)
{
	const struct system *s = o->s;
	int err = 0;

	if (!system__counts_by_cpu(s, o->kind))
		return open_place(o, pid, -1, s->cpus.cnt);
	for (int i = 0; !err && i < s->cpus.cnt; i++)
		err = open_place(o, pid, s->cpus.id[i], i);
	return err;
}

void perf_counters__close(struct perf_counters *counters)
{
	for (int i = 0; i < counters->cnt; i++)
		close(counters->v[i].fd);
	free(counters->v);
	memset(counters, 0, sizeof(*counters));
}

/* Opens the events of these threads. Returns 0, -ESRCH if all have ended, or another -errno. */
static int open_threads(struct perf_opener *o, const struct task_list *threads)
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

/*
 * Opens the events of a process's threads. If a thread was started in the meantime, opens all
 * events again: the thread may have inherited its creator's events, or may have been started before
 * these events were open. bprof cannot find out which of the two happened.
 */
static int open_process(struct perf_opener *o, pid_t pid)
{
	bool complete = false;
	int err = 0;

	for (int round = 0; !err && !complete && round < MAX_ROUNDS; round++) {
		struct task_list then = {}, now = {};

		perf_counters__close(o->counters);
		err = task_list__read(pid, &then);
		if (!err)
			err = open_threads(o, &then);
		if (!err)
			err = task_list__read(pid, &now);
		complete = true;
		for (int i = 0; i < now.cnt; i++)
			complete &= task_list__has(&then, now.v[i]);
		task_list__free(&then);
		task_list__free(&now);
	}
	if (!complete)
		log_warn("process %d keeps starting threads: some that started while it was "
			 "opened may not be counted",
			 pid);
	/* If the process ended after some events were opened, they still have its counts. */
	return err == -ESRCH && o->counters->cnt ? 0 : err;
}

static int open_cgroup(struct perf_opener *o, const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	o->flags = PERF_FLAG_PID_CGROUP;
	err = open_places(o, fd);
	close(fd);
	return err;
}

int perf_opener__open(struct perf_opener *o, const struct scope *scope)
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

int perf_opener__try(const struct system *s, int event, enum scope_kind kind)
{
	const struct event *ev = &s->events->v[event];
	struct perf_opener o = {.s = s, .kind = kind};
	int fd = -ENODEV;

	if (scope_kind__is_task(kind))
		fd = open_counter(&o, event, 0, -1, -1);
	for (int i = 0; !scope_kind__is_task(kind) && fd == -ENODEV && i < s->cpus.cnt; i++)
		if (!ev->cpumask.cnt || cpus__has(&ev->cpumask, s->cpus.id[i]))
			fd = open_counter(&o, event, -1, s->cpus.id[i], -1);
	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

/* The kernel has perf_event_attr.inherit_thread since commit 2b26f0aa0046. */
bool perf_event__has_inherit_thread(void)
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

void perf_counters__read(const struct perf_counters *counters, const struct system *s, int scope,
			 struct reading *readings, int *unread)
{
	bool by_cpu = false;
	__u64 on_cpu_ns = 0;

	for (int i = 0; i < counters->cnt; i++) {
		const struct perf_counter *c = &counters->v[i];
		struct reading one = {}, *sum;
		/* struct reading has the layout of the kernel's read_format */
		ssize_t n = read(c->fd, &one, sizeof(one));
		/* 0 bytes: a pinned event that gets no counter is in an error state */
		int err = n == sizeof(one) ? 0 : n < 0 ? -errno : -EBUSY;

		if (c->event == COUNTER_ON_CPU) {
			by_cpu = !err;
			on_cpu_ns = one.running_ns;
			continue;
		}
		if (err) {
			unread[c->event] = err;
			continue;
		}
		/* The event was read after its clock, so its running time may be larger. */
		if (by_cpu)
			one.enabled_ns = on_cpu_ns > one.running_ns ? on_cpu_ns : one.running_ns;
		sum = &readings[system__at(s, scope, c->event, c->i)];
		sum->counter += one.counter;
		sum->enabled_ns += one.enabled_ns;
		sum->running_ns += one.running_ns;
	}
}

bool perf_counters__has(const struct perf_counters *counters, int event)
{
	for (int i = 0; i < counters->cnt; i++)
		if (counters->v[i].event == event)
			return true;
	return false;
}
