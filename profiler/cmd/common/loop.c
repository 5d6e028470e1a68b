// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The loop. Owns the signals' descriptor, the timers and the child process; knows nothing of what
 * is measured.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "cmd/common/loop.h"

enum source {
	SRC_SIGNAL,
	SRC_DELAY,
	SRC_INTERVAL,
	SRC_TIMEOUT,
	SRC_PROGRESS,
	SRC_LOOK,
	SRC_CHILD,
	SRC_READY,
	SRC_CNT
};

struct loop {
	sigset_t old_mask;
	int signal_fd;
};

/* One call of loop__run(). */
struct run {
	const struct loop_opts *o;
	loop_handler handle;
	void *arg;
	struct loop_result *result;
	const sigset_t *child_mask;
	int epoll_fd;
	int fd[SRC_CNT]; /* fd[SRC_SIGNAL] is the loop's, fd[SRC_READY] the caller's */
	pid_t child;	 /* 0: none, or waited for */
	int go_fd;	 /* a byte lets the child execute the command, its end ends the child */
	bool started, done;
	__u64 intervals;
};

int loop__open(struct loop **out)
{
	struct loop *l = calloc(1, sizeof(*l));
	sigset_t mask;

	*out = NULL;
	if (!l)
		return log_err(-ENOMEM, "out of memory");
	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGHUP);
	sigprocmask(SIG_BLOCK, &mask, &l->old_mask);
	l->signal_fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (l->signal_fd < 0) {
		int err = -errno;

		free(l);
		return log_err(err, "signalfd: %s", strerror(-err));
	}
	*out = l;
	return 0;
}

void loop__close(struct loop *l)
{
	if (!l)
		return;
	close(l->signal_fd);
	sigprocmask(SIG_SETMASK, &l->old_mask, NULL);
	free(l);
}

static int watch(struct run *r, enum source src, int fd)
{
	struct epoll_event ev = {.events = EPOLLIN, .data.u32 = src};

	r->fd[src] = fd;
	if (fd < 0 || epoll_ctl(r->epoll_fd, EPOLL_CTL_ADD, fd, &ev))
		return log_err(-errno, "cannot wait for events: %s", strerror(errno));
	return 0;
}

static struct timespec from_ms(__u64 ms)
{
	return (struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
}

/* 0: never, or not again. */
static int start_timer(struct run *r, enum source src, __u64 first_ms, __u64 period_ms)
{
	struct itimerspec its = {.it_value = from_ms(first_ms), .it_interval = from_ms(period_ms)};
	int fd;

	if (!first_ms)
		return 0;
	fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (fd >= 0)
		timerfd_settime(fd, 0, &its, NULL);
	return watch(r, src, fd);
}

/* In the child: waits for the parent's word, then becomes the command. */
static void exec_command(const struct run *r, int go_fd, int error_fd)
{
	ssize_t n;
	char c;

	sigprocmask(SIG_SETMASK, r->child_mask, NULL);
	if (r->o->fd_limit.rlim_max)
		setrlimit(RLIMIT_NOFILE, &r->o->fd_limit);
	while ((n = read(go_fd, &c, 1)) < 0 && errno == EINTR)
		;
	if (n != 1) /* the parent is gone: nobody would measure it */
		_exit(127);
	execvp(r->o->command[0], r->o->command);
	if (write(error_fd, &errno, sizeof(errno)) < 0)
		_exit(126);
	_exit(127);
}

/*
 * Forks the command, held back until a byte comes through go_fd; what keeps it from being executed
 * comes through *error_fd.
 */
static int fork_command(struct run *r, int *error_fd)
{
	int go[2], error[2];

	/* A socket, whose writer gets no SIGPIPE if the child has been killed. */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, go))
		return log_err(-errno, "socketpair: %s", strerror(errno));
	if (pipe2(error, O_CLOEXEC)) {
		int err = -errno;

		close(go[0]);
		close(go[1]);
		return log_err(err, "pipe: %s", strerror(-err));
	}
	r->child = fork();
	if (!r->child) {
		close(go[1]);
		exec_command(r, go[0], error[1]);
	}
	close(go[0]);
	close(error[1]);
	r->go_fd = go[1];
	*error_fd = error[0];
	if (r->child < 0) {
		r->child = 0;
		return log_err(-errno, "fork: %s", strerror(errno));
	}
	return watch(r, SRC_CHILD, syscall(SYS_pidfd_open, r->child, 0));
}

/* Lets the child go on; -errno where it could not execute the command. */
static int release_command(struct run *r, int error_fd)
{
	int child_errno = 0;

	if (send(r->go_fd, "g", 1, MSG_NOSIGNAL) != 1)
		return log_err(-errno, "cannot start the command: %s", strerror(errno));
	close(r->go_fd);
	r->go_fd = -1;
	/* The pipe is closed by a successful exec. */
	while (read(error_fd, &child_errno, sizeof(child_errno)) < 0 && errno == EINTR)
		;
	if (!child_errno)
		return 0;
	return log_err(-child_errno, "%s: cannot be executed: %s", r->o->command[0],
		       strerror(child_errno));
}

/* Has an event handled. */
static int take_event(struct run *r, enum loop_event event)
{
	int ret = r->handle(r->arg, event, r->child);

	if (ret > 0)
		r->result->over = r->done = true;
	return ret < 0 ? ret : 0;
}

static int start_measuring(struct run *r)
{
	int err = take_event(r, LOOP_START);

	if (err)
		return err;
	r->started = true;
	if (r->o->ready_fd) {
		err = watch(r, SRC_READY, r->o->ready_fd);
		if (err)
			return err;
	}
	/* The time-out first: where both fall on one moment, the last interval is the end's. */
	return start_timer(r, SRC_TIMEOUT, r->o->timeout_ms, 0) ?:
	       start_timer(r, SRC_INTERVAL, r->o->interval_ms, r->o->interval_ms) ?:
	       start_timer(r, SRC_LOOK, r->o->first_look_ms, r->o->look_ms);
}

static void wait_child(struct run *r, bool own_end)
{
	int status;

	while (waitpid(r->child, &status, 0) < 0 && errno == EINTR)
		;
	r->child = 0;
	if (own_end)
		r->result->status = WIFEXITED(status) ? WEXITSTATUS(status)
						      : 128 + WTERMSIG(status);
}

/*
 * Ends a command that outlived the measurement, as perf does; by SIGKILL where the user asks a
 * second time.
 */
static void end_child(struct run *r)
{
	struct pollfd fds[] = {{r->fd[SRC_CHILD], POLLIN, 0}, {r->fd[SRC_SIGNAL], POLLIN, 0}};
	struct signalfd_siginfo si;

	kill(r->child, SIGTERM);
	while (r->fd[SRC_CHILD] >= 0 && poll(fds, 2, -1) >= 0 && !fds[0].revents)
		if (read(r->fd[SRC_SIGNAL], &si, sizeof(si)) == sizeof(si))
			kill(r->child, SIGKILL);
	wait_child(r, false);
}

static int handle_source(struct run *r, enum source src)
{
	__u64 expirations;

	if (src == SRC_CHILD) {
		wait_child(r, true);
		r->done = true;
		return 0;
	}
	if (src == SRC_SIGNAL) {
		struct signalfd_siginfo si;

		r->result->interrupted = read(r->fd[src], &si, sizeof(si)) == sizeof(si);
		r->done = true;
		return 0;
	}
	if (src == SRC_READY)
		return take_event(r, LOOP_READY);
	if (read(r->fd[src], &expirations, sizeof(expirations)) < 0)
		return 0;
	switch (src) {
	case SRC_DELAY:
		return start_measuring(r);
	case SRC_TIMEOUT:
		r->done = true;
		return 0;
	case SRC_PROGRESS:
		return take_event(r, LOOP_PROGRESS);
	case SRC_LOOK:
		return take_event(r, LOOP_LOOK);
	default: /* SRC_INTERVAL */
		r->done = r->o->interval_count && ++r->intervals >= r->o->interval_count;
		return r->done ? 0 : take_event(r, LOOP_INTERVAL);
	}
}

static int wait_for_end(struct run *r)
{
	struct epoll_event ev[SRC_CNT];

	while (!r->done) {
		int n = epoll_wait(r->epoll_fd, ev, SRC_CNT, -1);

		if (n < 0 && errno != EINTR)
			return log_err(-errno, "epoll_wait: %s", strerror(errno));
		for (int i = 0; i < n && !r->done; i++) {
			int err = handle_source(r, ev[i].data.u32);

			if (err)
				return err;
		}
	}
	return 0;
}

static int begin(struct run *r)
{
	int error_fd = -1, err = 0;

	if (r->o->command)
		err = fork_command(r, &error_fd) ?: take_event(r, LOOP_FORKED);
	if (!err && r->o->progress)
		err = start_timer(r, SRC_PROGRESS, 1000, 1000);
	if (!err && !r->o->delay_ms)
		err = start_measuring(r);
	if (!err && r->o->command)
		err = release_command(r, error_fd);
	if (!err && r->o->delay_ms)
		err = start_timer(r, SRC_DELAY, r->o->delay_ms, 0);
	if (error_fd >= 0)
		close(error_fd);
	return err;
}

int loop__run(struct loop *l, const struct loop_opts *o, loop_handler handle, void *arg,
	      struct loop_result *result)
{
	struct run r = {.o = o, .handle = handle, .arg = arg, .result = result, .go_fd = -1};
	int err, stop_err = 0;

	memset(result, 0, sizeof(*result));
	for (int i = 0; i < SRC_CNT; i++)
		r.fd[i] = -1;
	r.child_mask = &l->old_mask;
	r.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (r.epoll_fd < 0)
		return log_err(-errno, "epoll_create1: %s", strerror(errno));
	err = watch(&r, SRC_SIGNAL, l->signal_fd) ?: begin(&r) ?: wait_for_end(&r);
	if (r.started)
		stop_err = take_event(&r, LOOP_STOP);
	if (r.go_fd >= 0)
		close(r.go_fd);
	if (r.child > 0)
		end_child(&r);
	for (int i = SRC_SIGNAL + 1; i < SRC_CNT; i++)
		if (r.fd[i] >= 0 && i != SRC_READY)
			close(r.fd[i]);
	close(r.epoll_fd);
	return err ?: stop_err;
}
