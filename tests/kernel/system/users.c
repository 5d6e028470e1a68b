// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Runs bperf users, and the process whose work they count. Does not know leaders, or what a test
 * expects.
 */
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/perf_event.h>

#include "tests/kernel/drive/switches.h"
#include "tests/kernel/harness.h"
#include "tests/kernel/system/users.h"

#define TURNS 40
#define TURN_LOOPS 200000
#define TURN_PAGES 10
#define PAGE 4096

static const struct {
	const char *name;
	__u32 type;
	__u64 config;
	bool user;
	int accuracy;
} events[] = {
	/*
	 * For arm64 with one vCPU and -icount. Two counts of the same instructions differ by at
	 * most 1/10000.
	 */
	{"instructions:u", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, true, 10000},
	/*
	 * For VMs without a PMU or without -icount. Without -icount, a PMU event counts the host's
	 * time, so two counters differ if the host runs something else between their readings.
	 */
	{"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, false, 1000},
};

static int event_index(void)
{
	return arch_is("aarch64") && online_cpus() == 1 ? 0 : 1;
}

const char *shuttle_event(void)
{
	return events[event_index()].name;
}

int shuttle_accuracy(void)
{
	return events[event_index()].accuracy;
}

/* ---- the shuttle: a process that works when ordered ---- */

static void take_turns(void)
{
	for (int turn = 0; turn < TURNS; turn++) {
		char *pages = mmap(NULL, TURN_PAGES * PAGE, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (pages == MAP_FAILED)
			_exit(1);
		for (int i = 0; i < TURN_PAGES; i++)
			((volatile char *)pages)[i * PAGE] = 1;
		munmap(pages, TURN_PAGES * PAGE);
		for (volatile int i = 0; i < TURN_LOOPS; i++)
			;
		usleep(50);
	}
}

static void work(int order, int answer, int cpu)
{
	cpu_set_t set;
	char c;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		_exit(1);
	while (write(answer, "r", 1) == 1 && read(order, &c, 1) == 1)
		take_turns();
	_exit(0);
}

static int open_counter(pid_t pid)
{
	int event = event_index();
	struct perf_event_attr attr = {
		.type = events[event].type,
		.size = sizeof(attr),
		.config = events[event].config,
		.exclude_kernel = events[event].user,
		.exclude_hv = events[event].user,
	};
	int fd = syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static void keep_fd(struct fixture *f, int fd)
{
	assert_true(f->fd_cnt < MAX_KEPT);
	f->fd[f->fd_cnt++] = fd;
}

/* Waits until the shuttle has executed its order and sleeps. */
static void await_shuttle(const struct shuttle *w)
{
	char path[32], line[256], c, *state = NULL;

	assert_int_equal(read(w->answer, &c, 1), 1);
	snprintf(path, sizeof(path), "/proc/%d/stat", w->pid);
	while ((!state || state[2] != 'S') && !hangs()) {
		FILE *f = fopen(path, "re");

		assert_non_null(f);
		state = fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
		fclose(f);
		assert_non_null(state);
	}
}

void shuttle__start(struct fixture *f, struct shuttle *w, int cpu)
{
	int order[2], answer[2];

	assert_int_equal(pipe2(order, O_CLOEXEC), 0);
	assert_int_equal(pipe2(answer, O_CLOEXEC), 0);
	w->pid = fork();
	assert_true(w->pid >= 0);
	if (!w->pid) {
		close(order[1]);
		close(answer[0]);
		work(order[0], answer[1], cpu);
	}
	close(order[0]);
	close(answer[1]);
	/* The shuttle ends when the write end of this pipe is closed. */
	keep_fd(f, w->order = order[1]);
	keep_fd(f, w->answer = answer[0]);
	await_shuttle(w);
	keep_fd(f, w->counter = open_counter(w->pid));
}

__u64 shuttle__work(const struct shuttle *w)
{
	__u64 from, to;

	assert_int_equal(read(w->counter, &from, sizeof(from)), sizeof(from));
	assert_int_equal(write(w->order, "w", 1), 1);
	await_shuttle(w);
	assert_int_equal(read(w->counter, &to, sizeof(to)), sizeof(to));
	return to - from;
}

/* ---- bperf users ---- */

void user__start(struct fixture *f, struct user *u, const char *line, ...)
{
	char text[MAX_TEXT], fd[16];
	int ready[2];
	va_list ap;

	va_start(ap, line);
	vsnprintf(text, sizeof(text), line, ap);
	va_end(ap);
	assert_int_equal(pipe2(ready, 0), 0);
	snprintf(fd, sizeof(fd), "%d", ready[1]);
	setenv(READY_FD_ENV, fd, 1);
	u->child = command_start(f, "%s -x, -- drive ready", text);
	unsetenv(READY_FD_ENV);
	close(ready[1]);
	keep_fd(f, u->ready = ready[0]);
}

struct run *user__try(struct fixture *f, struct user *u)
{
	ssize_t n;
	char c;

	if (u->ready < 0)
		return NULL;
	if (!hang__await_input(u->ready))
		kill(-child_pid(u->child), SIGKILL);
	n = read(u->ready, &c, 1); /* 0 if the tool has closed the other end of the pipe */
	close_fd(f, u->ready);
	u->ready = -1;
	return n == 1 ? NULL : child_wait(f, u->child);
}

void user__await(struct fixture *f, struct user *u)
{
	struct run *r = user__try(f, u);

	if (r)
		fail_test("it does not count: %s%s", r->out, r->err);
}

struct run *user__end(struct fixture *f, struct user *u)
{
	/*
	 * Send the signal to both the tool and its command, as a terminal does: perf waits for the
	 * end of its command.
	 */
	kill(-child_pid(u->child), SIGINT);
	return child_wait(f, u->child);
}

/*
 * Finds the line of an event, such as "123,,instructions:u,4567,100.00,…"; NULL if there is none.
 */
static const char *find_line(const char *text, const char *event)
{
	char want[64];

	snprintf(want, sizeof(want), ",%s,", event);
	for (; text && *text; text = strchr(text, '\n'), text = text ? text + 1 : NULL) {
		const char *name = strstr(text, want), *end = strchr(text, '\n');

		if (name && (!end || name < end))
			return text;
	}
	return NULL;
}

__u64 csv_count(const struct run *r, const char *event)
{
	const char *line = find_line(r->out, event) ?: find_line(r->err, event), *at = line;
	char *end;
	__u64 n;

	for (int i = 0; at && i < 4; i++)
		at = strchr(at + 1, ',');
	n = line ? strtoull(line, &end, 10) : 0;
	if (!at || end == line || *end != ',' || strncmp(at, ",100.00", 7))
		fail_test("%s was not counted: %s%s", event, r->out, r->err);
	return n;
}
