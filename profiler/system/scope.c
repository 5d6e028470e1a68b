// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Makes scopes from command line arguments, and checks whether they have ended. Must not know how
 * scopes are counted.
 */
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/parse_error.h"
#include "base/text.h"
#include "base/util.h"
#include "host/cgroups.h"
#include "host/task.h"
#include "options/idlist.h"
#include "system/scope.h"

static const char *const kind_names[SCOPE_KIND_CNT] = {
	[SCOPE_SYSTEM] = "system", [SCOPE_PROCESS] = "process", [SCOPE_THREAD] = "thread",
	[SCOPE_CGROUP] = "cgroup", [SCOPE_COMMAND] = "command",
};

const char *scope_kind__name(enum scope_kind kind)
{
	return kind_names[kind];
}

bool scope_kind__is_task(enum scope_kind kind)
{
	return kind == SCOPE_PROCESS || kind == SCOPE_THREAD || kind == SCOPE_COMMAND;
}

static bool has_scope(const struct scope_list *l, enum scope_kind kind, __u64 id)
{
	return id_map__get(&l->ids[kind], id) >= 0;
}

/* Adds a scope. path is NULL except for cgroups. */
static struct scope *add_scope(struct scope_list *l, enum scope_kind kind, __u64 id,
			       const char *name, const char *path)
{
	struct scope *s = array__add(&l->v, &l->cnt, sizeof(*s));

	s->kind = kind;
	s->id = id;
	s->level = -1;
	s->fd = -1;
	s->name = xstrdup(name);
	s->path = path ? xstrdup(path) : NULL;
	id_map__set(&l->ids[kind], id, l->cnt - 1);
	return s;
}

/* Records an argument as skipped, for the report, and warns, unless it is already recorded. */
__attribute__((format(printf, 5, 6))) static void skip(struct scope_list *l, enum scope_kind kind,
						       const char *name, const char *reason,
						       const char *fmt, ...)
{
	struct scope_skip *s;
	va_list args;

	for (int i = 0; i < l->skip_cnt; i++)
		if (!strcmp(l->skip[i].name, name) && !strcmp(l->skip[i].reason, reason))
			return;
	s = array__add(&l->skip, &l->skip_cnt, sizeof(*s));
	s->name = xstrdup(name);
	s->reason = reason;
	va_start(args, fmt);
	s->detail = text__vformat(fmt, args);
	va_end(args);
	log_warn("%s %s: %s", kind_names[kind], name, s->detail);
}

void scope_list__add_system(struct scope_list *l)
{
	if (!has_scope(l, SCOPE_SYSTEM, 0))
		add_scope(l, SCOPE_SYSTEM, 0, "", NULL);
}

void scope_list__add_command(struct scope_list *l, const char *name)
{
	add_scope(l, SCOPE_COMMAND, 0, name, NULL);
}

/* Returns true if a process or thread has ended. */
static bool scope_is_gone(enum scope_kind kind, pid_t id, int pidfd, __u64 start_time)
{
	struct pollfd poll_fd = {.fd = pidfd, .events = POLLIN};
	struct task task;

	/* A pidfd is readable when the last thread has ended (do_notify_pidfd()). */
	if (pidfd >= 0)
		return poll(&poll_fd, 1, 0) > 0;
	if (kind == SCOPE_PROCESS)
		return !process__lives(id, start_time);
	return task__read(id, &task) || task.ended || task.start_time != start_time;
}

static const struct {
	const char *reason, *none, *ended;
} task_skips[SCOPE_KIND_CNT] = {
	[SCOPE_PROCESS] = {"no_process", "no such process",
			   "it has ended; it is a zombie until "
			   "its parent reaps it"},
	[SCOPE_THREAD] = {"no_thread", "no such thread; 'ps -T -p PID' shows those of a process",
			  "it has ended; it is a zombie until its process ends"},
};

static void add_task(struct scope_list *l, enum scope_kind kind, pid_t id)
{
	const char *reason = task_skips[kind].reason;
	struct task task;
	struct scope *s;
	char name[16];
	int err, fd;

	if (has_scope(l, kind, id))
		return;
	snprintf(name, sizeof(name), "%d", id);
	/*
	 * Open the pidfd before reading /proc. If the process ends in between and its id is reused,
	 * the pidfd still shows that the process has ended.
	 */
	fd = kind == SCOPE_PROCESS ? (int)syscall(SYS_pidfd_open, id, 0) : -1;
	err = task__read(id, &task);
	if (err == -ESRCH)
		skip(l, kind, name, reason, "%s", task_skips[kind].none);
	else if (err)
		skip(l, kind, name, "not_counted", "/proc/%d cannot be read: %s", id,
		     strerror(-err));
	else if (kind == SCOPE_PROCESS && task.tgid != id)
		skip(l, kind, name, reason,
		     "a thread of process %d; give -t %d to count the thread, -p %d to count the "
		     "process",
		     task.tgid, id, task.tgid);
	else if (scope_is_gone(kind, id, fd, task.start_time))
		skip(l, kind, name, reason, "%s", task_skips[kind].ended);
	else {
		s = add_scope(l, kind, id, task.comm, NULL);
		s->fd = fd;
		s->start_time = task.start_time;
		return;
	}
	if (fd >= 0)
		close(fd);
}

static int add_tasks(struct scope_list *l, enum scope_kind kind, const struct idlist_spec *spec,
		     const char *option, const char *list)
{
	struct idlist ids = {};
	struct parse_error perr;
	int err = idlist__parse(&ids, spec, list, &perr);

	parse_error__report(err, option, list, &perr);
	for (int i = 0; !err && i < ids.cnt; i++)
		add_task(l, kind, ids.v[i].id);
	idlist__free(&ids);
	return err;
}

int scope_list__add_processes(struct scope_list *l, const char *list)
{
	return add_tasks(l, SCOPE_PROCESS, &idlist_processes, "-p", list);
}

int scope_list__add_threads(struct scope_list *l, const char *list)
{
	return add_tasks(l, SCOPE_THREAD, &idlist_threads, "-t", list);
}

#define CGROUP_OPTION "--for-each-cgroup"

int scope_list__add_cgroups(struct scope_list *l, const char *list)
{
	struct cgroup_list cgroups = {};
	struct cgroups_root root = {};
	struct parse_error perr;
	int err = cgroups__root("/proc/self/mounts", &root);

	if (err == -ENOENT) {
		log_err(err,
			CGROUP_OPTION ": no cgroups are mounted; mount them with 'mount -t cgroup2 "
				      "none /sys/fs/cgroup'");
		goto out;
	}
	if (!err)
		err = cgroups__select(&root, list, &cgroups, &perr);
	if (err == -EINVAL)
		parse_error__report(err, CGROUP_OPTION, list, &perr);
	else if (err)
		log_err(err, CGROUP_OPTION ": cannot look for cgroups: %s", strerror(-err));
	l->v1 = root.v1;
	for (int i = 0; !err && i < cgroups.cnt; i++) {
		const struct cgroup *cg = &cgroups.v[i];

		if (!cg->path && cg->err == -ENOENT)
			skip(l, SCOPE_CGROUP, cg->name, "no_cgroup",
			     cg->regex ? "a regular expression that no cgroup below %s matches"
				       : "no such cgroup below %s",
			     root.path);
		else if (!cg->path)
			skip(l, SCOPE_CGROUP, cg->name, "not_counted", "below %s: %s", root.path,
			     strerror(-cg->err));
		else if (!has_scope(l, SCOPE_CGROUP, cg->id))
			add_scope(l, SCOPE_CGROUP, cg->id, cg->name, cg->path)->level = cg->level;
	}
out:
	cgroup_list__free(&cgroups);
	cgroups__free_root(&root);
	return err;
}

void scope_list__free(struct scope_list *l)
{
	for (int i = 0; i < l->cnt; i++) {
		free(l->v[i].name);
		free(l->v[i].path);
		if (l->v[i].fd >= 0)
			close(l->v[i].fd);
	}
	for (int i = 0; i < l->skip_cnt; i++) {
		free(l->skip[i].name);
		free(l->skip[i].detail);
	}
	for (int kind = 0; kind < SCOPE_KIND_CNT; kind++)
		id_map__free(&l->ids[kind]);
	free(l->v);
	free(l->skip);
	memset(l, 0, sizeof(*l));
}

bool scope_list__has(const struct scope_list *l, unsigned int kinds)
{
	for (int i = 0; i < l->cnt; i++)
		if (kinds & 1U << l->v[i].kind)
			return true;
	return false;
}

bool scope_list__is_over(const struct scope_list *l)
{
	int cnt = 0;

	for (int i = 0; i < l->cnt; i++) {
		const struct scope *s = &l->v[i];

		if (s->kind != SCOPE_PROCESS && s->kind != SCOPE_THREAD)
			continue;
		if (!scope_is_gone(s->kind, s->id, s->fd, s->start_time))
			return false;
		cnt++;
	}
	return cnt > 0;
}

bool scope__is_removed(const struct scope *s)
{
	struct stat st;

	if (!s->path)
		return false;
	return stat(s->path, &st) ? errno == ENOENT : st.st_ino != s->id;
}
