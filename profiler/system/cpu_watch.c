// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finds out which CPUs have been offline. Must not know what is counted.
 */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <linux/perf_event.h>

#include "base/memory.h"
#include "base/util.h"
#include "kernel/perf_event.h"
#include "system/cpu_watch.h"

/* Longer than 10 ms, the step of the kernel's coarsest clock (HZ=100) */
#define LONGEST_PAUSE_MS 16

int cpu_watch__open(struct cpu_watch *w, const struct cpus *cpus)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED,
		.exclude_kernel = 1,
	};

	if (w->fd)
		return 0;
	w->fd = xmalloc(cpus->cnt * sizeof(*w->fd));
	for (w->cnt = 0; w->cnt < cpus->cnt; w->cnt++) {
		int fd = perf_event__open(&attr, -1, cpus->id[w->cnt], -1, 0);

		if (fd < 0 && is_shortage(fd)) {
			cpu_watch__close(w);
			return fd;
		}
		w->fd[w->cnt] = fd;
	}
	return 0;
}

/* Returns the time during which the event was enabled, in ns. */
static __u64 enabled_ns(int fd)
{
	__u64 values[2] = {}; /* the count, which is 0, and the time */

	return read(fd, values, sizeof(values)) == sizeof(values) ? values[1] : 0;
}

/* Returns true if the event's enabled time advances, so that the event has not stopped. */
static bool advances(int fd)
{
	__u64 before = enabled_ns(fd);

	for (long pause_ms = 0; pause_ms <= LONGEST_PAUSE_MS; pause_ms = 2 * pause_ms ?: 1) {
		struct timespec pause = {.tv_nsec = pause_ms * 1000000};

		if (pause_ms)
			nanosleep(&pause, NULL);
		if (enabled_ns(fd) != before)
			return true;
	}
	return false;
}

static bool is_online(int cpu)
{
	struct cpus online = {};
	bool is = !cpus__online(&online) && cpus__has(&online, cpu);

	cpus__free(&online);
	return is;
}

void cpu_watch__check(const struct cpu_watch *w, const struct cpus *cpus, bool *uncounted)
{
	struct cpus online = {};

	if (!w->fd || cpus__online(&online))
		return;
	for (int i = 0; i < w->cnt; i++) {
		int cpu = cpus->id[i];

		if (w->fd[i] < 0 || uncounted[cpu] || !cpus__has(&online, cpu))
			continue;
		uncounted[cpu] = !advances(w->fd[i]) && is_online(cpu);
	}
	cpus__free(&online);
}

void cpu_watch__close(struct cpu_watch *w)
{
	for (int i = 0; i < w->cnt; i++)
		close_fd(&w->fd[i]);
	free(w->fd);
	*w = (struct cpu_watch){};
}
