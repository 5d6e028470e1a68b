// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads the idle times of CPUs (cpu_idle.h). Must not know what they are for. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "host/cpu_idle.h"

struct cpu_idle {
	FILE *f;
	__u64 tick_ns;
};

int cpu_idle__open(struct cpu_idle **out)
{
	struct cpu_idle *idle = calloc(1, sizeof(*idle));
	int err = idle ? 0 : -ENOMEM;

	*out = NULL;
	if (!err) {
		idle->tick_ns = 1000 * NSEC_PER_MSEC / sysconf(_SC_CLK_TCK);
		idle->f = fopen("/proc/stat", "re");
		err = idle->f ? 0 : -errno;
	}
	if (err)
		cpu_idle__close(idle);
	else
		*out = idle;
	return err;
}

void cpu_idle__close(struct cpu_idle *idle)
{
	if (!idle)
		return;
	if (idle->f)
		fclose(idle->f);
	free(idle);
}

/*
 * The lines of the CPUs follow the first one, which has their sum:
 * "cpu0 USER NICE SYSTEM IDLE IOWAIT ..." (proc(5)).
 */
int cpu_idle__read(const struct cpu_idle *idle, __u64 *idle_ns, int cpu_limit)
{
	unsigned long long ticks, wait;
	char line[512];
	int cpu;

	memset(idle_ns, 0, cpu_limit * sizeof(*idle_ns));
	rewind(idle->f);
	while (fgets(line, sizeof(line), idle->f) && !strncmp(line, "cpu", 3))
		if (line[3] != ' ' &&
		    sscanf(line, "cpu%d %*u %*u %*u %llu %llu", &cpu, &ticks, &wait) == 3 &&
		    cpu < cpu_limit)
			idle_ns[cpu] = (ticks + wait) * idle->tick_ns;
	return ferror(idle->f) ? -EIO : 0;
}
