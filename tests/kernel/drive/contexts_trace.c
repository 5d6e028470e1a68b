// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Attaches tracing programs to their hooks, and triggers the traced events.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "tests/kernel/drive/contexts_hooks.h"
#include "tests/kernel/drive/testrun.h"

#define CLOCK_PERIOD_NS 100000
#define NSEC_PER_SEC 1000000000ULL

int attach_raw_tp(struct use *u)
{
	return use__keep(u, bpf_raw_tracepoint_open(u->hook->where, u->prog_fd));
}

/*
 * Attaches the program to two tracepoints, one with interrupts enabled and one with interrupts
 * disabled; drive_sleep() reaches both in turn.
 */
int attach_mixed_raw_tp(struct use *u)
{
	int err = use__keep(u, bpf_raw_tracepoint_open("sys_enter", u->prog_fd));

	return err ? err
		   : use__keep(u, bpf_raw_tracepoint_open("hrtimer_expire_entry", u->prog_fd));
}

/* Attaches the program to the function for which it was loaded. */
int attach_tracing(struct use *u)
{
	return use__keep(u, bpf_raw_tracepoint_open(NULL, u->prog_fd));
}

int attach_iter(struct use *u)
{
	u->link = bpf_link_create(u->prog_fd, 0, BPF_TRACE_ITER, NULL);
	return use__keep(u, u->link);
}

int attach_nothing(struct use *u)
{
	return 0;
}

int attach_probes(struct use *u)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .kprobe_multi.syms = (const char **)&u->hook->where,
		    .kprobe_multi.cnt = 1, .kprobe_multi.flags = u->hook->type);

	return use__keep(u, bpf_link_create(u->prog_fd, 0, BPF_TRACE_KPROBE_MULTI, &opts));
}

static int read_number(const char *path, unsigned long long *out)
{
	FILE *f = fopen(path, "re");
	int err = 0;

	if (!f)
		return -errno;
	if (fscanf(f, "%llu", out) != 1)
		err = -EINVAL;
	fclose(f);
	return err;
}

/* Opens the event on CPU 0 and attaches the program to the event. */
static int attach_event(struct use *u, struct perf_event_attr *attr)
{
	int fd, err;

	attr->size = sizeof(*attr);
	fd = syscall(SYS_perf_event_open, attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	err = use__keep(u, fd);
	if (err < 0)
		return err;
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, u->prog_fd) || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		return -errno;
	return 0;
}

/* Opens an event of the PMU kprobe or uprobe. */
static int attach_to_function(struct use *u, const char *pmu, const char *name, __u64 offset)
{
	struct perf_event_attr attr = {.config1 = (__u64)(unsigned long)name, .config2 = offset};
	unsigned long long type;
	char path[64];
	int err;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", pmu);
	err = read_number(path, &type);
	if (err)
		return err;
	attr.type = type;
	attr.config = u->hook->type; /* bit 0 selects a return probe (format/retprobe) */
	return attach_event(u, &attr);
}

int attach_probe(struct use *u)
{
	return attach_to_function(u, "kprobe", u->hook->where, 0);
}

#define OPTIMIZATION "/proc/sys/debug/kprobes-optimization"

static void write_number(const char *path, int n)
{
	FILE *f = fopen(path, "we");

	if (!f)
		return; /* only x86-64 has this file */
	fprintf(f, "%d\n", n);
	fclose(f);
}

/*
 * Attaches the program with a breakpoint to some instruction after the function's entry, because at
 * the entry, x86-64 would use ftrace. Tries several offsets, because only the kernel knows where an
 * instruction begins. Turns off jump optimization, which would replace the breakpoint after some
 * time.
 */
int attach_breakpoint(struct use *u)
{
	int err = -EINVAL;

	write_number(OPTIMIZATION, 0);
	for (__u64 offset = 5; offset < 32 && err; offset++)
		err = attach_to_function(u, "kprobe", u->hook->where, offset);
	return err;
}

void detach_breakpoint(struct use *u)
{
	write_number(OPTIMIZATION, 1);
}

/* The function to which the uprobe is attached. */
static __attribute__((noinline)) void probed(void)
{
	asm volatile("");
}

/* Finds the offset of an address in the executable file of this process. */
static int file_offset(unsigned long addr, __u64 *out)
{
	unsigned long from, to, offset;
	int err = -ENOENT;
	char line[512];
	FILE *f = fopen("/proc/self/maps", "re");

	if (!f)
		return -errno;
	while (err && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %*s %lx", &from, &to, &offset) == 3 && addr >= from &&
		    addr < to) {
			*out = addr - from + offset;
			err = 0;
		}
	fclose(f);
	return err;
}

int attach_uprobe(struct use *u)
{
	__u64 offset = 0;
	char self[256];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int err;

	if (len < 0)
		return -errno;
	self[len] = '\0';
	err = file_offset((unsigned long)probed, &offset);
	return err ? err : attach_to_function(u, "uprobe", self, offset);
}

int attach_tracepoint(struct use *u)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT};
	unsigned long long id;
	char path[128];
	int err;

	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%s/id", u->hook->where);
	err = read_number(path, &id);
	if (err)
		return err;
	attr.config = id;
	return attach_event(u, &attr);
}

int attach_counter(struct use *u)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
				       .config = PERF_COUNT_HW_INSTRUCTIONS,
				       .sample_period = CLOCK_PERIOD_NS};

	return attach_event(u, &attr);
}

int attach_clock(struct use *u)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .config = PERF_COUNT_SW_CPU_CLOCK,
				       .sample_period = CLOCK_PERIOD_NS};

	return attach_event(u, &attr);
}

/* Calls getsid() with a process id, because with 0 the kernel does not call the security hook. */
int drive_getsid(struct use *u, int cnt)
{
	for (int i = 0; i < cnt; i++)
		if (getsid(getpid()) < 0)
			return -errno;
	return 0;
}

int drive_rename(struct use *u, int cnt)
{
	for (int i = 0; i < cnt; i++)
		if (prctl(PR_SET_NAME, "drive"))
			return -errno;
	return 0;
}

int drive_iter(struct use *u, int cnt)
{
	char buf[64];

	for (int i = 0; i < cnt; i++) {
		int fd = bpf_iter_create(u->link), err = 0;

		if (fd < 0 || read(fd, buf, sizeof(buf)) < 0)
			err = -errno;
		if (fd >= 0)
			close(fd);
		if (err)
			return err;
	}
	return 0;
}

int drive_uprobe(struct use *u, int cnt)
{
	for (int i = 0; i < cnt; i++)
		probed();
	return 0;
}

static __u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NSEC_PER_SEC + t.tv_nsec;
}

int drive_spin(struct use *u, int cnt)
{
	/* Spin for one more period, because an event's periods do not begin when this loop does. */
	__u64 end = now_ns() + (__u64)(cnt + 1) * CLOCK_PERIOD_NS;

	while (now_ns() < end)
		;
	return 0;
}

/* Sleeps cnt times; each sleep ends with a timer interrupt. */
int drive_sleep(struct use *u, int cnt)
{
	struct timespec pause = {.tv_nsec = 1000};

	for (int i = 0; i < cnt; i++)
		nanosleep(&pause, NULL);
	return 0;
}

int drive_test_run(struct use *u, int cnt)
{
	return testrun__fd(u->prog_fd, cnt);
}

/* Does a test run of another program, which reaches the tracepoint bpf_test_finish. */
int drive_other_test_run(struct use *u, int cnt)
{
	static const struct bpf_insn pass[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = XDP_PASS},
		{.code = BPF_JMP | BPF_EXIT},
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_XDP, "pass", "GPL", pass, 2, NULL);
	int err = use__keep(u, fd);

	for (int i = 0; i < cnt && !err; i++)
		err = testrun__fd(fd, 1);
	return err;
}
