// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The perf events of one session. Owns the descriptors, one per event and CPU; knows no targets and
 * no BPF maps.
 *
 * If there are counters for all events, the events are opened pinned. The kernel either keeps a
 * pinned event on its counter until the event is closed, or puts the event into error state
 * permanently (kernel/events/core.c, event_sched_in). In error state, reading the event in a BPF
 * program fails with -EBUSY (perf_event_read_local). So the probe need not correct counts for
 * multiplexing, and can use bpf_perf_event_read(), which is faster than
 * bpf_perf_event_read_value().
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <linux/perf_event.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/util.h"
#include "bpf/probe.h"
#include "event/event_fds.h"
#include "kernel/perf_event.h"

static int open_perf_event(const struct event *ev, bool pinned, pid_t pid, int cpu, int group_fd)
{
	struct perf_event_attr attr;
	int err;

	err = event__to_attr(ev, &attr);
	if (err)
		return err;
	/* Only sampling uses precise_ip: x86 refuses precise_ip for an event that only counts. */
	attr.precise_ip = 0;
	/*
	 * Pinning the leader pins its group. The kernel refuses pinned siblings
	 * (perf_event_open(2)).
	 */
	attr.pinned = pinned && group_fd < 0;
	return perf_event__open(&attr, pid, cpu, group_fd, 0);
}

static int *fd_at(const struct event_fds *fds, int event, int cpu)
{
	return &fds->fd[event * fds->cpu_limit + cpu];
}

bool event_fds__is_open(const struct event_fds *fds, int event, int cpu)
{
	return cpu < fds->cpu_limit && *fd_at(fds, event, cpu) >= 0;
}

int event_fds__read(const struct event_fds *fds, int event, int cpu, __u64 *value)
{
	ssize_t n = read(*fd_at(fds, event, cpu), value, sizeof(*value));

	if (n == sizeof(*value))
		return 0;
	/* A pinned event without a counter is in error state: read() returns 0 (end of file). */
	return n < 0 ? -errno : -EBUSY;
}

int event_fds__enable(const struct event_fds *fds, int event, int cpu, bool on)
{
	int fd = *fd_at(fds, event, cpu);

	if (fd < 0)
		return 0;
	return ioctl(fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0) ? -errno : 0;
}

static void close_event(struct event_fds *fds, int event)
{
	for (int cpu = 0; cpu < fds->cpu_limit; cpu++) {
		int *fd = fd_at(fds, event, cpu);

		/*
		 * BPF maps may hold the event until the kernel frees them, some time later. Disable
		 * the event now: otherwise the next session would find the counter in use.
		 */
		if (*fd >= 0) {
			ioctl(*fd, PERF_EVENT_IOC_DISABLE, 0);
			close(*fd);
		}
		*fd = -1;
	}
}

/*
 * Returns the leader of the event's group, or -1 if the event is the leader or has no group. Time has no
 * descriptor, so it leads no other event.
 */
static int find_leader(const struct event_fds *fds, const struct event_list *events, int event)
{
	int group = events->v[event].group;

	for (int i = 0; group >= 0 && i < event; i++)
		if (events->v[i].group == group && events->v[i].kind != EVENT_TIME &&
		    fds->state[i].status == EVENT_OK)
			return i;
	return -1;
}

/*
 * Opens one event on all CPUs. If the kernel refuses the event, stores the reason in the event's
 * state and returns 0. Returns only the errors -EMFILE and -ENFILE, which are reported.
 */
static int open_on_cpus(struct event_fds *fds, const struct event_list *events, int event,
			const struct cpus *cpus)
{
	const struct event *ev = &events->v[event];
	struct event_state *state = &fds->state[event];
	int leader = find_leader(fds, events, event);
	int opened = 0, err = -ENODEV;

	for (int i = 0; i < cpus->cnt; i++) {
		int cpu = cpus->id[i], fd;

		/*
		 * The event's PMU may count only on some CPUs (big.LITTLE, uncore). Do not open the
		 * event on other CPUs.
		 */
		if (ev->cpumask.cnt && !cpus__has(&ev->cpumask, cpu))
			continue;
		fd = open_perf_event(ev, !fds->multiplexed, -1, cpu,
				     leader < 0 ? -1 : *fd_at(fds, leader, cpu));
		if (fd == -EMFILE || fd == -ENFILE)
			return log_err(
				fd,
				"event %s: out of file descriptors on CPU %d; raise 'ulimit -n' "
				"or measure fewer events or CPUs (-C)",
				ev->name, cpu);
		if (fd < 0) {
			/* Prefer other errors: -ENODEV may only mean that the CPU is offline. */
			if (fd != -ENODEV)
				err = fd;
			continue;
		}
		*fd_at(fds, event, cpu) = fd;
		opened++;
	}
	if (!opened)
		perf_event__explain(err, state);
	return 0;
}

/*
 * Sets fds->multiplexed if there is no counter for one of the open events. Call this only after
 * opening all events: opening a sibling that has no counter puts its leader into error state. Returns
 * 0 or -errno (reported).
 */
static int check_multiplexing(struct event_fds *fds, const struct event_list *events)
{
	for (int i = 0; i < events->cnt; i++) {
		int leader = find_leader(fds, events, i), which = leader < 0 ? i : leader;

		for (int cpu = 0; cpu < fds->cpu_limit; cpu++) {
			__u64 value;
			int err = *fd_at(fds, which, cpu) < 0
					  ? 0
					  : event_fds__read(fds, which, cpu, &value);

			if (err == -EBUSY)
				fds->multiplexed = true;
			else if (err)
				return log_err(err, "event %s cannot be read on CPU %d: %s",
					       events->v[which].name, cpu, strerror(-err));
		}
	}
	return 0;
}

static int reopen_events(struct event_fds *fds, const struct event_list *events,
			 const struct cpus *cpus)
{
	for (int i = 0; i < events->cnt; i++) {
		int err;

		close_event(fds, i);
		memset(&fds->state[i], 0, sizeof(fds->state[i]));
		if (events->v[i].kind == EVENT_TIME)
			continue;
		err = open_on_cpus(fds, events, i, cpus);
		if (err)
			return err;
	}
	return 0;
}

int event_fds__open(const struct event_list *events, const struct cpus *cpus, int cpu_limit,
		    struct event_fds **out)
{
	struct event_fds *fds = xcalloc(1, sizeof(*fds));
	int cnt = cpu_limit * events->cnt, err;

	*out = NULL;
	fds->fd = xcalloc(cnt + 1, sizeof(*fds->fd));
	fds->event_cnt = events->cnt;
	fds->cpu_limit = cpu_limit;
	for (int i = 0; i < cnt; i++)
		fds->fd[i] = -1;
	err = reopen_events(fds, events, cpus) ?: check_multiplexing(fds, events);
	if (!err && fds->multiplexed)
		err = reopen_events(fds, events, cpus);
	if (err) {
		event_fds__close(fds);
		return err;
	}
	for (int i = 0; i < events->cnt; i++) {
		bool is_clock = events->v[i].kind == EVENT_TIME;

		if (fds->state[i].status != EVENT_OK)
			continue;
		fds->clock |= is_clock;
		fds->state[i].slot = is_clock ? BPROF_CLOCK_SLOT : fds->perf_slot_cnt++;
	}
	*out = fds;
	return 0;
}

void event_fds__close(struct event_fds *fds)
{
	if (!fds)
		return;
	for (int i = 0; i < fds->event_cnt; i++)
		close_event(fds, i);
	free(fds->fd);
	free(fds);
}

/*
 * Returns 0 if the kernel can open this event, else -errno. Tries it for this process if tasks is
 * set, otherwise for a whole CPU.
 */
static int try_event(const struct event *ev, bool tasks)
{
	struct cpus online = {};
	int fd;

	if (ev->kind == EVENT_TIME)
		return 0;
	fd = tasks ? open_perf_event(ev, false, 0, -1, -1) : cpus__online(&online) ?: -ENODEV;
	for (int i = 0; fd == -ENODEV && i < online.cnt; i++)
		if (!ev->cpumask.cnt || cpus__has(&ev->cpumask, online.id[i]))
			fd = open_perf_event(ev, false, -1, online.id[i], -1);
	cpus__free(&online);
	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

int event__is_supported(const struct event *ev, void *unused)
{
	int err = try_event(ev, false);

	/* These errors say nothing about the event. */
	return is_shortage(err) || err == -EIO ? err : !err;
}

/* Drops the events that the kernel cannot open. */
static void drop_unsupported(struct event_list *list)
{
	int cnt = 0;

	for (int i = 0; i < list->cnt; i++) {
		struct event *ev = &list->v[i];

		if (!try_event(ev, list->tasks)) {
			list->v[cnt++] = *ev;
			continue;
		}
		log_note("%s cannot be counted here, and is left out; 'bprof doctor' says why",
			 ev->name);
		event__free(ev);
	}
	list->cnt = cnt;
}

static bool opens_any(const struct event_list *list)
{
	for (int i = 0; i < list->cnt; i++)
		if (!try_event(&list->v[i], list->tasks))
			return true;
	return false;
}

/* Replaces the events of the list. Returns 0 or -errno (reported). */
static int set_events(struct event_list *list, const char *spec)
{
	struct event_list empty = *list;
	int err;

	empty.v = NULL;
	empty.cnt = empty.group_cnt = 0;
	event_list__free(list);
	*list = empty;
	err = event_list__parse(list, spec, EVENT_SYSFS, NULL);
	return err ? log_err(err, "cannot parse the default events") : 0;
}

/*
 * Called if the list has the default events, and none of them is supported. Replaces them by their
 * user space variants (cycles:u) if only these are allowed, else by time. Returns 0 or -errno
 * (reported).
 */
static int replace_default(struct event_list *list)
{
	bool denied = perf_event__is_denied(try_event(&list->v[0], list->tasks));
	int err = 0;

	/* kernel.perf_event_paranoid=2 allows users to count their tasks in user space. */
	if (denied && list->tasks)
		err = set_events(list, "cycles:u,instructions:u");
	if (err)
		return err;
	if (opens_any(list)) {
		log_warn("no permission to count in the kernel: counting only in user space; run "
			 "as root to count both");
		return 0;
	}
	if (denied)
		log_warn("no permission to count cycles and instructions: measuring time; "
			 "run as root to count them");
	else
		log_warn("neither cycles nor instructions can be counted here: measuring "
			 "time (see 'bprof doctor')");
	return set_events(list, "time");
}

int event_list__set_default(struct event_list *list)
{
	int err;

	if (list->cnt)
		return 0;
	err = set_events(list, "cycles,instructions");
	if (!err && !opens_any(list))
		err = replace_default(list);
	if (!err)
		drop_unsupported(list);
	list->is_default = true;
	return err;
}

int event_list__check(const struct event_list *events, const struct event_state *state)
{
	bool denied = events->cnt, has_time = false;

	for (int i = 0; i < events->cnt; i++) {
		if (state[i].status == EVENT_OK)
			return 0;
		denied &= state[i].denied;
		has_time |= events->v[i].kind == EVENT_TIME;
	}
	for (int i = 0; i < events->cnt; i++)
		log_warn("event %s: %s", events->v[i].name, state[i].detail);
	return log_err(denied ? -EPERM : -ENODATA, "none of the events can be counted here; %s",
		       denied	  ? "run as root"
		       : has_time ? "see 'bprof doctor'"
				  : "use -e time, or see 'bprof doctor'");
}
