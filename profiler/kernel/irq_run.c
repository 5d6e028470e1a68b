// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the software event whose timer runs the program (kernel/events/core.c,
 * perf_swevent_hrtimer()). Must not know what is being measured. Prints nothing.
 */
#include <errno.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>

#include "base/util.h"
#include "kernel/irq_run.h"
#include "kernel/perf_event.h"

/* The kernel's minimum is 10 us. The period must be longer than the program with its probe. */
#define PERIOD_NS 20000

/* A time, not a number of periods: a busy host may stop a virtual machine for many of them. */
#define MAX_NS 1000000000ULL

int irq_run(int prog_fd, int cpu, bool (*done)(const void *arg), const void *arg)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .config = PERF_COUNT_SW_CPU_CLOCK,
				       .size = sizeof(attr),
				       .sample_period = PERIOD_NS,
				       .disabled = 1};
	int fd = perf_event__open(&attr, -1, cpu, -1, 0), err = 0;
	__u64 end;

	if (fd < 0)
		return fd;
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog_fd) || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		err = -errno;
	/* Busy-wait, so that each run interrupts the same code: this loop. */
	end = now_ns() + MAX_NS;
	while (!err && !done(arg) && now_ns() < end)
		;
	close(fd);
	return err;
}
