// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads the idle times of CPUs (cpu_idle.h). Must not know what they are for. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "host/cpu_idle.h"

/* More than the length of a CPU's line: its name and ten numbers. */
#define LINE_SZ 256

struct cpu_idle {
	int fd;
	int cpu_limit;
	__u64 tick_ns;
	size_t sz;
	char *text; /* the lines of the CPUs, which are the first ones of the file */
};

int cpu_idle__open(int cpu_limit, struct cpu_idle **out)
{
	struct cpu_idle *idle = calloc(1, sizeof(*idle));

	*out = NULL;
	if (!idle)
		return -ENOMEM;
	idle->cpu_limit = cpu_limit;
	idle->tick_ns = 1000 * NSEC_PER_MSEC / sysconf(_SC_CLK_TCK);
	idle->sz = (cpu_limit + 2) * LINE_SZ;
	idle->text = malloc(idle->sz);
	idle->fd = open("/proc/stat", O_RDONLY | O_CLOEXEC);
	if (idle->fd < 0 || !idle->text) {
		int err = idle->text ? -errno : -ENOMEM;

		cpu_idle__close(idle);
		return err;
	}
	*out = idle;
	return 0;
}

void cpu_idle__close(struct cpu_idle *idle)
{
	if (!idle)
		return;
	close_fd(&idle->fd);
	free(idle->text);
	free(idle);
}

/*
 * The lines of the CPUs follow the first one, which has their sum:
 * "cpu0 USER NICE SYSTEM IDLE IOWAIT ..." (proc(5)).
 */
int cpu_idle__read(const struct cpu_idle *idle, __u64 *idle_ns)
{
	ssize_t len = pread(idle->fd, idle->text, idle->sz - 1, 0);
	unsigned long long ticks, wait;
	char *line, *rest = idle->text;
	int cpu;

	if (len < 0)
		return -errno;
	idle->text[len] = '\0';
	memset(idle_ns, 0, idle->cpu_limit * sizeof(*idle_ns));
	while ((line = strsep(&rest, "\n")) && !strncmp(line, "cpu", 3))
		if (line[3] != ' ' &&
		    sscanf(line, "cpu%d %*u %*u %*u %llu %llu", &cpu, &ticks, &wait) == 3 &&
		    cpu < idle->cpu_limit)
			idle_ns[cpu] = (ticks + wait) * idle->tick_ns;
	return 0;
}
