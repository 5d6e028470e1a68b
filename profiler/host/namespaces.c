// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the walk over the namespaces of processes. Must not know what is searched there. Prints nothing.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/text.h"
#include "base/util.h"
#include "host/namespaces.h"

/* Inode numbers of the initial namespaces: include/linux/proc_ns.h. */
#define INITIAL_CGROUP_NS 0xEFFFFFFBU
#define INITIAL_PID_NS 0xEFFFFFFCU

/* Returns the inode number of a namespace, or 0. */
static __u64 ns_id(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : st.st_ino;
}

bool is_in_initial_pid_ns(void)
{
	return ns_id("/proc/self/ns/pid") == INITIAL_PID_NS;
}

bool is_in_initial_cgroup_ns(void)
{
	return ns_id("/proc/self/ns/cgroup") == INITIAL_CGROUP_NS;
}

static bool has_place(const struct ns_place *v, int cnt, __u64 id)
{
	for (int i = 0; i < cnt; i++)
		if (v[i].id == id)
			return true;
	return false;
}

static void add_net(struct namespaces *n, __u64 id, const char *root, const char *path)
{
	struct ns_place *new;

	if (!id || id == ns_id("/proc/self/ns/net") || has_place(n->net, n->net_cnt, id))
		return;
	new = array__add(&n->net, &n->net_cnt, sizeof(*new));
	new->id = id;
	new->path = text__format("%s%s", root, path);
}

/* ---- mounts ---- */

/* Undoes the kernel's escaping of blanks and the like: "\040". */
static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		unsigned int c;

		if (*s == '\\' && sscanf(s + 1, "%3o", &c) == 1) {
			*to++ = c;
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}

void namespaces__read_mount(struct namespaces *n, const char *root, char *line)
{
	char *type = strstr(line, " - "), *field[5], *save = NULL;
	unsigned int major_nr, minor_nr;
	struct ns_place *new;
	__u64 id;

	if (!type)
		return;
	type += 3;
	if (strncmp(type, "bpf ", 4) && strncmp(type, "nsfs ", 5))
		return;
	/* fields: id, parent's id, device, the mounted directory, the mount point */
	for (int i = 0; i < 5; i++) {
		field[i] = strtok_r(i ? NULL : line, " ", &save);
		if (!field[i])
			return;
	}
	unescape(field[4]);
	if (*type == 'n') {
		if (sscanf(field[3], "net:[%llu]", &id) == 1)
			add_net(n, id, root, field[4]);
	} else if (sscanf(field[2], "%u:%u", &major_nr, &minor_nr) == 2) {
		new = array__add(&n->bpffs, &n->bpffs_cnt, sizeof(*new));
		new->id = makedev(major_nr, minor_nr);
		new->whole = !strcmp(field[3], "/");
		new->path = text__format("%s%s", root, field[4]);
	}
}

/* task: its directory in /proc. */
static void read_mounts(struct namespaces *n, const char *task, const char *root)
{
	char path[96], *text, *save = NULL;

	snprintf(path, sizeof(path), "%s/mountinfo", task);
	if (read_file(path, &text))
		return; /* the task has ended */
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		namespaces__read_mount(n, root, line);
	free(text);
}

/* ---- processes ---- */

/* The state of the walk, with the mount namespaces that were read. */
struct ns_walk {
	struct namespaces *n;
	struct ns_place *mnt;
	int mnt_cnt;
};

/* Returns false if this process may not see the task's namespaces. */
static bool visit_task(struct ns_walk *w, int pid, int task)
{
	char dir[64], net[96], mnt[96], root[96];
	__u64 id;

	snprintf(dir, sizeof(dir), "/proc/%d/task/%d", pid, task);
	snprintf(net, sizeof(net), "%s/ns/net", dir);
	snprintf(mnt, sizeof(mnt), "%s/ns/mnt", dir);
	snprintf(root, sizeof(root), "%s/root", dir);
	id = ns_id(net);
	if (!id)
		return errno != EACCES && errno != EPERM;
	add_net(w->n, id, "", net);
	id = ns_id(mnt);
	if (id && !has_place(w->mnt, w->mnt_cnt, id)) {
		struct ns_place *new = array__add(&w->mnt, &w->mnt_cnt, sizeof(*new));

		new->id = id;
		read_mounts(w->n, dir, root);
	}
	return true;
}

static void visit_tasks(struct ns_walk *w, int pid)
{
	bool seen = true;
	struct dirent *e;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return; /* the process has ended */
	while (seen && (e = readdir(dir)))
		if (e->d_name[0] != '.')
			seen = visit_task(w, pid, atoi(e->d_name));
	w->n->refused += !seen;
	closedir(dir);
}

void namespaces__load(struct namespaces *n)
{
	struct ns_walk w = {.n = n};
	struct dirent *e;
	DIR *proc = opendir("/proc");

	memset(n, 0, sizeof(*n));
	if (!proc)
		return;
	/*
	 * Read this process's own mounts first. So a filesystem that this process can reach gets
	 * the path under which bprof's user knows it.
	 */
	read_mounts(n, "/proc/self", "");
	while ((e = readdir(proc)))
		if (atoi(e->d_name) > 0)
			visit_tasks(&w, atoi(e->d_name));
	closedir(proc);
	free(w.mnt);
}

static void free_places(struct ns_place *v, int cnt)
{
	for (int i = 0; i < cnt; i++)
		free(v[i].path);
	free(v);
}

void namespaces__free(struct namespaces *n)
{
	free_places(n->net, n->net_cnt);
	free_places(n->bpffs, n->bpffs_cnt);
	memset(n, 0, sizeof(*n));
}
