// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A task that does what it is told. Owns how work, children and threads come about; knows neither
 * tests nor bprof.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "worker.h"

struct worker {
	const struct worker_pipes *all; /* NULL: it was executed, and can start nobody */
	int order, answer;
};

/* Two instructions in each round. */
static void work(__u64 instructions)
{
	__u64 rounds = instructions / 2;

	if (!rounds)
		return;
#if defined(__aarch64__)
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(rounds) : : "cc");
#else
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(rounds) : : "cc");
#endif
}

static struct worker worker_of(const struct worker_pipes *all, int self)
{
	return (struct worker){all, all[self].order[0], all[self].answer[1]};
}

static int start_process(const struct worker *w, int n)
{
	pid_t pid = fork();

	if (!pid)
		worker__serve(w->all, n);
	return pid < 0 ? -errno : 0;
}

struct thread_start {
	const struct worker_pipes *all;
	int self;
};

static void *serve_thread(void *arg)
{
	struct thread_start *start = arg;

	worker__serve(start->all, start->self);
	return NULL;
}

static int start_thread(const struct worker *w, int n)
{
	static struct thread_start starts[WORKERS]; /* each is used once in a process */
	pthread_t thread;

	starts[n] = (struct thread_start){w->all, n};
	return -pthread_create(&thread, NULL, serve_thread, &starts[n]);
}

/* A child that works, deep - 1 below it; waits for its end. */
static int run_family(__u64 instructions, int deep)
{
	pid_t pid = fork();

	if (!pid) {
		work(instructions);
		_exit(deep > 1 && run_family(instructions, deep - 1));
	}
	if (pid < 0)
		return -errno;
	/* Children go without being waited for: at its end there is none. */
	while (waitpid(pid, NULL, 0) == pid || errno == EINTR)
		;
	return 0;
}

static int execute(const struct worker *w)
{
	char order[16], answer[16];

	snprintf(order, sizeof(order), "%d", w->order);
	snprintf(answer, sizeof(answer), "%d", w->answer);
	execlp("drive", "drive", "worker", order, answer, NULL);
	return -errno;
}

static int obey(const struct worker *w, const struct worker_order *o)
{
	switch (o->op) {
	case WORKER_WORK:
		work(o->n);
		return 0;
	case WORKER_PROCESS:
		return w->all && o->n < WORKERS ? start_process(w, o->n) : -EINVAL;
	case WORKER_THREAD:
		return w->all && o->n < WORKERS ? start_thread(w, o->n) : -EINVAL;
	case WORKER_FAMILY:
		return run_family(o->n, 2);
	case WORKER_EXEC:
		return execute(w);
	case WORKER_END:
		_exit(0);
	case WORKER_LEAVE:
		syscall(SYS_exit, 0);
	}
	return -EINVAL;
}

static int answer(const struct worker *w, int err)
{
	struct worker_answer a = {.tid = syscall(SYS_gettid), .err = err};

	return write(w->answer, &a, sizeof(a)) == sizeof(a) ? 0 : -EIO;
}

static void serve(const struct worker *w)
{
	struct worker_order o;
	int err = 0;

	signal(SIGCHLD, SIG_IGN);
	while (!answer(w, err) && read(w->order, &o, sizeof(o)) == sizeof(o))
		err = obey(w, &o);
	_exit(1);
}

void worker__serve(const struct worker_pipes *all, int self)
{
	struct worker w = worker_of(all, self);

	serve(&w);
}

void worker__serve_fds(int order, int answer)
{
	struct worker w = {.order = order, .answer = answer};

	serve(&w);
}
