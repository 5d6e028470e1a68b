/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The network namespaces and the bpf filesystems of all processes, also of processes in containers.
 */
#ifndef BPROF_NAMESPACES_H
#define BPROF_NAMESPACES_H

#include <stdbool.h>
#include <linux/types.h>

/* A path in /proc by which a namespace or a filesystem can be opened while the process lives. */
struct ns_place {
	__u64 id; /* inode number of the namespace; device number of the filesystem */
	char *path;
	bool whole; /* the mount is of the whole filesystem, not of a directory in it */
};

struct namespaces {
	/* The network namespaces of threads and of mounts, except for the namespace of this process. */
	struct ns_place *net;
	int net_cnt;
	/* mounts of bpf filesystems; a filesystem may have several mounts */
	struct ns_place *bpffs;
	int bpffs_cnt;
	int refused; /* number of processes whose namespaces this process may not see */
};

/*
 * Fills *n. Does not find a namespace that only open files or sockets keep alive, or a filesystem
 * that is not mounted. The caller frees *n with namespaces__free().
 */
void namespaces__load(struct namespaces *n);
void namespaces__free(struct namespaces *n);

/*
 * Returns true if this process is in the initial pid namespace, so that it sees all processes in
 * /proc.
 */
bool is_in_initial_pid_ns(void);
/* Returns true if this process is in the initial cgroup namespace, so that it sees all cgroups. */
bool is_in_initial_cgroup_ns(void);

/*
 * Adds the namespaces and filesystems that a line of /proc/PID/mountinfo names. root is the path by
 * which this process reaches the files of process PID: "/proc/PID/root", or "" for its own files.
 */
void namespaces__read_mount(struct namespaces *n, const char *root, char *line);

#endif
