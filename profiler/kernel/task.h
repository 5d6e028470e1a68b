/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Processes and threads as /proc shows them.
 */
#ifndef BPROF_TASK_H
#define BPROF_TASK_H

#include <stdbool.h>
#include <sys/types.h>
#include <linux/types.h>

struct task {
	pid_t tid;
	pid_t tgid;	  /* its process; tid where it is the main thread */
	bool ended;	  /* a zombie, which only waits for its parent, or not even that */
	__u64 start_time; /* ticks since boot: tells it from a later one of the same id */
	char comm[64];	  /* the kernel's 15 bytes; kernel threads' may be longer */
};

/* 0; -ESRCH: there is none of this id; or why /proc cannot be read. */
int task__read(pid_t tid, struct task *task);

struct task_list {
	pid_t *v; /* ascending */
	int cnt;
};

/* The threads of a process, into an empty list; -ESRCH: it is gone; or why /proc cannot be read. */
int task_list__read(pid_t pid, struct task_list *list);
bool task_list__has(const struct task_list *list, pid_t tid);
void task_list__free(struct task_list *list); /* leaves it empty */

/*
 * Does the process live on that began at start_time? One of its threads is enough: the main thread
 * may end, and be a zombie, long before the others.
 */
bool process__lives(pid_t pid, __u64 start_time);

#endif
