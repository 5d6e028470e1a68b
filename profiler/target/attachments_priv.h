/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by the sources of attachments (attachments_*.c) only.
 */
#ifndef BPROF_ATTACHMENTS_PRIV_H
#define BPROF_ATTACHMENTS_PRIV_H

#include "target/attachments.h"

struct btf;

/* Numbers from include/uapi/linux/bpf.h of Linux 7.0, as the headers of the build may be older. */
enum {
	ATTACH_TYPE_LSM_CGROUP = 43,
	ATTACH_TYPE_TCX_INGRESS = 46,
	ATTACH_TYPE_TCX_EGRESS = 47,
	ATTACH_TYPE_NETKIT_PRIMARY = 54,
	ATTACH_TYPE_NETKIT_PEER = 55,
};

/* A cgroup's id is the inode number of its directory (kernel/cgroup/cgroup.c: cgroup_id()). */
struct cgroup_dir {
	__u64 id;
	char *path;
};

/* The state of a search. */
struct attach_search {
	struct attachments *found;
	struct cgroup_dir *cgroup;
	int cgroup_cnt;
	int pid; /* process whose files are searched, a holder of what is found; 0: none */
	struct btf *vmlinux; /* loaded on demand: attach_search__vmlinux() */
	int vmlinux_err;
};

/* Returns the kernel's BTF, loaded at first use; NULL: none. */
struct btf *attach_search__vmlinux(struct attach_search *s);

/*
 * Adds a copy of *at with the formatted target. If the program has an attachment of the same kind,
 * attach type and target already, only fills in its link id. Returns 0 or -ENOMEM.
 */
int attach_search__add(struct attach_search *s, const struct attachment *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Adds s->pid to the attachment's holders. Returns 0 or -ENOMEM. */
int attach_search__add_holder(struct attach_search *s, struct attachment *at);
/*
 * Finds an attachment by the program, kind, interface and (unless "") attach type of at, or NULL.
 */
struct attachment *attach_search__find_dev(struct attach_search *s, const struct attachment *at);

/* Writes an attach type's name ("cgroup_inet_ingress", "attach_type_99") to buf; returns buf. */
const char *attach_type__name(__u32 type, char *buf, size_t sz);

/* The sources. Each adds what it finds and skips what it may not see. Returns 0 or -ENOMEM. */
int attach_search__links(struct attach_search *s);
int attach_search__xdp(struct attach_search *s);
int attach_search__tc(struct attach_search *s);
int attach_search__cgroups(struct attach_search *s);
int attach_search__perf_events(struct attach_search *s);
int attach_search__struct_ops(struct attach_search *s);

/*
 * attachments_tracing.c: adds the link of a tracing program, whose target is a function. 0 or
 * -ENOMEM.
 */
int attach_search__add_tracing(struct attach_search *s, struct attachment *at, __u32 attach_type,
			       __u32 target_obj_id, __u32 target_btf_id);

#endif
