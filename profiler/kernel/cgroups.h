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
	 * Depth of path below its hierarchy's root: 0, or more in a cgroup namespace; -1: unknown.
	 */
	int level;
};

/*
 * Finds the hierarchy that perf events use: the v1 one with perf_event (that controller is then in
 * no other), otherwise cgroup2's. mounts: a file such as /proc/self/mounts. Returns 0; -ENOENT:
 * none is mounted; or -errno.
 */
int cgroups__root(const char *mounts, struct cgroups_root *root);
void cgroups__free_root(struct cgroups_root *root);

struct cgroup {
	char *name; /* path below the root, without a leading '/'; "/" for the root */
	char *path; /* its directory; NULL: not found, then name is as given and err is set */
	__u64 id;   /* the kernel's id, as from bpf_get_current_cgroup_id() */
	int level;  /* depth below its hierarchy's root; -1: unknown */
	int err;
	bool regex; /* path is NULL: name is a regular expression without a match */
};

struct cgroup_list {
	struct cgroup
		*v; /* in the order of the list; matches of a regex: parents first, then by name */
	int cnt;
};

/*
 * Selects the cgroups of a list "a,b/c,^d/.*x$", each once. An item with one of {}[]()|*+?^$ is an
 * extended regular expression, which may match anywhere in a path below the root (the root's own
 * path is empty). Any other item is a path; "/" and an empty item are the root. Returns 0, -EINVAL
 * with *err (may be NULL), or -ENOMEM. list starts empty; the caller frees it in any case.
 */
int cgroups__select(const struct cgroups_root *root, const char *arg, struct cgroup_list *list,
		    struct parse_error *err);
void cgroup_list__free(struct cgroup_list *list);

/*
 * Called for a directory of a tree; name: its path below the start of the walk ("" for the start
 * itself).
 */
typedef int (*cgroup_visit_fn)(const char *name, const FTSENT *entry, void *arg);
/*
 * Walks all directories from path on, parents before children, sorted by name, until visit()
 * returns non-zero, and returns that. Directories that vanish meanwhile are skipped. 0 or -errno.
 */
int cgroups__walk(const char *path, cgroup_visit_fn visit, void *arg);

#endif
