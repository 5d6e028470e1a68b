// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The part of workloads that runs in the test: owns the pipes to the workers, and ends the workers.
 * The workers run worker.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>

#include "tests/kernel/harness.h"
#include "tests/kernel/system/workload.h"

#define PAUSE_US 1000

struct workload {
	pid_t group; /* the process group of all workers; 0 if another process started worker 0 */
	pid_t tid[WORKERS];
	struct worker_pipes pipes[WORKERS];
};

static struct workload *new_workload(void)
{
	struct workload *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	for (int i = 0; i < WORKERS; i++)
		if (pipe(w->pipes[i].order) || pipe(w->pipes[i].answer))
			fail_test("pipe: %s", strerror(errno));
	return w;
}

struct workload *workload__start(void)
{
	struct workload *w = new_workload();

	w->group = fork();
	if (!w->group) {
		setpgid(0, 0);
		worker__execute(w->pipes, 0);
		_exit(127);
	}
	if (w->group < 0)
		fail_test("fork: %s", strerror(errno));
	setpgid(w->group, w->group); /* parent and child both call setpgid(), in any order */
	workload__await(w, 0);
	return w;
}

struct workload *workload__prepare(char *command, size_t sz)
{
	struct workload *w = new_workload();
	char pipes[WORKER_PIPES_SZ];

	worker__print_pipes(w->pipes, pipes);
	snprintf(command, sz, "drive worker 0 %s", pipes);
	return w;
}

void workload__free(struct workload *w)
{
	if (!w)
		return;
	if (w->group > 0) {
		kill(-w->group, SIGKILL);
		waitpid(w->group, NULL, 0);
	}
	for (int i = 0; i < WORKERS; i++)
		for (int end = 0; end < 2; end++) {
			close(w->pipes[i].order[end]);
			close(w->pipes[i].answer[end]);
		}
	free(w);
}

pid_t workload__tid(const struct workload *w, int worker)
{
	return w->tid[worker];
}

/*
 * Returns a task's state from /proc/PID/stat, such as 'R' or 'S'; 'X' if the task no longer exists.
 */
static char task_state(pid_t tid)
{
	char path[32], text[256] = "", *comm_end;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 'X';
	if (read(fd, text, sizeof(text) - 1) <= 0)
		text[0] = '\0';
	close(fd);
	comm_end = strrchr(text, ')');
	return comm_end ? comm_end[2] : 'X';
}

static void await_state(pid_t tid, const char *states)
{
	while (!strchr(states, task_state(tid))) {
		if (hangs())
			fail_test("task %d is not in a state of %s", tid, states);
		usleep(PAUSE_US);
	}
}

void workload__await(struct workload *w, int worker)
{
	int fd = w->pipes[worker].answer[0];
	struct worker_answer a;

	if (!hang__await_input(fd) || read(fd, &a, sizeof(a)) != sizeof(a))
		fail_test("worker %d does not answer", worker);
	if (a.err)
		fail_test("worker %d: %s", worker, strerror(-a.err));
	w->tid[worker] = a.tid;
	/*
	 * Wait until the worker sleeps. Its instructions between the answer and the sleep are
	 * counted, too, and on a busy host they may be executed late.
	 */
	await_state(a.tid, "S");
}

/*
 * Waits until all threads of the process have ended; the first thread may end before all other
 * threads.
 */
static void await_end_of_process(pid_t pid)
{
	siginfo_t info;

	if (waitid(P_PID, pid, &info, WEXITED | WNOWAIT))
		fail_test("process %d: %s", pid, strerror(errno));
}

void workload__order(struct workload *w, int worker, enum worker_op op, __u64 n)
{
	struct worker_order o = {.op = op, .n = n};

	if (write(w->pipes[worker].order[1], &o, sizeof(o)) != sizeof(o))
		fail_test("worker %d: %s", worker, strerror(errno));
	if (op == WORKER_END || op == WORKER_LEAVE)
		await_state(w->tid[worker], "ZX"); /* 'Z' if the worker is not reaped yet */
	if (op == WORKER_CROSS || op == WORKER_TURNS)
		await_end_of_process(w->tid[worker]);
}

void workload__do(struct workload *w, int worker, enum worker_op op, __u64 n)
{
	workload__order(w, worker, op, n);
	workload__await(w, worker);
}

static pid_t start(struct workload *w, int from, enum worker_op op, int n)
{
	workload__do(w, from, op, n);
	workload__await(w, n);
	return w->tid[n];
}

pid_t workload__process(struct workload *w, int from, int n)
{
	return start(w, from, WORKER_PROCESS, n);
}

pid_t workload__thread(struct workload *w, int from, int n)
{
	return start(w, from, WORKER_THREAD, n);
}
