/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Processes that cause the ordered number of minor faults, which a plain perf event confirms. The
 * number of faults that a task causes does not depend on timing.
 */
#ifndef KTEST_TOUCHER_H
#define KTEST_TOUCHER_H

#include <sys/types.h>
#include <linux/types.h>

#define WORK_EVENT "minor-faults"

/* A process that blocks except while it executes an order. It ends with the test's process. */
struct toucher {
	pid_t pid;
	int order, answer;
	pid_t child;	/* the child that stays, or 0 */
	int faults_fd;	/* a perf event that counts the process and its children */
	int child_fd;	/* a perf event that counts only the child that stays, or -1 */
	__u64 faults;	/* faults so far of the process and all its children */
	__u64 in_child; /* faults of the child that stays, without those of its start */
};

void toucher__start(struct toucher *w);
void toucher__end(struct toucher *w); /* also ends the child; *w may be zeroed */

/*
 * Each of these functions sends an order and returns the number of faults that the order caused.
 * The faults of the child that stays are not included, but are added to in_child. Any order may
 * cause faults in both processes: after a fork, a page is copied at the next write, and the kernel
 * writes, too (to rseq, after the task was scheduled).
 */
__u64 toucher__touch(struct toucher *w, int pages);
/* The process starts cnt children, one after the other. Each touches the pages and ends. */
__u64 toucher__fork(struct toucher *w, int cnt, int pages);
/* The process starts a child that stays, and that toucher__touch_in_child() sends orders to. */
__u64 toucher__keep_child(struct toucher *w);
__u64 toucher__touch_in_child(struct toucher *w, int pages);

#endif
