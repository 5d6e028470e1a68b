// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Implements the loop (loop.h). Owns the descriptor from which signals are read, the timers and the
 * child process. Must not know what is measured.
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

#include "base/exit_status.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/util.h"
#include "host/identity.h"
#include "run/counting.h"
#include "run/loop.h"

/* The time from one LOOP_PROGRESS to the next. */
#define PROGRESS_NS (1000 * NSEC_PER_MSEC)

/* Further indexes in loop.fd[], after the indexes that are an enum loop_event. */
enum source { SRC_SIGNAL = LOOP_STOP + 1, SRC_CHILD, SRC_CNT };

struct child_error {
	int err;
	bool identity; /* the child could not take the command's identity */
};

struct loop {
	sigset_t old_mask;
	int signal_fd;
	/* the process has dropped the privileges that it does not need, and cannot do so again */
	bool limited;
	/* The following members are the state of one measurement. loop__begin() resets them. */
	const struct loop_opts *o;
	struct loop_result result;
	enum loop_event event; /* the event that loop__next() returned last; at first LOOP_END */
	int err;	       /* first error, or 0 */
	bool started, done;
	int epoll_fd;
	/*
	 * fd[SRC_SIGNAL] is signal_fd; fd[LOOP_READY] and fd[LOOP_INPUT] belong to the caller.
	 */
	int fd[SRC_CNT];
	pid_t child; /* process id of the command; 0: none, or already waited for */
	/*
	 * A byte written to go_fd makes the child execute the command. Closing go_fd ends the
	 * child.
	 */
	int go_fd;
	int error_fd; /* the child writes a struct child_error here if exec fails */
	__u64 intervals;
};

int loop__open(struct loop **out)
{
	struct loop *l = xcalloc(1, sizeof(*l));
	sigset_t mask, pipe;

	*out = NULL;
	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGHUP);
	sigprocmask(SIG_BLOCK, &mask, &l->old_mask);
	/*
	 * A SIGPIPE during a write must not kill bprof before it has ended the command. The write
	 * fails with EPIPE, which ends the measurement. loop__close() then unblocks the signal.
	 */
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	sigprocmask(SIG_BLOCK, &pipe, NULL);
	l->signal_fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (l->signal_fd < 0) {
		int err = -errno;

		free(l);
		return log_err(err, "signalfd: %s", strerror(-err));
	}
	*out = l;
	return 0;
}

bool loop__interrupted(const struct loop *l)
{
	struct signalfd_siginfo si;

	return read(l->signal_fd, &si, sizeof(si)) == sizeof(si);
}

void loop__close(struct loop *l)
{
	if (!l)
		return;
	/*
	 * A hangup sends SIGHUP twice, and a user may press Ctrl-C twice. The second signal must
	 * not kill bprof while it is ending.
	 */
	while (loop__interrupted(l))
		;
	close(l->signal_fd);
	sigprocmask(SIG_SETMASK, &l->old_mask, NULL);
	free(l);
}

static int watch(struct loop *l, int src, int fd)
{
	struct epoll_event ev = {.events = EPOLLIN, .data.u32 = src};

	l->fd[src] = fd;
	if (fd < 0 || epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, fd, &ev))
		return log_err(-errno, "cannot wait for events: %s", strerror(errno));
	return 0;
}

static struct timespec from_ns(__u64 ns)
{
	return (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
}

/*
 * Starts a timer that sends the event after first_ns, then every period_ns. If first_ns is 0, the
 * timer never expires; if period_ns is 0, it expires once.
 */
static int start_timer(struct loop *l, enum loop_event event, __u64 first_ns, __u64 period_ns)
{
	struct itimerspec its = {.it_value = from_ns(first_ns), .it_interval = from_ns(period_ns)};
	int fd;

	if (!first_ns)
		return 0;
	fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (fd >= 0 && timerfd_settime(fd, 0, &its, NULL)) {
		int err = -errno;

		close(fd);
		return log_err(err, "cannot set a timer: %s", strerror(-err));
	}
	return watch(l, event, fd);
}

/* Runs in the child: waits for the parent's byte, then executes the command. */
static void exec_command(const struct loop *l, const struct identity *id, int go_fd, int error_fd)
{
	/* If the identity is not root, drop all capabilities inherited from bprof. */
	int err = identity__take(id) ?: geteuid() ? privileges__drop_inherited() : 0;
	struct child_error e = {.err = -err, .identity = err};
	ssize_t n;
	char c;

	sigprocmask(SIG_SETMASK, &l->old_mask, NULL);
	if (l->o->fd_limit.rlim_max)
		setrlimit(RLIMIT_NOFILE, &l->o->fd_limit);
	while ((n = read(go_fd, &c, 1)) < 0 && errno == EINTR)
		;
	if (n != 1) /* bprof has died: do not run the command unmeasured */
		_exit(127);
	if (!e.err) {
		execvp(l->o->command[0], l->o->command);
		e.err = errno;
	}
	_exit(write(error_fd, &e, sizeof(e)) < 0 ? EXIT_FAILED : EXIT_NOT_FOUND);
}

static int find_identity(const struct loop *l, struct identity *id)
{
	int err = l->o->user ? identity__find(l->o->user, id) : identity__find_invoker(id);

	return err ? log_err(err, "user %s: %s", l->o->user ?: getenv("SUDO_UID"),
			     err == -E2BIG ? "is in too many groups" : "no such user")
		   : 0;
}

/* Forks the command, which waits for a byte from go_fd before its exec. */
static int fork_command(struct loop *l)
{
	struct identity id;
	int go[2], error[2];

	if (find_identity(l, &id))
		return -ENOENT;
	/*
	 * Use a socket, not a pipe: if the child was killed, send() with MSG_NOSIGNAL causes no
	 * SIGPIPE.
	 */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, go))
		return log_err(-errno, "socketpair: %s", strerror(errno));
	if (pipe2(error, O_CLOEXEC)) {
		int err = -errno;

		close(go[0]);
		close(go[1]);
		return log_err(err, "pipe: %s", strerror(-err));
	}
	l->child = fork();
	if (!l->child) {
		close(go[1]);
		exec_command(l, &id, go[0], error[1]);
	}
	close(go[0]);
	close(error[1]);
	l->go_fd = go[1];
	l->error_fd = error[0];
	if (l->child < 0) {
		l->child = 0;
		return log_err(-errno, "fork: %s", strerror(errno));
	}
	return watch(l, SRC_CHILD, syscall(SYS_pidfd_open, l->child, 0));
}

/* Lets a waiting child execute the command. Returns 0 or -errno (reported). */
static int release_command(struct loop *l)
{
	struct child_error e = {};

	if (l->go_fd < 0)
		return 0;
	if (send(l->go_fd, "g", 1, MSG_NOSIGNAL) != 1)
		return log_err(-errno, "cannot start the command: %s", strerror(errno));
	close(l->go_fd);
	l->go_fd = -1;
	/* A successful exec closes the pipe; read() then returns 0. */
	while (read(l->error_fd, &e, sizeof(e)) < 0 && errno == EINTR)
		;
	if (!e.err)
		return 0;
	if (e.identity)
		return log_err(-e.err, "%s: cannot be run as user %s: %s", l->o->command[0],
			       l->o->user ?: getenv("SUDO_UID"), strerror(e.err));
	l->result.status = e.err == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
	return log_err(-ECHILD, "%s: cannot be executed: %s", l->o->command[0], strerror(e.err));
}

/* Waits for the end of the command. Returns 0 or -errno (reported). */
static int wait_child(struct loop *l, bool own_end)
{
	int status, err;

	do
		err = waitpid(l->child, &status, 0) < 0 ? -errno : 0;
	while (err == -EINTR);
	l->child = 0;
	if (err)
		return log_err(-EIO, "%s: its exit status is unknown: %s", l->o->command[0],
			       strerror(-err));
	if (own_end)
		l->result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	return 0;
}

/*
 * Sends SIGTERM to a command that still runs after the measurement, as perf does, and waits for its
 * end. A stopped command gets the signal only when it continues. If bprof itself gets a signal
 * meanwhile, bprof sends SIGKILL to the command.
 */
static void end_child(struct loop *l)
{
	struct pollfd fds[] = {{l->fd[SRC_CHILD], POLLIN, 0}, {l->fd[SRC_SIGNAL], POLLIN, 0}};
	struct signalfd_siginfo si;

	kill(l->child, SIGTERM);
	kill(l->child, SIGCONT);
	while (l->fd[SRC_CHILD] >= 0 && (poll(fds, 2, -1) >= 0 || errno == EINTR) &&
	       !fds[0].revents)
		if (read(l->fd[SRC_SIGNAL], &si, sizeof(si)) == sizeof(si))
			kill(l->child, SIGKILL);
	wait_child(l, false);
}

/* Ends the measurement if ret is not 0: -errno is an error, 1 is a normal end. */
static void end_if(struct loop *l, int ret)
{
	l->err = l->err ?: ret < 0 ? ret : 0;
	l->result.over |= ret > 0;
	l->done |= ret != 0;
}

/* Waits for events of a descriptor that the caller has set. Returns 0 or -errno (reported). */
static int watch_callers(struct loop *l, enum loop_event event)
{
	return l->fd[event] < 0 ? 0 : watch(l, event, l->fd[event]);
}

static int begin_delay(struct loop *l)
{
	int err = release_command(l);

	if (!err && l->o->early_input)
		err = watch_callers(l, LOOP_INPUT);
	return err ?: start_timer(l, LOOP_START, l->o->delay_ns, 0);
}

/* Starts the timers and the command after LOOP_START. Returns 0 or -errno (reported). */
static int start_measuring(struct loop *l)
{
	bool watched = l->o->delay_ns && l->o->early_input;
	int err = watch_callers(l, LOOP_READY);

	if (!err && !watched)
		err = watch_callers(l, LOOP_INPUT);
	l->started = true;
	/*
	 * Start the timer of the timeout first: if an interval ends at the same time, the timeout
	 * expires first, and LOOP_STOP ends the last interval.
	 */
	return err ?:
	       start_timer(l, LOOP_STOP, l->o->timeout_ns, 0) ?:
	       start_timer(l, LOOP_INTERVAL, l->o->interval_ns, l->o->interval_ns) ?:
	       start_timer(l, LOOP_TICK, l->o->first_tick_ns, l->o->tick_ns) ?:
	       release_command(l);
}

/* Returns the event that belongs to a readable descriptor, or LOOP_END if there is none. */
static enum loop_event take_source(struct loop *l, int src)
{
	__u64 expirations;

	if (src == LOOP_READY || src == LOOP_INPUT)
		return src;
	if (src == SRC_CHILD)
		end_if(l, wait_child(l, true));
	else if (src == SRC_SIGNAL)
		l->result.interrupted = loop__interrupted(l);
	else if (read(l->fd[src], &expirations, sizeof(expirations)) < 0)
		return LOOP_END;
	else if (src != LOOP_STOP && (src != LOOP_INTERVAL || !l->o->interval_count ||
				      ++l->intervals < l->o->interval_count))
		return src;
	l->done = true;
	return LOOP_END;
}

static enum loop_event wait_for_event(struct loop *l)
{
	enum loop_event event = LOOP_END;
	struct epoll_event ev;

	while (!event && !l->done) {
		int n = epoll_wait(l->epoll_fd, &ev, 1, -1);

		if (n == 1)
			event = take_source(l, ev.data.u32);
		else if (errno != EINTR)
			end_if(l, log_err(-errno, "epoll_wait: %s", strerror(errno)));
	}
	return event ?: l->started ? LOOP_STOP : LOOP_END;
}

int loop__begin(struct loop *l, const struct loop_opts *o)
{
	*l = (struct loop){
		.old_mask = l->old_mask,
		.signal_fd = l->signal_fd,
		.limited = l->limited,
		.o = o,
		.go_fd = -1,
		.error_fd = -1,
		.epoll_fd = epoll_create1(EPOLL_CLOEXEC),
	};
	for (int i = 0; i < SRC_CNT; i++)
		l->fd[i] = -1;
	if (l->epoll_fd < 0)
		return log_err(-errno, "epoll_create1: %s", strerror(errno));
	return watch(l, SRC_SIGNAL, l->signal_fd) ?:
	       start_timer(l, LOOP_PROGRESS, o->progress ? PROGRESS_NS : 0, PROGRESS_NS) ?:
	       o->command ? fork_command(l) : 0;
}

void loop__set_ready_fd(struct loop *l, int fd)
{
	l->fd[LOOP_READY] = fd;
}

void loop__set_input_fd(struct loop *l, int fd)
{
	l->fd[LOOP_INPUT] = fd;
}

int loop__set_interval(struct loop *l, __u64 ns)
{
	struct itimerspec its = {.it_value = from_ns(ns), .it_interval = from_ns(ns)};

	if (l->fd[LOOP_INTERVAL] < 0)
		return start_timer(l, LOOP_INTERVAL, ns, ns);
	if (timerfd_settime(l->fd[LOOP_INTERVAL], 0, &its, NULL))
		return log_err(-errno, "cannot set the interval: %s", strerror(errno));
	return 0;
}

int loop__plan_tick(struct loop *l, const struct counting_ops *ops, void *arg)
{
	__u64 ns = ops->next_tick ? ops->next_tick(arg) : 0;
	struct itimerspec its = {.it_value = from_ns(ns), .it_interval = from_ns(l->o->tick_ns)};

	if (ns && timerfd_settime(l->fd[LOOP_TICK], 0, &its, NULL))
		return log_err(-errno, "cannot set a timer: %s", strerror(errno));
	return 0;
}

int loop__tick(struct loop *l, const struct counting_ops *ops, void *arg)
{
	return ops->tick(arg) ?: loop__plan_tick(l, ops, arg);
}

pid_t loop__command(const struct loop *l)
{
	return l->child;
}

void loop_opts__set_privileges(struct loop_opts *o, enum privileges mode, const char *file)
{
	if (o->keep_privileges)
		return;
	o->privileges = (struct privileges_use){
		.mode = mode, .files = !output__is_standard(file), .signals = o->command != NULL};
}

/*
 * Drops privileges. By now, the set-up is over and the command has been forked, so the command
 * keeps its own privileges.
 */
static int give_up_privileges(struct loop *l)
{
	const struct privileges_use *use = &l->o->privileges;
	int err;

	if (l->o->again || l->limited || use->mode == PRIVILEGES_ALL)
		return 0;
	l->limited = true;
	err = privileges__drop(use);
	return err ? log_err(err, "cannot give up capabilities: %s; --keep-privileges keeps them",
			     strerror(-err))
		   : 0;
}

enum loop_event loop__next(struct loop *l, int ret)
{
	end_if(l, ret);
	switch (l->event) {
	case LOOP_END:
		if (l->child && !l->done)
			return l->event = LOOP_FORKED;
		/* fall through */
	case LOOP_FORKED:
		if (!l->done)
			end_if(l, give_up_privileges(l));
		if (l->done)
			break;
		if (!l->o->delay_ns)
			return l->event = LOOP_START;
		end_if(l, begin_delay(l));
		break;
	case LOOP_START:
		if (ret >= 0)
			end_if(l, start_measuring(l));
		break;
	case LOOP_STOP:
		return LOOP_END;
	default:
		break;
	}
	return l->event = wait_for_event(l);
}

int loop__end(struct loop *l, struct loop_result *result)
{
	if (l->go_fd >= 0)
		close(l->go_fd);
	if (l->error_fd >= 0)
		close(l->error_fd);
	if (l->child)
		end_child(l);
	/*
	 * Do not close the descriptors of three sources, which the caller or loop__open() has
	 * opened.
	 */
	for (int i = 0; i < SRC_CNT; i++)
		if (l->fd[i] >= 0 && i != SRC_SIGNAL && i != LOOP_READY && i != LOOP_INPUT)
			close(l->fd[i]);
	if (l->epoll_fd >= 0)
		close(l->epoll_fd);
	*result = l->result;
	return l->err;
}
