/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Processes that do exactly the work they are told, of which it is known how much it was: minor
 * faults, which belong to who makes them however the time was spent, by a plain perf event.
 */
#ifndef KTEST_TOUCHER_H
#define KTEST_TOUCHER_H

#include <sys/types.h>
#include <linux/types.h>

#define WORK_EVENT "minor-faults"

/* Blocks but while it does an order. Ends with the test's process. */
struct toucher {
	pid_t pid;
	int order, answer;
	pid_t child;	/* that it keeps; 0: none */
	int faults_fd;	/* a perf event of its own, which its children have too */
	int child_fd;	/* one of the child that it keeps alone; -1: none */
	__u64 faults;	/* so far, with those of all children */
	__u64 in_child; /* of them, those of the child that it keeps, since it was idle first */
};

void toucher__start(struct toucher *w);
void toucher__end(struct toucher *w); /* with its child; zeroed is fine */

/*
 * Each returns the faults of all that it made happen, but for those in the child that it keeps: they
 * are in in_child. Whatever the order, either of the two may fault: after a fork a page is copied
 * when it is written the next time, and the kernel writes, too (rseq, when it was scheduled).
 */
__u64 toucher__touch(struct toucher *w, int pages);
/* By cnt children, one after the other, each of which has ended then. */
__u64 toucher__fork(struct toucher *w, int cnt, int pages);
/* Has a child that lives. */
__u64 toucher__keep_child(struct toucher *w);
__u64 toucher__touch_in_child(struct toucher *w, int pages);

#endif
