// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finds out how many counters of a PMU are free, by taking them.
 */
#include <stdbool.h>
#include <unistd.h>
#include <sys/syscall.h>
#include <linux/perf_event.h>

#include "tests/kernel/drive/counters.h"

/* more than any PMU has */
#define MAX_COUNTERS 64

/*
 * An event that is not pinned gets a counter if one is free when it is opened, and takes none from
 * the events that are there already; otherwise it is rotated in later. If it has been on a counter
 * all the time since it was opened, a counter was free.
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
