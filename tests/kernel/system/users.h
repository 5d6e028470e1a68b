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
 * What is counted: an event that this machine has, and whose count can be foretold. perf and bprof
 * call it the same.
 */
const char *shuttle_event(void);
/* One part in so many is how far the counts of two who count the same may be apart. */
int shuttle_accuracy(void);

/*
 * A process that works when it is told to, in many short turns on one CPU; a plain event of its own
 * says what it did. Ends with the test.
 */
struct shuttle {
	pid_t pid;
	int order, answer, counter;
};

void shuttle__start(struct fixture *f, struct shuttle *w, int cpu);
/* Has it work once. What it did, in shuttle_event(). It sleeps then. */
__u64 shuttle__work(const struct shuttle *w);

/* A session that runs until it is ended. */
struct user {
	struct child *child;
	int ready; /* -1: it counts */
};

/*
 * Starts "TOOL ARGS -x, -- drive ready", tool being perf or bprof; returns before it counts.
 * user__await() waits for that.
 */
void user__start(struct fixture *f, struct user *u, const char *line, ...)
	__attribute__((format(printf, 3, 4)));
void user__await(struct fixture *f, struct user *u);
/* The same where it may be refused: its output if it was, else NULL. */
struct run *user__try(struct fixture *f, struct user *u);
/* By Ctrl-C. Returns its output, on stdout (bprof) or stderr (perf). */
struct run *user__end(struct fixture *f, struct user *u);

/* The count of an event in the CSV that both print; fails where it was not counted all the time. */
__u64 csv_count(const struct run *r, const char *event);

#endif
