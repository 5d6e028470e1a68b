// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests processes and threads as scopes: which of them are added, how missing ones are reported,
 * and when they have ended. Each test makes its own processes.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "host/task.h"
#include "system/scope.h"
#include "tests/unit/capture.h"

/* Kinds of child processes. Each child writes the id of one of its threads to the pipe. */
enum child_kind {
	CHILD_WAITS,
	CHILD_HAS_THREAD,  /* has a second thread, and writes that thread's id */
	CHILD_LEFT_THREAD, /* like CHILD_HAS_THREAD, but its main thread ends */
};

struct child {
	pid_t pid;
	pid_t tid; /* id that the child wrote */
};

static void *write_id_and_wait(void *arg)
{
	pid_t tid = syscall(SYS_gettid);

	if (write(*(int *)arg, &tid, sizeof(tid)) != sizeof(tid))
		_exit(1);
	for (;;)
		pause();
}

static void run_child(int fd, enum child_kind kind)
{
	pthread_t thread;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "a) S (b"); /* this name misleads a parser that stops at the first ')' */
	if (kind == CHILD_WAITS)
		write_id_and_wait(&fd);
	if (pthread_create(&thread, NULL, write_id_and_wait, &fd))
		_exit(1);
	if (kind == CHILD_LEFT_THREAD)
		syscall(SYS_exit, 0); /* ends this thread only */
	for (;;)
		pause();
}

static struct child start_child(enum child_kind kind)
{
	struct child child;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	child.pid = fork();
	assert_true(child.pid >= 0);
	if (!child.pid)
		run_child(fds[1], kind);
	assert_int_equal(read(fds[0], &child.tid, sizeof(child.tid)), sizeof(child.tid));
	close(fds[0]);
	close(fds[1]);
	return child;
}

/* Kills the child, which is a zombie until it is reaped. */
static void kill_child(const struct child *child)
{
	siginfo_t info;

	kill(child->pid, SIGKILL);
	assert_int_equal(waitid(P_PID, child->pid, &info, WEXITED | WNOWAIT), 0);
}

static void reap_child(const struct child *child)
{
	assert_int_equal(waitpid(child->pid, NULL, 0), child->pid);
}

typedef int (*add_fn)(struct scope_list *l, const char *list);

/*
 * Adds the ids in the list that fmt describes as in printf(). Returns the messages, which the
 * caller frees.
 */
__attribute__((format(printf, 4, 5))) static char *add(struct scope_list *l, add_fn add_list,
						       int want, const char *fmt, ...)
{
	struct capture c;
	char arg[256], *said;
	va_list args;
	int err;

	va_start(args, fmt);
	vsnprintf(arg, sizeof(arg), fmt, args);
	va_end(args);
	capture__begin(&c, stderr);
	err = add_list(l, arg);
	said = capture__end(&c);
	assert_int_equal(err, want);
	return said;
}

static void assert_messages(char *messages, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static void assert_messages(char *messages, const char *fmt, ...)
{
	char want[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(want, sizeof(want), fmt, args);
	va_end(args);
	assert_string_equal(messages, want);
	free(messages);
}

static void test_found(void **state)
{
	struct child child = start_child(CHILD_HAS_THREAD);
	struct scope_list l = {};

	assert_messages(
		add(&l, scope_list__add_processes, 0, "%d,%d,0%d", child.pid, getpid(), child.pid),
		"%s", "");
	assert_int_equal(l.cnt, 2);
	assert_int_equal(l.v[0].kind, SCOPE_PROCESS);
	assert_int_equal(l.v[0].id, child.pid);
	assert_string_equal(l.v[0].name, "a) S (b");
	assert_null(l.v[0].path);
	assert_int_equal(l.v[1].id, getpid());
	/* a process is added only once; its threads are scopes of their own */
	assert_messages(add(&l, scope_list__add_processes, 0, "%d", child.pid), "%s", "");
	assert_int_equal(l.cnt, 2);
	assert_messages(
		add(&l, scope_list__add_threads, 0, "%d,%d,%d", child.pid, child.tid, child.tid),
		"%s", "");
	assert_int_equal(l.cnt, 4);
	assert_int_equal(l.v[2].kind, SCOPE_THREAD);
	assert_int_equal(l.v[2].id, child.pid);
	assert_int_equal(l.v[3].id, child.tid);
	assert_int_equal(l.skip_cnt, 0);
	scope_list__free(&l);
	assert_int_equal(l.cnt, 0);
	kill_child(&child);
	reap_child(&child);
}

static void test_missing(void **state)
{
	struct child threaded = start_child(CHILD_HAS_THREAD), zombie = start_child(CHILD_WAITS);
	struct child gone = start_child(CHILD_WAITS);
	struct scope_list l = {};

	kill_child(&gone);
	reap_child(&gone);
	kill_child(&zombie);

	assert_messages(add(&l, scope_list__add_processes, 0, "%d,%d", gone.pid, getpid()),
			"bprof: process %d: no such process\n", gone.pid);
	assert_int_equal(l.cnt, 1); /* the process that exists is added */
	assert_int_equal(l.v[0].id, getpid());
	assert_int_equal(l.skip_cnt, 1);
	assert_string_equal(l.skip[0].reason, "no_process");
	assert_string_equal(l.skip[0].detail, "no such process");
	/* a missing process is reported once */
	assert_messages(add(&l, scope_list__add_processes, 0, "%d", gone.pid), "%s", "");
	assert_int_equal(l.skip_cnt, 1);

	assert_messages(
		add(&l, scope_list__add_processes, 0, "%d", zombie.pid),
		"bprof: process %d: it has ended; it is a zombie until its parent reaps it\n",
		zombie.pid);
	assert_messages(add(&l, scope_list__add_threads, 0, "%d", zombie.pid),
			"bprof: thread %d: it has ended; it is a zombie until its process ends\n",
			zombie.pid);
	assert_messages(
		add(&l, scope_list__add_processes, 0, "%d", threaded.tid),
		"bprof: process %d: a thread of process %d; give -t %d to count the thread, "
		"-p %d to count the process\n",
		threaded.tid, threaded.pid, threaded.tid, threaded.pid);
	assert_messages(
		add(&l, scope_list__add_threads, 0, "%d", gone.pid),
		"bprof: thread %d: no such thread; 'ps -T -p PID' shows those of a process\n",
		gone.pid);
	assert_int_equal(l.cnt, 1);
	assert_int_equal(l.skip_cnt, 5);
	assert_string_equal(l.skip[4].reason, "no_thread");
	scope_list__free(&l);
	reap_child(&zombie);
	kill_child(&threaded);
	reap_child(&threaded);
}

static void test_wrong(void **state)
{
	struct scope_list l = {};

	assert_messages(
		add(&l, scope_list__add_processes, -EINVAL, "1,x"),
		"bprof: -p: not a process id; give a decimal number ('pgrep -d, NAME' lists "
		"them by name)\n  1,x\n    ^\n");
	assert_messages(add(&l, scope_list__add_threads, -EINVAL, "0"),
			"bprof: -t: thread ids begin with 1\n  0\n  ^\n");
	assert_int_equal(l.cnt, 0);
	scope_list__free(&l);
}

static void test_over(void **state)
{
	struct child child = start_child(CHILD_WAITS), other = start_child(CHILD_WAITS);
	struct scope_list l = {}, threads = {};

	assert_false(scope_list__is_over(&l));
	scope_list__add_system(&l);
	scope_list__add_command(&l, "make");
	/* a list without processes and threads is never over */
	assert_false(scope_list__is_over(&l));
	free(add(&l, scope_list__add_processes, 0, "%d,%d", child.pid, other.pid));
	free(add(&threads, scope_list__add_threads, 0, "%d,%d", child.tid, other.tid));
	assert_false(scope_list__is_over(&l));
	assert_false(scope_list__is_over(&threads));
	kill_child(&child);
	reap_child(&child);
	assert_false(scope_list__is_over(&l));
	assert_false(scope_list__is_over(&threads));
	kill_child(&other); /* a zombie has ended */
	assert_true(scope_list__is_over(&l));
	assert_true(scope_list__is_over(&threads));
	reap_child(&other);
	assert_true(scope_list__is_over(&l));
	assert_true(scope_list__is_over(&threads));
	scope_list__free(&l);
	scope_list__free(&threads);
}

/* Removes the pidfd, as on kernels without pidfds. */
static void drop_fd(struct scope *s)
{
	assert_true(s->fd >= 0);
	close(s->fd);
	s->fd = -1;
}

static void test_over_without_pidfd(void **state)
{
	struct child child = start_child(CHILD_WAITS);
	struct scope_list l = {};

	free(add(&l, scope_list__add_processes, 0, "%d", child.pid));
	drop_fd(&l.v[0]);
	assert_false(scope_list__is_over(&l));
	l.v[0].start_time++; /* as if a new process had the same id */
	assert_true(scope_list__is_over(&l));
	l.v[0].start_time--;
	kill_child(&child);
	assert_true(scope_list__is_over(&l));
	reap_child(&child);
	assert_true(scope_list__is_over(&l));
	scope_list__free(&l);
}

/* Waits until a thread is a zombie. This polls, as the exit of a thread notifies nobody. */
static void await_end(pid_t tid)
{
	struct task task;

	do {
		sched_yield();
		assert_int_equal(task__read(tid, &task), 0);
	} while (!task.ended);
}

/* A process ends when its last thread ends. A scope of a thread ends with this thread. */
static void test_main_thread_ends(void **state)
{
	struct child child = start_child(CHILD_LEFT_THREAD);
	struct scope_list l = {}, threads = {};

	await_end(child.pid);
	assert_messages(add(&l, scope_list__add_processes, 0, "%d", child.pid), "%s", "");
	assert_int_equal(l.cnt, 1);
	assert_false(scope_list__is_over(&l));
	drop_fd(&l.v[0]);
	assert_false(scope_list__is_over(&l));
	free(add(&threads, scope_list__add_threads, 0, "%d,%d", child.pid, child.tid));
	assert_int_equal(threads.cnt, 1);
	assert_int_equal(threads.v[0].id, child.tid);
	assert_int_equal(threads.skip_cnt, 1);
	assert_false(scope_list__is_over(&threads));
	kill_child(&child);
	assert_true(scope_list__is_over(&l));
	assert_true(scope_list__is_over(&threads));
	scope_list__free(&l);
	scope_list__free(&threads);
	reap_child(&child);
}

static void test_threads(void **state)
{
	struct child child = start_child(CHILD_HAS_THREAD), gone = start_child(CHILD_WAITS);
	struct task_list threads = {}, own = {};
	struct task task;

	assert_int_equal(task_list__read(child.pid, &threads), 0);
	/* one thread more than this process, in which qemu-user may have a thread of its own */
	assert_int_equal(task_list__read(getpid(), &own), 0);
	assert_int_equal(threads.cnt, own.cnt + 1);
	task_list__free(&own);
	assert_int_equal(threads.v[0], child.pid);
	assert_true(task_list__has(&threads, child.tid));
	assert_false(task_list__has(&threads, gone.pid));
	task_list__free(&threads);
	assert_int_equal(task__read(child.tid, &task), 0);
	assert_int_equal(task.tgid, child.pid);
	assert_int_equal(task.tid, child.tid);
	assert_false(task.ended);
	kill_child(&gone);
	reap_child(&gone);
	assert_int_equal(task_list__read(gone.pid, &threads), -ESRCH);
	assert_int_equal(task__read(gone.pid, &task), -ESRCH);
	kill_child(&child);
	reap_child(&child);
}

static void test_others(void **state)
{
	struct scope_list l = {};

	scope_list__add_system(&l);
	scope_list__add_system(&l);
	scope_list__add_command(&l, "make all");
	assert_int_equal(l.cnt, 2);
	assert_int_equal(l.v[0].kind, SCOPE_SYSTEM);
	assert_string_equal(l.v[0].name, "");
	assert_int_equal(l.v[1].kind, SCOPE_COMMAND);
	assert_int_equal(l.v[1].id, 0);
	assert_string_equal(l.v[1].name, "make all");
	assert_string_equal(scope_kind__name(SCOPE_CGROUP), "cgroup");
	assert_string_equal(scope_kind__name(SCOPE_COMMAND), "command");
	scope_list__free(&l);
}

/* A directory stands for the cgroup: its id is the inode. */
static void test_removed(void **state)
{
	char path[] = "/tmp/bprof-test-scope-XXXXXX";
	struct scope s = {.kind = SCOPE_CGROUP, .path = path};
	struct stat st;

	assert_non_null(mkdtemp(path));
	assert_int_equal(stat(path, &st), 0);
	s.id = st.st_ino;
	assert_false(scope__is_removed(&s));
	s.id++;
	assert_true(scope__is_removed(&s));
	s.id--;
	assert_int_equal(rmdir(path), 0);
	assert_true(scope__is_removed(&s));
	s.path = NULL;
	assert_false(scope__is_removed(&s));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found),
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_over),
		cmocka_unit_test(test_over_without_pidfd),
		cmocka_unit_test(test_main_thread_ends),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_removed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
