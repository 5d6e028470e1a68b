// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A task that executes orders: it works, and starts children and threads. Knows neither tests nor
 * bprof.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/kernel/drive/pages.h"
#include "tests/kernel/drive/worker.h"

struct worker {
	const struct worker_pipes *all;
	int self;
};

static void serve(const struct worker *w);

/* Executes this number of instructions, two in each round of a loop. */
static void work(__u64 instructions)
{
	__u64 rounds = instructions / 2;

	if (!rounds)
		return;
#if defined(__aarch64__)
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(rounds) : : "cc");
#elif defined(__riscv)
	__asm__ volatile("1: addi %0, %0, -1\n\tbnez %0, 1b" : "+r"(rounds));
#else
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(rounds) : : "cc");
#endif
}

static int start_process(const struct worker *w, int n)
{
	pid_t pid = fork();

	if (!pid)
		serve(&(struct worker){w->all, n});
	return pid < 0 ? -errno : 0;
}

static void *serve_thread(void *arg)
{
	serve(arg);
	return NULL;
}

static int start_thread(const struct worker *w, int n)
{
	/* The arguments of the threads: worker n uses only element n. */
	static struct worker starts[WORKERS];
	pthread_t thread;

	starts[n] = (struct worker){w->all, n};
	return -pthread_create(&thread, NULL, serve_thread, &starts[n]);
}

/*
 * Starts a child, which works and may start a child itself, so that a chain of `deep` descendants
 * works. Waits until the first child has ended.
 */
static int run_family(__u64 instructions, int deep)
{
	pid_t pid = fork();

	if (!pid) {
		work(instructions);
		_exit(deep > 1 && run_family(instructions, deep - 1));
	}
	if (pid < 0)
		return -errno;
	/* SIGCHLD is ignored. waitpid() therefore fails when the last child has ended. */
	while (waitpid(pid, NULL, 0) == pid || errno == EINTR)
		;
	return 0;
}

static int move_to(const char *cgroup_procs)
{
	int fd = open(cgroup_procs, O_WRONLY | O_CLOEXEC), err = 0;

	if (fd < 0 || write(fd, "0", 1) != 1)
		err = -errno;
	if (fd >= 0)
		close(fd);
	return err;
}

static int work_and_move(__u64 instructions)
{
	/*
	 * Move before the work begins: a first move may wait for other tasks, which causes a
	 * context switch. The moves during the work then do not wait.
	 */
	int err = move_to(WORKER_CGROUP_A) ?: move_to(WORKER_CGROUP_B) ?: move_to(WORKER_CGROUP_A);

	work(instructions);
	err = err ?: move_to(WORKER_CGROUP_B);
	work(instructions / 2);
	err = err ?: move_to(WORKER_CGROUP_A);
	work(instructions / 4);
	return err;
}

struct closer {
	__u64 files;
	int writer; /* write end of a pipe; it is the first file that the ending thread closes */
	int ready[2];
	pid_t tid;
};

/*
 * Runs the thread. The thread opens many files in a table of its own. When the thread ends, the
 * kernel closes this table.
 */
static void *end_with_files(void *arg)
{
	struct closer *c = arg;
	bool failed = unshare(CLONE_FILES);

	c->tid = syscall(SYS_gettid);
	for (__u64 i = 0; i < c->files; i++)
		failed |= eventfd(0, 0) < 0;
	/*
	 * Give the pipe the highest descriptor, so that the kernel closes it last. The kernel
	 * releases files in the reverse order of closing them (kernel/task_work.c,
	 * task_work_run()), so it releases the pipe first.
	 */
	if (dup(c->writer) < 0 || close(c->writer) || failed)
		_exit(1);
	if (write(c->ready[1], "r", 1) != 1)
		_exit(1);
	syscall(SYS_exit, 0);
	return NULL;
}

static void await_thread_end(pid_t tid)
{
	while (!syscall(SYS_tgkill, getpid(), tid, 0))
		usleep(10000);
}

/*
 * Starts a thread that ends with many open files. Then ends the process. If `during` is true, ends
 * it while the thread still closes these files, otherwise after the thread has ended.
 */
static int end_after_thread(__u64 files, bool during)
{
	const struct rlimit limit = {files + 100, files + 100};
	struct closer c = {.files = files};
	int closed[2];
	pthread_t thread;
	char byte;

	if (setrlimit(RLIMIT_NOFILE, &limit) || pipe(closed) || pipe(c.ready))
		return -errno;
	c.writer = closed[1];
	if (pthread_create(&thread, NULL, end_with_files, &c) || read(c.ready[0], &byte, 1) != 1)
		return -EIO;
	close(closed[1]);
	if (during && read(closed[0], &byte, 1))
		return -EIO;
	if (!during)
		await_thread_end(c.tid);
	syscall(SYS_exit, 0);
	return 0;
}

int worker__execute(const struct worker_pipes *all, int self)
{
	char number[16], pipes[WORKER_PIPES_SZ];

	snprintf(number, sizeof(number), "%d", self);
	worker__print_pipes(all, pipes);
	execlp("drive", WORKER_COMMAND, number, pipes, NULL);
	return -errno;
}

static int obey(const struct worker *w, const struct worker_order *o)
{
	switch (o->op) {
	case WORKER_WORK:
		work(o->n);
		return 0;
	case WORKER_TOUCH:
		return pages__touch(o->n);
	case WORKER_PROCESS:
		return o->n < WORKERS ? start_process(w, o->n) : -EINVAL;
	case WORKER_THREAD:
		return o->n < WORKERS ? start_thread(w, o->n) : -EINVAL;
	case WORKER_FAMILY:
		return run_family(o->n, 2);
	case WORKER_EXEC:
		return worker__execute(w->all, w->self);
	case WORKER_END:
		_exit(0);
	case WORKER_LEAVE:
		syscall(SYS_exit, 0);
		return -EINVAL;
	case WORKER_MOVE:
		return work_and_move(o->n);
	case WORKER_CROSS:
	case WORKER_TURNS:
		return end_after_thread(o->n, o->op == WORKER_CROSS);
	}
	return -EINVAL;
}

static int answer(const struct worker *w, int err)
{
	struct worker_answer a = {.tid = syscall(SYS_gettid), .err = err};

	return write(w->all[w->self].answer[1], &a, sizeof(a)) == sizeof(a) ? 0 : -EIO;
}

static void serve(const struct worker *w)
{
	struct worker_order o;
	int err = 0;

	signal(SIGCHLD, SIG_IGN);
	while (!answer(w, err) && read(w->all[w->self].order[0], &o, sizeof(o)) == sizeof(o))
		err = obey(w, &o);
	_exit(1);
}

void worker__print_pipes(const struct worker_pipes *all, char *text)
{
	for (int i = 0; i < WORKERS; i++)
		text += sprintf(text, "%s%d,%d,%d,%d", i ? "," : "", all[i].order[0],
				all[i].order[1], all[i].answer[0], all[i].answer[1]);
}

int worker__serve(int self, const char *pipes)
{
	struct worker_pipes all[WORKERS];
	int end = 0;

	for (int i = 0; i < WORKERS; i++) {
		pipes += end;
		if (sscanf(pipes, "%d,%d,%d,%d%*[,]%n", &all[i].order[0], &all[i].order[1],
			   &all[i].answer[0], &all[i].answer[1], &end) < 4)
			return -EINVAL;
	}
	serve(&(struct worker){all, self});
	return 0;
}
