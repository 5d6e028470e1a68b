/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs bperf users (bprof and perf side by side, with shared counters), and a process whose work
 * the bperf users count.
 */
#ifndef KTEST_USERS_H
#define KTEST_USERS_H

#include <sys/types.h>

#include "tests/kernel/harness.h"

/*
 * Returns the event that tests count. The machine supports the event, its count is predictable, and
 * it has the same name in perf and bprof.
 */
const char *shuttle_event(void);
/* Returns a number N: two counts of the same work may differ by one part in N. */
int shuttle_accuracy(void);

/*
 * A process that works when ordered, in many short turns on one CPU. A plain event counts the
 * process's work. The process ends with the test.
 */
struct shuttle {
	pid_t pid;
	int order, answer, counter;
};

void shuttle__start(struct fixture *f, struct shuttle *w, int cpu);
/*
 * Orders work once, waits until the process sleeps again, and returns the count of shuttle_event().
 */
__u64 shuttle__work(const struct shuttle *w);

/* A bperf user: one perf or bprof process, which counts until user__end(). */
struct user {
	struct child *child;
	int ready; /* descriptor of the ready pipe; -1 when the bperf user counts */
};

/*
 * Starts "TOOL ARGS -x, -- drive ready" (TOOL: perf or bprof) without waiting until the tool
 * counts; user__await() waits for that.
 */
void user__start(struct fixture *f, struct user *u, const char *line, ...)
	__attribute__((format(printf, 3, 4)));
void user__await(struct fixture *f, struct user *u);
/*
 * Like user__await(), for a bperf user that the kernel may refuse: returns the output of the
 * refused bperf user, or NULL if it counts.
 */
struct run *user__try(struct fixture *f, struct user *u);
/*
 * Ends the bperf user with SIGINT. Returns its output, which is on stdout (bprof) or stderr (perf).
 */
struct run *user__end(struct fixture *f, struct user *u);

/*
 * Returns an event's count in the CSV of perf or bprof. If the event was multiplexed, fails the
 * test.
 */
__u64 csv_count(const struct run *r, const char *event);

#endif
