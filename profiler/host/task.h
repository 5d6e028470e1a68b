/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads processes and threads from /proc.
 */
#ifndef BPROF_TASK_H
#define BPROF_TASK_H

#include <stdbool.h>
#include <sys/types.h>
#include <linux/types.h>

struct task {
	pid_t tid;
	pid_t tgid; /* id of the task's process; equal to tid for the main thread */
	bool ended; /* zombie or already reaped */
	/* in clock ticks since boot; a later task with this id has another start time */
	__u64 start_time;
	char comm[64]; /* name, up to 15 bytes; longer for kernel threads */
};

/* Reads a task. Returns 0; -ESRCH: no such task; or -errno if /proc cannot be read. */
int task__read(pid_t tid, struct task *task);

/* Returns the parent of a process, or 0 if it has none or has ended. */
pid_t task__parent(pid_t pid);
/*
 * Sets *path to the cgroup of a process, such as "/system.slice/a.service": in the hierarchy of systemd,
 * which is cgroup2 except on old systems. The caller frees *path. Returns 0; -ESRCH: no such process; or
 * -errno.
 */
int task__cgroup(pid_t pid, char **path);
/*
 * Finds the cgroup that task__cgroup() returns in the text of /proc/PID/cgroup. Changes the text,
 * and returns a part of it, or NULL.
 */
char *task__find_cgroup(char *text);

struct task_list {
	pid_t *v; /* thread ids in ascending order */
	int cnt;
};

/* Reads the threads of a process into an empty list. Returns 0 or -errno (-ESRCH: no process). */
int task_list__read(pid_t pid, struct task_list *list);
bool task_list__has(const struct task_list *list, pid_t tid);
void task_list__free(struct task_list *list); /* leaves the list empty */

/*
 * Returns true if the process that began at start_time still has a living thread. (The main thread
 * may have become a zombie long before the other threads end.)
 */
bool process__lives(pid_t pid, __u64 start_time);

#endif
