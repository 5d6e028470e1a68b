// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Processes that cause page faults when a test of bprof system orders this. Owns these processes.
 * Does not know who counts the faults.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/perf_event.h>

#include "tests/kernel/drive/pages.h"
#include "tests/kernel/harness.h"
#include "tests/kernel/system/toucher.h"

enum order_kind { TOUCH, FORK, KEEP_CHILD, TOUCH_IN_CHILD };

struct order {
	enum order_kind kind;
	int cnt, pages;
};

/* A child that stays: touches as many pages as ordered, then answers with the number of pages. */
struct kept {
	pid_t pid;
	int order, answer;
};

static void touch(int pages)
{
	if (pages__touch(pages))
		_exit(1);
}

static void fork_some(int cnt, int pages)
{
	for (int i = 0; i < cnt; i++) {
		pid_t pid = fork();

		if (!pid) {
			touch(pages);
			_exit(0);
		}
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			_exit(1);
	}
}

static void obey_as_child(int order, int answer)
{
	int pages;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(order, &pages, sizeof(pages)) == sizeof(pages)) {
		touch(pages);
		if (write(answer, &pages, sizeof(pages)) != sizeof(pages))
			break;
	}
	_exit(0);
}

static void order_child(const struct kept *k, int pages)
{
	if (write(k->order, &pages, sizeof(pages)) != sizeof(pages) ||
	    read(k->answer, &pages, sizeof(pages)) != sizeof(pages))
		_exit(1);
}

static void keep_child(struct kept *k)
{
	int order[2], answer[2];

	if (pipe(order) || pipe(answer))
		_exit(1);
	k->pid = fork();
	if (!k->pid) {
		close(order[1]);
		close(answer[0]);
		obey_as_child(order[0], answer[1]);
	}
	close(order[0]);
	close(answer[1]);
	k->order = order[1];
	k->answer = answer[0];
}

static void obey(int order, int answer)
{
	struct kept kept = {};
	struct order o;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(order, &o, sizeof(o)) == sizeof(o)) {
		if (o.kind == TOUCH)
			touch(o.pages);
		else if (o.kind == FORK)
			fork_some(o.cnt, o.pages);
		else if (o.kind == KEEP_CHILD)
			keep_child(&kept);
		/*
		 * Before the answer, wait until the child has started, has executed its order, and
		 * waits again.
		 */
		if (kept.pid)
			order_child(&kept, o.kind == TOUCH_IN_CHILD ? o.pages : 0);
		if (write(answer, &kept.pid, sizeof(kept.pid)) != sizeof(kept.pid))
			break;
	}
	_exit(0);
}

/*
 * Opens an event that counts the faults of the process and, optionally, of all children that it
 * starts later. getrusage() is no alternative: in a few of a thousand runs of the test, it counted
 * one fault more or less than perf.
 */
static int open_faults(pid_t pid, bool with_children)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_PAGE_FAULTS_MIN,
				       .inherit = with_children};
	int fd = syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		fail_test("minor faults of %d: %s", pid, strerror(errno));
	return fd;
}

static __u64 read_faults(int fd)
{
	__u64 faults;

	assert_int_equal(read(fd, &faults, sizeof(faults)), sizeof(faults));
	return faults;
}

/* Sends an order and waits for the answer; returns the faults since the last order. */
static __u64 order(struct toucher *w, struct order o)
{
	__u64 before = w->faults - w->in_child;

	assert_int_equal(write(w->order, &o, sizeof(o)), sizeof(o));
	if (read(w->answer, &w->child, sizeof(w->child)) != sizeof(w->child))
		fail_test("process %d, which should do the work, is gone", w->pid);
	if (w->child && w->child_fd < 0)
		w->child_fd = open_faults(w->child, false);
	w->faults = read_faults(w->faults_fd);
	if (w->child_fd >= 0)
		w->in_child = read_faults(w->child_fd);
	return w->faults - w->in_child - before;
}

__u64 toucher__touch(struct toucher *w, int pages)
{
	return order(w, (struct order){TOUCH, 0, pages});
}

__u64 toucher__fork(struct toucher *w, int cnt, int pages)
{
	return order(w, (struct order){FORK, cnt, pages});
}

__u64 toucher__keep_child(struct toucher *w)
{
	return order(w, (struct order){KEEP_CHILD, 0, 0});
}

__u64 toucher__touch_in_child(struct toucher *w, int pages)
{
	return order(w, (struct order){TOUCH_IN_CHILD, 0, pages});
}

void toucher__start(struct toucher *w)
{
	int order[2], answer[2];

	*w = (struct toucher){};
	assert_int_equal(pipe2(order, O_CLOEXEC), 0);
	assert_int_equal(pipe2(answer, O_CLOEXEC), 0);
	w->pid = fork();
	if (!w->pid) {
		close(order[1]);
		close(answer[0]);
		obey(order[0], answer[1]);
	}
	assert_true(w->pid > 0);
	close(order[0]);
	close(answer[1]);
	w->order = order[1];
	w->answer = answer[0];
	w->child_fd = -1;
	w->faults_fd = open_faults(w->pid, true);
	/*
	 * The first orders cause more faults than later ones. Execute these orders before the test
	 * begins.
	 */
	toucher__touch(w, 1);
	toucher__touch(w, 1);
}

void toucher__end(struct toucher *w)
{
	if (!w->pid)
		return;
	close(w->order);
	close(w->answer);
	close(w->faults_fd);
	if (w->child_fd >= 0)
		close(w->child_fd);
	kill(w->pid, SIGKILL); /* the child dies with its parent */
	waitpid(w->pid, NULL, 0);
	*w = (struct toucher){};
}
