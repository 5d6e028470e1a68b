// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Runs a program at a given rate (pace.h). Links no code of bprof. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "tests/kernel/drive/pace.h"
#include "tests/kernel/drive/testrun.h"

#define NS_PER_S 1000000000ULL
/* CONFIG_HZ=250, as Debian's kernels have */
#define TICK_NS 4000000ULL
/* The fractional part of the golden ratio, times 2^16: its multiples spread evenly. */
#define GOLDEN_RATIO_16 40503

static __u64 read_clock(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

static void sleep_until(__u64 ns)
{
	const struct timespec ts = {.tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

/*
 * Returns when the burst with that number begins. Its place in the period changes evenly from burst
 * to burst, over the whole period or, in longer periods, over a timer tick. At a fixed place, the
 * tick might hit the bursts of one session, but not the bursts of another.
 */
static __u64 burst_begin(__u64 begin, __u64 burst, __u64 period_ns)
{
	__u64 span = period_ns < TICK_NS ? period_ns : TICK_NS;

	return begin + burst * period_ns + (burst * GOLDEN_RATIO_16 & 0xffff) * span / 0x10000;
}

int pace__run(__u32 id, __u64 cnt, __u64 period_ns, __u64 duration_ns, struct pace *out)
{
	int fd = bpf_prog_get_fd_by_id(id), err = fd < 0 ? -errno : 0;
	__u64 begin = read_clock(CLOCK_MONOTONIC), cpu = read_clock(CLOCK_PROCESS_CPUTIME_ID);
	__u64 burst = 0;

	out->runs = 0;
	while (!err && read_clock(CLOCK_MONOTONIC) < begin + duration_ns) {
		err = testrun__fd(fd, cnt);
		out->runs += cnt;
		if (period_ns)
			sleep_until(burst_begin(begin, ++burst, period_ns));
	}
	out->elapsed_ns = read_clock(CLOCK_MONOTONIC) - begin;
	out->cpu_ns = read_clock(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	if (fd >= 0)
		close(fd);
	return err;
}

int pace__disturb(__u64 ns)
{
	const struct sched_param first = {.sched_priority = 1};

	if (sched_setscheduler(0, SCHED_FIFO, &first))
		return -errno;
	for (;;) {
		sleep_until(read_clock(CLOCK_MONOTONIC) + random() % (2 * ns + 1));
		for (volatile long spin = random() % 4096; spin; spin--)
			;
	}
}
