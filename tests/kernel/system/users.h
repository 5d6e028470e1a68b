/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Users of shared counters: sessions of bprof and of perf that run beside each other, and a process
 * whose work they count.
 */
#ifndef KTEST_USERS_H
#define KTEST_USERS_H

#include <sys/types.h>

#include "tests/kernel/harness.h"

/*
 * Returns the event that is counted: this machine has it, its count is predictable, and perf and
 * bprof have the same name for it.
 */
const char *shuttle_event(void);
/* Returns N: two counts of the same work may differ by one part in N. */
int shuttle_accuracy(void);

/*
 * A process that works when ordered, in many short turns on one CPU; a plain event of its own
 * counts what it did. Ends with the test.
 */
struct shuttle {
	pid_t pid;
	int order, answer, counter;
};

void shuttle__start(struct fixture *f, struct shuttle *w, int cpu);
/* Has it work once and returns the count in shuttle_event(). It sleeps then. */
__u64 shuttle__work(const struct shuttle *w);

/* A session that runs until it is ended. */
struct user {
	struct child *child;
	int ready; /* -1: it counts */
};

/*
 * Starts "TOOL ARGS -x, -- drive ready" (TOOL: perf or bprof) and returns before it counts.
 * user__await() waits until it does.
 */
void user__start(struct fixture *f, struct user *u, const char *line, ...)
	__attribute__((format(printf, 3, 4)));
void user__await(struct fixture *f, struct user *u);
/*
 * Like user__await(), for a session that may be refused: returns its output if it was, else NULL.
 */
struct run *user__try(struct fixture *f, struct user *u);
/* Ends it by Ctrl-C. Returns its output, on stdout (bprof) or stderr (perf). */
struct run *user__end(struct fixture *f, struct user *u);

/*
 * Returns an event's count in the CSV that both print; fails the test if it was not counted all the
 * time.
 */
__u64 csv_count(const struct run *r, const char *event);

#endif
