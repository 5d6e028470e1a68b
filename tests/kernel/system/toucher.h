/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Processes that do exactly the ordered amount of work, which a plain perf event confirms: minor
 * faults, which are counted for the task that makes them however the time was spent.
 */
#ifndef KTEST_TOUCHER_H
#define KTEST_TOUCHER_H

#include <sys/types.h>
#include <linux/types.h>

#define WORK_EVENT "minor-faults"

/* Blocks except while it executes an order. Ends with the test's process. */
struct toucher {
	pid_t pid;
	int order, answer;
	pid_t child;	/* the child that stays; 0: none */
	int faults_fd;	/* a perf event that counts it and its children */
	int child_fd;	/* a perf event that counts only the child that stays; -1: none */
	__u64 faults;	/* so far, with those of all children */
	__u64 in_child; /* of these, those of the child that stays, since it was first idle */
};

void toucher__start(struct toucher *w);
void toucher__end(struct toucher *w); /* with its child; a zeroed struct is fine */

/*
 * Each returns the faults of everything that it ordered, except for those of the child that stays:
 * they are in in_child. Either process may fault at any order: after a fork a page is copied at the
 * next write, and the kernel writes, too (rseq, when the task was scheduled).
 */
__u64 toucher__touch(struct toucher *w, int pages);
/* Has cnt children touch pages, one after the other; all have ended when this returns. */
__u64 toucher__fork(struct toucher *w, int cnt, int pages);
/* Starts a child that stays. */
__u64 toucher__keep_child(struct toucher *w);
__u64 toucher__touch_in_child(struct toucher *w, int pages);

#endif
