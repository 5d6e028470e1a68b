// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the only call of perf_event_open(2), the meaning of its errors, and the number of counters.
 * Must not know what is being measured.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/perf_event.h>

#include "base/util.h"
#include "kernel/feature.h"
#include "kernel/perf_event.h"

int perf_event__open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
		     unsigned long flags)
{
	int fd = syscall(SYS_perf_event_open, attr, pid, cpu, group_fd,
			 flags | PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

void perf_event__leave_guests_out(struct perf_event_attr *attr)
{
	if (!attr->exclude_host && !attr->exclude_user)
		attr->exclude_guest = true;
}

int perf_event__open_host(struct perf_event_attr attr, pid_t pid, int cpu, int group_fd,
			  unsigned long flags)
{
	int fd = perf_event__open(&attr, pid, cpu, group_fd, flags);

	if (fd != -EINVAL || !attr.exclude_guest)
		return fd;
	attr.exclude_guest = false;
	return perf_event__open(&attr, pid, cpu, group_fd, flags);
}

/* A limit for the search: no PMU has more counters than this. */
#define MAX_COUNTERS 64

/* Explanations of the errors of perf_event_open() for people. */
static const struct {
	int err;
	enum event_status status;
	const char *text;
} refusals[] = {
	{ENOENT, EVENT_NOT_SUPPORTED, "this machine's PMU does not have it"},
	{ENODEV, EVENT_NOT_SUPPORTED, "no PMU of this machine supports it"},
	{EOPNOTSUPP, EVENT_NOT_SUPPORTED, "the PMU does not support it, or one of its modifiers"},
	{EINVAL, EVENT_NOT_SUPPORTED,
	 "the kernel refuses its configuration, or its group does not fit the PMU"},
	{EACCES, EVENT_NOT_COUNTED, "no permission: it needs CAP_PERFMON"},
	{EPERM, EVENT_NOT_COUNTED, "no permission: it needs CAP_PERFMON"},
	{EBUSY, EVENT_NOT_COUNTED, "another user has exclusive use of the PMU"},
};

bool perf_event__is_denied(int err)
{
	return err == -EACCES || err == -EPERM;
}

void perf_event__explain(int err, struct event_state *state)
{
	const size_t sz = sizeof(state->detail);
	int paranoid;

	state->denied = perf_event__is_denied(err);
	/* In Debian's kernels, perf_event_paranoid can be 3: then CAP_PERFMON is not enough. */
	if (state->denied && !features__perf_event_paranoid("", &paranoid) && paranoid > 2) {
		snprintf(
			state->detail, sz,
			"no permission: with kernel.perf_event_paranoid=%d it needs CAP_SYS_ADMIN; "
			"with 2, CAP_PERFMON is enough",
			paranoid);
		state->status = EVENT_NOT_COUNTED;
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++) {
		if (refusals[i].err != -err)
			continue;
		snprintf(state->detail, sz, "%s", refusals[i].text);
		state->status = refusals[i].status;
		return;
	}
	snprintf(state->detail, sz, "perf_event_open: %s", strerror(-err));
	state->status = EVENT_NOT_SUPPORTED;
}

int perf_event__count_counters(int cpu)
{
	/*
	 * Open one event of cycles, for which many PMUs have a special counter. Then open as many
	 * events of instructions as possible: they can use any other counter. If the PMU cannot
	 * count instructions, open more events of cycles.
	 */
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.pinned = 1,
	};
	int fds[MAX_COUNTERS], cnt = 0, fd, err = 0;
	__u64 value;

	while (cnt < MAX_COUNTERS) {
		fd = perf_event__open(&attr, -1, cpu, -1, 0);
		if (fd < 0 && cnt == 1 && attr.config == PERF_COUNT_HW_INSTRUCTIONS) {
			attr.config = PERF_COUNT_HW_CPU_CYCLES;
			continue;
		}
		if (fd < 0) {
			err = fd;
			break;
		}
		/* end of file: the pinned event is not on the PMU (__perf_read()) */
		if (read(fd, &value, sizeof(value)) != sizeof(value)) {
			close(fd);
			break;
		}
		fds[cnt++] = fd;
		if (cnt == 1)
			attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	}
	for (int i = 0; i < cnt; i++)
		close(fds[i]);
	if (cnt)
		return cnt;
	return err == -EPERM || err == -EACCES ? err : 0;
}
