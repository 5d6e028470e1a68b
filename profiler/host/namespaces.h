/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The network namespaces and the bpf filesystems of all processes, also of those in containers.
 */
#ifndef BPROF_NAMESPACES_H
#define BPROF_NAMESPACES_H

#include <stdbool.h>
#include <linux/types.h>

/* A place in /proc by which a namespace or a filesystem can be opened, while the process lives. */
struct ns_place {
	__u64 id; /* inode number of the namespace; device number of the filesystem */
	char *path;
	bool whole; /* of a mount: not only of a directory of the filesystem */
};

struct namespaces {
	/* The network namespaces of threads and of mounts, without that of this process. */
	struct ns_place *net;
	int net_cnt;
	struct ns_place *bpffs; /* mounts of bpf filesystems; one may be mounted several times */
	int bpffs_cnt;
	int refused; /* number of processes whose namespaces this process may not see */
};

/*
 * Fills *n. Does not find a namespace that only open files or sockets keep, or a filesystem that is
 * mounted nowhere. The caller frees *n with namespaces__free().
 */
void namespaces__load(struct namespaces *n);
void namespaces__free(struct namespaces *n);

/* Returns true if this process is in the initial pid namespace: /proc shows it all processes. */
bool is_in_initial_pid_ns(void);
/* Returns true if this process is in the initial cgroup namespace: it sees all cgroups. */
bool is_in_initial_cgroup_ns(void);

/*
 * Adds the namespaces and filesystems that a line of /proc/PID/mountinfo names. root is how this process
 * reaches the files of that one: "/proc/PID/root", "" for its own.
 */
void namespaces__read_mount(struct namespaces *n, const char *root, char *line);

#endif
