// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Counts the free counters of a PMU by opening events until no counter is left.
 */
#include <stdbool.h>
#include <unistd.h>
#include <sys/syscall.h>
#include <linux/perf_event.h>

#include "tests/kernel/drive/counters.h"

/* More than any PMU has. */
#define MAX_COUNTERS 64

/*
 * Opens an event that is not pinned. If a counter is free, it counts such an event at once.
 * Otherwise, the event waits until the kernel rotates events; until then, the counters count the
 * events that were opened before. Returns true if the event has been counted the whole time since
 * it was opened, because a counter was free.
 */
static bool open_counted(int *fd)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	struct {
		unsigned long long count, enabled, running;
	} now;

	*fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	return *fd >= 0 && read(*fd, &now, sizeof(now)) == sizeof(now) && now.enabled &&
	       now.running == now.enabled;
}

int free_counters(void)
{
	int fd[MAX_COUNTERS], cnt = 0, opened;

	while (cnt < MAX_COUNTERS && open_counted(&fd[cnt]))
		cnt++;
	opened = cnt + (cnt < MAX_COUNTERS && fd[cnt] >= 0);
	while (opened--)
		close(fd[opened]);
	return cnt;
}
