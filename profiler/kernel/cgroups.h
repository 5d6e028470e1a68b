/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The cgroups whose tasks perf events can count: where they are, and choosing some of them. Pure, but
 * for the directories it reads.
 */
#ifndef BPROF_CGROUPS_H
#define BPROF_CGROUPS_H

#include <stdbool.h>
#include <linux/types.h>

struct parse_error;

struct cgroups_root {
	char *path; /* owned */
	bool v1;
	/*
	 * How far below its hierarchy's root this is: 0, or more in a cgroup namespace; -1 where
	 * that cannot be found out.
	 */
	int level;
};

/*
 * The hierarchy that perf events follow: a v1 one that has perf_event, which then is nowhere else,
 * or else cgroup2's. mounts: a file such as /proc/self/mounts. 0; -ENOENT: none is mounted; -errno.
 */
int cgroups__root(const char *mounts, struct cgroups_root *root);
void cgroups__free_root(struct cgroups_root *root);

struct cgroup {
	char *name; /* its path below the root, without a '/' before it; the root is "/" */
	char *path; /* its directory; NULL: no such thing, name is as given and err says why */
	__u64 id;   /* the kernel's: what bpf_get_current_cgroup_id() gives */
	int level;  /* below its hierarchy's root; -1: not known */
	int err;
	bool regex; /* path is NULL: name is a regular expression that none matches */
};

struct cgroup_list {
	struct cgroup
		*v; /* in the order of the list; what a regex matches: parents first, by name */
	int cnt;
};

/*
 * The cgroups of a list "a,b/c,^d/.*x$", each once. An item with one of {}[]()|*+?^$ is an extended
 * regular expression, matched with every path below the root (the root's own is empty) and
 * wherever in it; another one is a path, "/" or nothing the root. 0, -EINVAL with *err (may be
 * NULL), -ENOMEM; list begins empty and is to be freed in any case.
 */
int cgroups__select(const struct cgroups_root *root, const char *arg, struct cgroup_list *list,
		    struct parse_error *err);
void cgroup_list__free(struct cgroup_list *list);

#endif
