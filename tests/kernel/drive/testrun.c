// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Runs programs with BPF_PROG_TEST_RUN. Owns the input that each program type needs
 * (net/bpf/test_run.c). Links no code of bprof.
 */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "tests/kernel/drive/netdev.h"
#include "tests/kernel/drive/testrun.h"

/*
 * The most runs in one system call. With full or lazy preemption, a test run may hold the RCU read
 * lock until its last run: after the kernel has preempted it once, bpf_test_timer_continue() no
 * longer releases the lock. Until the test run ends, every synchronize_rcu() in the system waits,
 * for example in another test run of an XDP program.
 */
#define MAX_CALL 100000
/*
 * What the system call itself costs can change by 1,000 instructions for many tries (seen with
 * preempt=full). If it does so between the least of the short and the least of the long tries, the
 * slope is wrong by a 500th of this. So the difference of a short and the next long try counts, if
 * some of these differences are the same.
 */
#define SLOPE_SAME 4
#define SLOPE_SHORT 100
#define SLOPE_LONG 600
#define SLOPE_TRIES 40

/*
 * Returns true for program types whose test run takes a packet and a number of repetitions. For
 * other types, a test run runs the program once.
 */
static bool takes_packet(enum bpf_prog_type type)
{
	switch (type) {
	case BPF_PROG_TYPE_XDP:
	case BPF_PROG_TYPE_SCHED_CLS:
	case BPF_PROG_TYPE_SCHED_ACT:
	case BPF_PROG_TYPE_CGROUP_SKB:
	case BPF_PROG_TYPE_SOCKET_FILTER:
	case BPF_PROG_TYPE_FLOW_DISSECTOR:
		return true;
	default:
		return false;
	}
}

static int run_packets(int fd, int repeat, __u32 *ns)
{
	char packet[64];
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = packet, .repeat = repeat);

	opts.data_size_in = packet__build(packet, sizeof(packet), 0);
	if (bpf_prog_test_run_opts(fd, &opts))
		return -errno;
	*ns = opts.duration;
	return 0;
}

static int run_packet(int fd, __u64 cnt)
{
	while (cnt) {
		int repeat = cnt < MAX_CALL ? cnt : MAX_CALL;
		__u32 ns;
		int err = run_packets(fd, repeat, &ns);

		if (err)
			return err;
		cnt -= repeat;
	}
	return 0;
}

static int run_ctx(int fd, __u64 cnt)
{
	__u64 args[12] = {}; /* MAX_BPF_FUNC_ARGS arguments, for raw tracepoints */

	while (cnt--) {
		LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = args, .ctx_size_in = sizeof(args));

		if (bpf_prog_test_run_opts(fd, &opts))
			return -errno;
	}
	return 0;
}

int testrun__fd(int prog_fd, __u64 cnt)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	if (bpf_obj_get_info_by_fd(prog_fd, &info, &len))
		return -errno;
	return takes_packet(info.type) ? run_packet(prog_fd, cnt) : run_ctx(prog_fd, cnt);
}

int testrun__id(__u32 id, __u64 cnt)
{
	int fd = bpf_prog_get_fd_by_id(id);
	int err;

	if (fd < 0)
		return -errno;
	err = testrun__fd(fd, cnt);
	close(fd);
	return err;
}

int testrun__time(__u32 id, __u64 cnt, __u32 *ns)
{
	int fd = bpf_prog_get_fd_by_id(id), err;

	if (fd < 0)
		return -errno;
	err = cnt <= INT_MAX ? run_packets(fd, cnt, ns) : -ERANGE;
	close(fd);
	return err;
}

static int open_counter(void)
{
	struct perf_event_attr attr = {.size = sizeof(attr),
				       .type = PERF_TYPE_HARDWARE,
				       .config = PERF_COUNT_HW_INSTRUCTIONS};
#if defined(__x86_64__)
	FILE *f = fopen("/sys/bus/event_source/devices/msr/type", "re");

	if (!f || fscanf(f, "%u", &attr.type) != 1) {
		if (f)
			fclose(f);
		return -ENOENT;
	}
	fclose(f);
	attr.config = 0; /* msr/tsc/ */
#endif
	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Runs the program cnt times, and sets *cost to what these runs cost. */
static int find_cost(int counter, int fd, __u64 cnt, __u64 *cost)
{
	__u64 before, after;
	int err;

	if (read(counter, &before, sizeof(before)) != sizeof(before))
		return -EIO;
	err = testrun__fd(fd, cnt);
	if (err)
		return err;
	if (read(counter, &after, sizeof(after)) != sizeof(after))
		return -EIO;
	if (after == before)
		return -EBUSY; /* another process uses the counter */
	*cost = after - before;
	return 0;
}

static int compare_numbers(const void *a, const void *b)
{
	const __s64 *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Sorts the cnt numbers, and sets *out to the most frequent one. Returns how often it is there. */
static int find_most_frequent(__s64 *v, int cnt, __s64 *out)
{
	int most = 0, same = 0;

	qsort(v, cnt, sizeof(*v), compare_numbers);
	for (int i = 0; i < cnt; i++) {
		same = i && v[i] == v[i - 1] ? same + 1 : 1;
		if (same <= most)
			continue;
		most = same;
		*out = v[i];
	}
	return most;
}

int testrun__slope(__u32 id, double *out)
{
	__u64 cost[2], min[2] = {~0ULL, ~0ULL};
	__s64 added[SLOPE_TRIES], most_frequent = 0;
	int fd, counter = -1, err;

	fd = bpf_prog_get_fd_by_id(id);
	if (fd < 0)
		return -errno;
	counter = open_counter();
	err = counter < 0 ? -errno : 0;
	/*
	 * Take turns: other work of the kernel, which can last some ms, then adds to both lengths
	 * or to none.
	 */
	for (int i = 0; !err && i < SLOPE_TRIES; i++) {
		err = find_cost(counter, fd, SLOPE_SHORT, &cost[0])
			      ?: find_cost(counter, fd, SLOPE_LONG, &cost[1]);
		for (int k = 0; !err && k < 2; k++)
			min[k] = cost[k] < min[k] ? cost[k] : min[k];
		added[i] = cost[1] - cost[0];
	}
	if (!err && find_most_frequent(added, SLOPE_TRIES, &most_frequent) < SLOPE_SAME)
		most_frequent = min[1] - min[0];
	*out = (double)most_frequent / (SLOPE_LONG - SLOPE_SHORT);
	if (counter >= 0)
		close(counter);
	close(fd);
	return err;
}
