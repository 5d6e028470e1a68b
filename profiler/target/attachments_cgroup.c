// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Searches the cgroup2 tree: finds the path of each cgroup id, and the programs attached to each
 * cgroup, including those without a link.
 */
#include <fcntl.h>
#include <mntent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "base/memory.h"
#include "host/cgroups.h"
#include "target/attachments_priv.h"

/* BPF_CGROUP_MAX_PROGS of include/linux/bpf-cgroup.h */
#define MAX_PROGS 64

/*
 * The attach types that bpf_prog_query() (kernel/bpf/syscall.c) accepts for a cgroup. Some of them
 * are numbers, because the build's headers may be older.
 */
static const __u32 attach_types[] = {
	BPF_CGROUP_INET_INGRESS,
	BPF_CGROUP_INET_EGRESS,
	BPF_CGROUP_INET_SOCK_CREATE,
	BPF_CGROUP_INET_SOCK_RELEASE,
	BPF_CGROUP_INET4_BIND,
	BPF_CGROUP_INET6_BIND,
	BPF_CGROUP_INET4_POST_BIND,
	BPF_CGROUP_INET6_POST_BIND,
	BPF_CGROUP_INET4_CONNECT,
	BPF_CGROUP_INET6_CONNECT,
	BPF_CGROUP_INET4_GETPEERNAME,
	BPF_CGROUP_INET6_GETPEERNAME,
	BPF_CGROUP_INET4_GETSOCKNAME,
	BPF_CGROUP_INET6_GETSOCKNAME,
	BPF_CGROUP_UDP4_SENDMSG,
	BPF_CGROUP_UDP6_SENDMSG,
	BPF_CGROUP_UDP4_RECVMSG,
	BPF_CGROUP_UDP6_RECVMSG,
	BPF_CGROUP_SOCK_OPS,
	BPF_CGROUP_DEVICE,
	BPF_CGROUP_SYSCTL,
	BPF_CGROUP_GETSOCKOPT,
	BPF_CGROUP_SETSOCKOPT,
	ATTACH_TYPE_LSM_CGROUP,
	49, /* BPF_CGROUP_UNIX_CONNECT */
	50, /* BPF_CGROUP_UNIX_SENDMSG */
	51, /* BPF_CGROUP_UNIX_RECVMSG */
	52, /* BPF_CGROUP_UNIX_GETPEERNAME */
	53, /* BPF_CGROUP_UNIX_GETSOCKNAME */
};

static int visit_cgroup(const char *name, const FTSENT *entry, void *arg)
{
	struct attach_search *s = arg;
	struct cgroup_dir *dir = array__add(&s->cgroup, &s->cgroup_cnt, sizeof(*dir));
	__u32 ids[MAX_PROGS], flags[MAX_PROGS];
	int fd;

	dir->id = entry->fts_statp->st_ino;
	dir->path = xstrdup(entry->fts_path);
	fd = open(dir->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(attach_types); i++) {
		struct attachment at = {.kind = "cgroup", .cgroup_id = dir->id};
		LIBBPF_OPTS(bpf_prog_query_opts, opts, .prog_ids = ids, .prog_cnt = MAX_PROGS);

		/*
		 * Programs of several LSM hooks share this attach type. For this type, the kernel
		 * rejects a query that has no buffer for the flags of each program.
		 */
		if (attach_types[i] == ATTACH_TYPE_LSM_CGROUP)
			opts.prog_attach_flags = flags;
		if (bpf_prog_query_opts(fd, attach_types[i], &opts))
			continue;
		attach_type__name(attach_types[i], at.attach_type, sizeof(at.attach_type));
		for (__u32 j = 0; j < opts.prog_cnt && j < MAX_PROGS; j++) {
			at.prog_id = ids[j];
			attach_search__add(s, &at, "%s", dir->path);
		}
	}
	close(fd);
	return 0;
}

void attach_search__cgroups(struct attach_search *s)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	struct mntent *m, buf;
	char text[4096];

	if (!mounts)
		return;
	/* One mount is enough: every mount shows all cgroups that this namespace may see. */
	while ((m = getmntent_r(mounts, &buf, text, sizeof(text))))
		if (!strcmp(m->mnt_type, "cgroup2"))
			break;
	if (m)
		cgroups__walk(m->mnt_dir, visit_cgroup, s);
	endmntent(mounts);
}
