// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads processes and threads from /proc. Must not know what the result is used for.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/util.h"
#include "host/task.h"

/* Reads the file /proc/TID/<what>. If the task ends during the call, the kernel returns ESRCH. */
static int read_proc(pid_t tid, const char *what, char **text)
{
	char path[64];
	int err;

	snprintf(path, sizeof(path), "/proc/%d/%s", tid, what);
	err = read_file(path, text);
	return err == -ENOENT ? -ESRCH : err;
}

/*
 * Parses "TID (COMM) STATE …" (proc_pid_stat(5)). COMM may have any character; the start time is
 * field 22.
 */
static int parse_task_stat(const char *text, struct task *task)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	unsigned long long start_time;
	char state;

	if (!open || !close || close < open ||
	    sscanf(close + 1,
		   " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
		   "%llu",
		   &state, &start_time) != 2)
		return -EPROTO;
	snprintf(task->comm, sizeof(task->comm), "%.*s", (int)(close - open - 1), open + 1);
	task->ended = strchr("ZXx", state);
	task->start_time = start_time;
	return 0;
}

/*
 * Finds the line "Tgid:\tPID". The task's name, which comes before this line, cannot contain a line
 * break: the kernel escapes it.
 */
static int parse_status(const char *text, struct task *task)
{
	const char *tgid = strstr(text, "\nTgid:");

	return tgid && sscanf(tgid, "\nTgid: %d", &task->tgid) == 1 ? 0 : -EPROTO;
}

int task__read(pid_t tid, struct task *task)
{
	char *stat = NULL, *status = NULL;
	int err;

	memset(task, 0, sizeof(*task));
	task->tid = tid;
	err = read_proc(tid, "stat", &stat) ?:
	      read_proc(tid, "status", &status) ?:
	      parse_task_stat(stat, task) ?: parse_status(status, task);
	free(stat);
	free(status);
	return err;
}

pid_t task__parent(pid_t pid)
{
	char *text, *close;
	int parent = 0;

	if (read_proc(pid, "stat", &text))
		return 0;
	close = strrchr(text, ')');
	if (!close || sscanf(close + 1, " %*c %d", &parent) != 1)
		parent = 0;
	free(text);
	return parent;
}

char *task__find_cgroup(char *text)
{
	char *unified = NULL, *named = NULL, *next;

	for (char *line = text; line; line = next) {
		char *found;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (!strncmp(line, "0::", 3))
			unified = line + 3;
		found = strstr(line, ":name=systemd:");
		if (found)
			named = found + strlen(":name=systemd:");
	}
	return named ?: unified;
}

int task__cgroup(pid_t pid, char **path)
{
	char *text, *found;
	int err = read_proc(pid, "cgroup", &text);

	*path = NULL;
	if (err)
		return err;
	found = task__find_cgroup(text);
	if (found)
		*path = xstrdup(found);
	free(text);
	return *path ? 0 : -ENOENT;
}

static int compare_task_ids(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return (x > y) - (x < y);
}

int task_list__read(pid_t pid, struct task_list *list)
{
	struct dirent *entry;
	char path[64];
	int err = 0;
	DIR *dir;

	memset(list, 0, sizeof(*list));
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? -ESRCH : -errno;
	while ((errno = 0, entry = readdir(dir))) {
		__u64 tid;

		if (!parse_u64(entry->d_name, 0x7fffffff, &tid))
			*(pid_t *)array__add(&list->v, &list->cnt, sizeof(pid_t)) = tid;
	}
	/* if the process has just ended, its task directory is missing or empty */
	if (errno)
		err = errno == ENOENT ? -ESRCH : -errno;
	if (!err && !list->cnt)
		err = -ESRCH;
	closedir(dir);
	if (err)
		task_list__free(list);
	else
		qsort(list->v, list->cnt, sizeof(*list->v), compare_task_ids);
	return err;
}

bool task_list__has(const struct task_list *list, pid_t tid)
{
	return list->cnt && bsearch(&tid, list->v, list->cnt, sizeof(*list->v), compare_task_ids);
}

void task_list__free(struct task_list *list)
{
	free(list->v);
	memset(list, 0, sizeof(*list));
}

bool process__lives(pid_t pid, __u64 start_time)
{
	struct task_list threads;
	struct task task;
	bool lives = false;

	if (task__read(pid, &task) || task.start_time != start_time)
		return false;
	if (!task.ended)
		return true;
	if (task_list__read(pid, &threads))
		return false;
	for (int i = 0; !lives && i < threads.cnt; i++)
		lives = !task__read(threads.v[i], &task) && !task.ended;
	task_list__free(&threads);
	return lives;
}
