// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the rules that say which processes belong to an owner, and so which programs owners hold.
 * Must not know which programs are measured.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <limits.h>

#include "base/memory.h"
#include "base/parse_error.h"
#include "base/util.h"
#include "host/task.h"
#include "kernel/iter_run.h"
#include "target/owner.h"

/* The maximum length of a process's name. The kernel truncates longer names: TASK_COMM_LEN - 1. */
#define COMM_LEN 15

/* ---- the name that the user gave ---- */

static bool ends_with(const char *s, size_t len, const char *end)
{
	size_t end_len = strlen(end);

	return len > end_len && !memcmp(s + len - end_len, end, end_len);
}

enum owner_kind owner__kind(const char *who)
{
	size_t len = strlen(who);

	if (len && strspn(who, "0123456789") == len)
		return OWNER_PID;
	if (*who == '/')
		return OWNER_CGROUP;
	if (ends_with(who, len, ".service") || ends_with(who, len, ".scope") ||
	    ends_with(who, len, ".slice"))
		return OWNER_UNIT;
	return OWNER_COMM;
}

int owner__check(const char *who, struct parse_error *err)
{
	size_t len = strlen(who);
	__u64 pid;

	if (!len)
		return parse_error__set(err, 0, 0, "the argument is empty");
	if (owner__kind(who) == OWNER_PID && (parse_u64(who, INT_MAX, &pid) || !pid))
		return parse_error__set(err, 0, len, "there is no such process id");
	if (owner__kind(who) == OWNER_COMM && strchr(who, '/'))
		return parse_error__set(err, 0, len,
					"the path of a cgroup begins with /, as in "
					"/proc/PID/cgroup");
	return 0;
}

/* ---- processes ---- */

/* Returns the path of a cgroup without the directory where cgroups are mounted. */
static const char *strip_mount(const char *path)
{
	static const char *const mounts[] = {"/sys/fs/cgroup/unified", "/sys/fs/cgroup/systemd",
					     "/sys/fs/cgroup"};

	for (size_t i = 0; i < ARRAY_SIZE(mounts); i++) {
		size_t len = strlen(mounts[i]);

		if (!strncmp(path, mounts[i], len) && (path[len] == '/' || !path[len]))
			return path + len;
	}
	return path;
}

static bool is_cgroup_below(const char *path, const char *root)
{
	size_t len = strlen(root);

	while (len && root[len - 1] == '/')
		len--;
	return !strncmp(path, root, len) && (path[len] == '/' || !path[len]);
}

/* Returns true if a directory of the path has this name. */
static bool has_directory(const char *path, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = path; (at = strstr(at, name)); at++)
		if (at > path && at[-1] == '/' && (at[len] == '/' || !at[len]))
			return true;
	return false;
}

bool owner__has_cgroup(enum owner_kind kind, const char *who, const char *of)
{
	return kind == OWNER_CGROUP ? is_cgroup_below(of, strip_mount(who))
				    : has_directory(of, who);
}

/*
 * Limits the search for ancestors: while it goes on, processes may end and other processes get
 * their ids, so that the ancestors may form a ring.
 */
#define MAX_ANCESTORS 1000

static bool descends_from(int pid, int ancestor)
{
	for (int i = 0; i < MAX_ANCESTORS && pid > 0; i++, pid = task__parent(pid))
		if (pid == ancestor)
			return true;
	return false;
}

bool owner__has_process(const char *who, int pid, const char *comm)
{
	enum owner_kind kind = owner__kind(who);
	char *cgroup;
	bool has;

	if (kind == OWNER_PID)
		return descends_from(pid, atoi(who));
	if (kind == OWNER_COMM)
		return !strncmp(comm, who, COMM_LEN);
	if (task__cgroup(pid, &cgroup))
		return false;
	has = owner__has_cgroup(kind, who, cgroup);
	free(cgroup);
	return has;
}

const char *owner__name(int pid, const char *comm, char *buf)
{
	const char *unit = NULL;
	size_t unit_len = 0;
	char *cgroup;

	snprintf(buf, OWNER_SZ, "%s", comm);
	if (task__cgroup(pid, &cgroup))
		return buf;
	for (const char *at = cgroup; *at; at += strcspn(at, "/")) {
		size_t len;

		at += *at == '/';
		len = strcspn(at, "/");
		if (ends_with(at, len, ".service")) {
			unit = at;
			unit_len = len;
		}
	}
	if (unit)
		snprintf(buf, OWNER_SZ, "%.*s", (int)unit_len, unit);
	free(cgroup);
	return buf;
}

const struct holder *owner__choose(const struct holder *h, int cnt)
{
	for (int i = 0; i < cnt; i++)
		if (strcmp(h[i].comm, "bprof"))
			return &h[i];
	return NULL;
}

/* ---- programs ---- */

/* Whether a process that holds programs belongs to an owner. */
struct judged {
	int pid;
	bool owner;
};

/* Judges each process only once, because it may hold many programs. */
static bool is_process_of_owner(struct judged **known, int *known_cnt, char *const *who, int cnt,
				const struct holder *h)
{
	struct judged *new;

	for (int i = 0; i < *known_cnt; i++)
		if ((*known)[i].pid == h->pid)
			return (*known)[i].owner;
	new = array__add(known, known_cnt, sizeof(*new));
	*new = (struct judged){.pid = h->pid};
	for (int i = 0; i < cnt && !new->owner; i++)
		new->owner = owner__has_process(who[i], h->pid, h->comm);
	return new->owner;
}

void owned__read(struct owned *o, char *const *who, int cnt)
{
	struct judged *known = NULL;
	int known_cnt = 0;

	holders__free(&o->holders);
	holders__load_from(&o->source, &o->holders, iter_run__explain);
	free(o->id);
	o->id = xcalloc(o->holders.cnt + 1, sizeof(*o->id));
	o->cnt = 0;
	for (int i = 0; i < o->holders.cnt; i++) {
		const struct holder *h = &o->holders.v[i];

		if ((!o->cnt || o->id[o->cnt - 1] != h->prog_id) &&
		    is_process_of_owner(&known, &known_cnt, who, cnt, h))
			o->id[o->cnt++] = h->prog_id;
	}
	free(known);
}

bool owned__has(const struct owned *o, __u32 prog_id)
{
	return o->cnt && bsearch(&prog_id, o->id, o->cnt, sizeof(prog_id), compare_u32);
}

void owned__free(struct owned *o)
{
	holder_source__close(&o->source);
	holders__free(&o->holders);
	free(o->id);
	*o = (struct owned){};
}
