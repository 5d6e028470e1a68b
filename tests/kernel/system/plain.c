// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Opens and reads plain perf events, whose counts are the reference for bprof's counts. Shares no
 * code with bprof, not even the table of event names.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>

#include "tests/kernel/system/plain.h"

#define MSR_TYPE "/sys/bus/event_source/devices/msr/type"
#define MAX_CPUS 16

static const struct {
	const char *name;
	__u32 type; /* PERF_TYPE_MAX stands for the type of the PMU msr */
	__u64 config;
	bool user;
} events[] = {
	{"instructions:u", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, true},
	{"cycles:u", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, true},
	{"msr/tsc/", PERF_TYPE_MAX, 0, false},
	{"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, false},
	{"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, false},
	{"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, false},
};

static __u32 msr_type(void)
{
	FILE *file = fopen(MSR_TYPE, "re");
	__u32 type = 0;

	if (!file || fscanf(file, "%u", &type) != 1)
		fail_test(MSR_TYPE ": %s", strerror(errno));
	fclose(file);
	return type;
}

static struct perf_event_attr attr_of(const char *event)
{
	struct perf_event_attr attr = {.size = sizeof(attr)};

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		if (strcmp(events[i].name, event))
			continue;
		attr.type = events[i].type == PERF_TYPE_MAX ? msr_type() : events[i].type;
		attr.config = events[i].config;
		attr.exclude_kernel = attr.exclude_hv = events[i].user;
		return attr;
	}
	fail_test("no plain event %s", event);
	return attr;
}

/* Opens an event and adds it to p. Returns false if the CPU is offline. */
static bool add(struct fixture *f, struct plain *p, const struct perf_event_attr *attr, pid_t pid,
		int cpu, unsigned long flags)
{
	int fd = syscall(SYS_perf_event_open, attr, pid, cpu, -1, flags | PERF_FLAG_FD_CLOEXEC);

	if (fd < 0 && errno == ENODEV && cpu >= 0)
		return false;
	if (fd < 0)
		fail_test("perf_event_open: task %d, CPU %d: %s", pid, cpu, strerror(errno));
	assert_true(f->fd_cnt < MAX_KEPT && p->cnt < (int)(sizeof(p->fd) / sizeof(p->fd[0])));
	f->fd[f->fd_cnt++] = p->fd[p->cnt++] = fd;
	return true;
}

static struct plain on_cpus(struct fixture *f, const char *event, pid_t pid, unsigned long flags)
{
	struct perf_event_attr attr = attr_of(event);
	struct plain p = {};

	for (int cpu = 0; cpu < MAX_CPUS && p.cnt < online_cpus(); cpu++)
		add(f, &p, &attr, pid, cpu, flags);
	assert_int_equal(p.cnt, online_cpus());
	return p;
}

struct plain plain__system(struct fixture *f, const char *event)
{
	return on_cpus(f, event, -1, 0);
}

struct plain plain__cpu(struct fixture *f, const char *event, int cpu)
{
	struct perf_event_attr attr = attr_of(event);
	struct plain p = {};

	assert_true(add(f, &p, &attr, -1, cpu, 0));
	return p;
}

struct plain plain__task(struct fixture *f, const char *event, pid_t tid,
			 enum plain_inherit inherit)
{
	struct perf_event_attr attr = attr_of(event);
	struct plain p = {};

	attr.inherit = inherit == PLAIN_INHERIT;
	add(f, &p, &attr, tid, -1, 0);
	return p;
}

struct plain plain__cgroup(struct fixture *f, const char *event, const char *root, const char *name)
{
	char path[256];
	struct plain p;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		fail_test("%s: %s", path, strerror(errno));
	p = on_cpus(f, event, fd, PERF_FLAG_PID_CGROUP);
	close(fd);
	return p;
}

struct plain plain__sum(struct plain a, struct plain b)
{
	assert_true(a.cnt + b.cnt <= (int)(sizeof(a.fd) / sizeof(a.fd[0])));
	memcpy(&a.fd[a.cnt], b.fd, b.cnt * sizeof(b.fd[0]));
	a.cnt += b.cnt;
	return a;
}

double plain__read(const struct plain *p)
{
	double sum = 0;

	for (int i = 0; i < p->cnt; i++) {
		__u64 count;

		assert_int_equal(read(p->fd[i], &count, sizeof(count)), sizeof(count));
		sum += count;
	}
	return sum;
}
