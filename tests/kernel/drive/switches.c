// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Measures how many instructions a context switch takes while bperf users count. Owns the two
 * switching processes, the bperf users, and the plain perf event that counts the instructions.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <linux/perf_event.h>
#include <linux/types.h>

#include "tests/kernel/drive/switches.h"

#define MAX_USERS 500
#define MAX_ARG 16384 /* maximum length of the list of processes that a bperf user counts */
#define LOOK_MS 100
/*
 * The CPU is quiet if it executes fewer than QUIET_INSNS instructions in QUIET_US us. An idle CPU
 * executes 10,000 to 20,000 in that time; a busy one executes millions.
 */
#define QUIET_US 20000
#define QUIET_INSNS 50000
#define QUIET_PAUSES 500

extern char **environ;

/*
 * The two processes that switch to each other. bperf users count these processes and their
 * children. No bperf user is a child of these processes, because it would then be counted, too.
 */
struct pingpong {
	pid_t leader, partner;
	/*
	 * pipes: order has the number of rounds to do; answer has the number of instructions that
	 * they took
	 */
	int order, answer;
};

static int open_counter(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.pinned = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static void echo(int from, int to)
{
	char c;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(from, &c, 1) == 1 && write(to, &c, 1) == 1)
		;
	_exit(0);
}

/*
 * Waits until the CPU is nearly idle. Otherwise deferred work for earlier bperf users (the kernel
 * frees their programs and events) would be counted with the context switches.
 */
static bool await_quiet(int counter)
{
	__u64 before, after;

	for (int pauses = 0; pauses < QUIET_PAUSES; pauses++) {
		if (read(counter, &before, sizeof(before)) != sizeof(before) || usleep(QUIET_US) ||
		    read(counter, &after, sizeof(after)) != sizeof(after))
			return false;
		if (after - before < QUIET_INSNS)
			return true;
	}
	return false;
}

/*
 * Does a number of rounds, each with two context switches. Returns the number of instructions, or 0
 * on failure.
 */
static __u64 count_rounds(int counter, int rounds, int to, int from)
{
	__u64 before, after;
	char c = 'x';

	if (!await_quiet(counter) || read(counter, &before, sizeof(before)) != sizeof(before))
		return 0;
	for (int i = 0; i < rounds; i++)
		if (write(to, &c, 1) != 1 || read(from, &c, 1) != 1)
			return 0;
	return read(counter, &after, sizeof(after)) == sizeof(after) ? after - before : 0;
}

/* Forks a child that stays. Returns its id, or 0 on failure. */
static __u64 fork_child(void)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	return pid > 0 ? pid : 0;
}

/*
 * Runs the leader. It starts the partner, which sends back each byte, and writes the partner's id
 * to `answer`. Then it reads numbers from `order`. It does that number of rounds, and writes the
 * number of instructions to `answer`. If the number is 0, it forks a child instead.
 */
static void lead(int order, int answer)
{
	int to[2], from[2], rounds, counter = open_counter();
	pid_t partner;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (counter < 0 || pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
		_exit(1);
	partner = fork();
	if (!partner)
		echo(to[0], from[1]);
	if (partner < 0 || write(answer, &partner, sizeof(partner)) != sizeof(partner))
		_exit(1);
	while (read(order, &rounds, sizeof(rounds)) == sizeof(rounds)) {
		__u64 n = rounds ? count_rounds(counter, rounds, to[1], from[0]) : fork_child();

		if (write(answer, &n, sizeof(n)) != sizeof(n))
			break;
	}
	_exit(0);
}

static int pingpong__open(struct pingpong *p)
{
	int order[2], answer[2];

	*p = (struct pingpong){.order = -1, .answer = -1};
	if (pipe2(order, O_CLOEXEC) || pipe2(answer, O_CLOEXEC))
		return -errno;
	p->leader = fork();
	if (!p->leader) {
		close(order[1]);
		close(answer[0]);
		lead(order[0], answer[1]);
	}
	close(order[0]);
	close(answer[1]);
	p->order = order[1];
	p->answer = answer[0];
	if (p->leader < 0)
		return -errno;
	return read(p->answer, &p->partner, sizeof(p->partner)) == sizeof(p->partner) ? 0 : -EIO;
}

static void pingpong__close(struct pingpong *p)
{
	close(p->order);
	close(p->answer);
	if (p->leader <= 0)
		return;
	kill(p->leader, SIGKILL); /* the partner dies with the leader */
	waitpid(p->leader, NULL, 0);
}

static int order_rounds(const struct pingpong *p, int rounds, __u64 *instructions)
{
	if (write(p->order, &rounds, sizeof(rounds)) != sizeof(rounds) ||
	    read(p->answer, instructions, sizeof(*instructions)) != sizeof(*instructions))
		return -EIO;
	return *instructions ? 0 : -EIO;
}

static int measure(const struct pingpong *p, const struct switches_effort *e, double *per_switch)
{
	__u64 n, min = ~0ULL;
	int err = order_rounds(p, e->rounds, &n); /* warms up; the result is not used */

	for (int i = 0; !err && i < e->tries; i++) {
		err = order_rounds(p, e->rounds, &n);
		if (!err && n < min)
			min = n;
	}
	*per_switch = (double)min / e->rounds / 2;
	return err;
}

/* Starts several pairs, and keeps the pair with the fewest instructions per switch. */
static int choose_pair(struct pingpong *best, const struct switches_effort *e, double *per_switch)
{
	*best = (struct pingpong){.order = -1, .answer = -1};
	for (int i = 0; i < e->pairs; i++) {
		struct pingpong p;
		double cost;
		int err = pingpong__open(&p) ?: measure(&p, e, &cost);

		if (err) {
			pingpong__close(&p);
			return err;
		}
		if (!i || cost < *per_switch) {
			pingpong__close(best);
			*best = p;
			*per_switch = cost;
		} else {
			pingpong__close(&p);
		}
	}
	return 0;
}

static pid_t spawn_user(char **argv, const struct pingpong *p)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	char pids[MAX_ARG], *args[64];
	pid_t pid = -1;
	int i, err;

	for (i = 0; argv[i] && i < 63; i++) {
		args[i] = argv[i];
		if (!strncmp(argv[i], "PIDS", 4)) {
			snprintf(pids, sizeof(pids), "%d,%d%s", p->leader, p->partner, argv[i] + 4);
			args[i] = pids;
		}
	}
	args[i] = NULL;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	/*
	 * Put the tool and its command in one process group. So a SIGINT to the group reaches both,
	 * as from a terminal: perf waits for the end of its command.
	 */
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP);
	err = posix_spawnp(&pid, args[0], &actions, &attr, args, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	return err ? -err : pid;
}

static bool has_ended(pid_t pid)
{
	siginfo_t info = {};

	return waitid(P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid;
}

static int wait_ready(int fd, pid_t pid)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};
	char c;

	while (!has_ended(pid))
		if (poll(&pfd, 1, LOOK_MS) == 1)
			return read(fd, &c, 1) == 1 ? 0 : -EIO;
	return -ECHILD;
}

static void end_users(const pid_t *pid, int cnt)
{
	for (int i = 0; i < cnt; i++)
		kill(-pid[i], SIGINT);
	for (int i = 0; i < cnt; i++)
		waitpid(pid[i], NULL, 0);
}

int switches__measure(const struct switches_effort *e, const int *users, int cnt, char **argv,
		      double *per_switch)
{
	pid_t pid[MAX_USERS];
	int ready[2], started = 0, err;
	struct pingpong p;
	char fd[16];

	for (int i = 0; i <= cnt; i++)
		per_switch[i] = NAN;
	if (cnt && users[cnt - 1] > MAX_USERS)
		return -EINVAL;
	if (pipe(ready))
		return -errno;
	snprintf(fd, sizeof(fd), "%d", ready[1]);
	setenv(READY_FD_ENV, fd, 1);
	err = choose_pair(&p, e, &per_switch[0]);
	for (int i = 0; !err && i < cnt; i++) {
		while (!err && started < users[i]) {
			/*
			 * Start one bperf user after the other: this does not measure concurrent
			 * starts.
			 */
			__u64 child;

			err = e->fork ? order_rounds(&p, 0, &child) : 0;
			if (err)
				break;
			pid[started] = spawn_user(argv, &p);
			err = pid[started] < 0 ? pid[started] : wait_ready(ready[0], pid[started]);
			started += pid[started] > 0;
		}
		if (!err)
			err = measure(&p, e, &per_switch[i + 1]);
	}
	end_users(pid, started);
	pingpong__close(&p);
	close(ready[0]);
	close(ready[1]);
	return err;
}

int switches__ready(void)
{
	const char *fd = getenv(READY_FD_ENV);

	if (!fd || write(atoi(fd), "r", 1) != 1)
		return -EBADF;
	for (;;)
		pause();
}
