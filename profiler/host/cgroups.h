/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds and selects the cgroups whose tasks perf events can count. Pure, except for the directories
 * that it reads.
 */
#ifndef BPROF_CGROUPS_H
#define BPROF_CGROUPS_H

#include <fts.h>
#include <stdbool.h>
#include <linux/types.h>

struct parse_error;

struct cgroups_root {
	char *path; /* owned */
	bool v1;
	/*
	 * The number of levels between the root of the hierarchy and the directory "path": 0 if
	 * path is this root, more in a cgroup namespace, -1 if unknown.
	 */
	int level;
};

/*
 * Finds the hierarchy that perf events use: the v1 hierarchy with the controller perf_event or, if
 * there is none, cgroup2. (The controller is in only one hierarchy.) mounts: a file such as
 * /proc/self/mounts. Returns 0; -ENOENT: no such hierarchy is mounted; or -errno.
 */
int cgroups__root(const char *mounts, struct cgroups_root *root);
void cgroups__free_root(struct cgroups_root *root);

struct cgroup {
	char *name; /* path below the root without a leading '/', or "/" for the root */
	/*
	 * The path of the cgroup's directory. If no cgroup was found, path is NULL, name is the
	 * item as written, and err is set.
	 */
	char *path;
	__u64 id;  /* the kernel's id, which bpf_get_current_cgroup_id() returns, too */
	int level; /* depth below the hierarchy's root; -1: unknown */
	int err;
	bool regex; /* true if path is NULL because name, a regular expression, has no match */
};

struct cgroup_list {
	/*
	 * The cgroups are in the order of the items. The matches of a regex are sorted by name,
	 * parents before children.
	 */
	struct cgroup *v;
	int cnt;
};

/*
 * Selects the cgroups of a list such as "a,b/c,^d/.*x$", each cgroup once. An item that contains one of
 * {}[]()|*+?^$ is an extended regular expression, which may match any part of a path below the root (the
 * root's own path is empty). Any other item is a path; "/" and an empty item mean the root.
 * Returns 0, or -EINVAL with *err (may be NULL), or another -errno. *list must be empty before; the caller
 * frees it in any case.
 */
int cgroups__select(const struct cgroups_root *root, const char *arg, struct cgroup_list *list,
		    struct parse_error *err);
void cgroup_list__free(struct cgroup_list *list);

/*
 * A function that is called for each directory of a tree. name: the directory's path below the
 * start of the walk ("" for the start itself).
 */
typedef int (*cgroup_visit_fn)(const char *name, const FTSENT *entry, void *arg);
/*
 * Calls visit() for path and all directories below it, parents before children, sorted by name.
 * Skips directories that vanish during the walk. If visit() returns a non-zero value, stops and
 * returns that value. Otherwise returns 0 or -errno.
 */
int cgroups__walk(const char *path, cgroup_visit_fn visit, void *arg);

#endif
