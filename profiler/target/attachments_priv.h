/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the sources of attachments (attachments_*.c) share. For them only.
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

/* What the sources need while they search. */
struct attach_search {
	struct attachments *found;
	struct cgroup_dir *cgroup;
	int cgroup_cnt;
	int pid; /* whose files are being searched: it holds what is found; 0: nobody's */
	struct btf *vmlinux; /* NULL until it is needed: attach_search__vmlinux() */
	int vmlinux_err;
};

/* The kernel's BTF, loaded at first use; NULL where there is none. */
struct btf *attach_search__vmlinux(struct attach_search *s);

/*
 * Adds a copy of *at, whose target is replaced by the formatted one; unless the same (kind, attach
 * type, target) of that program is there already: then only a link id is filled in. 0 or -ENOMEM.
 */
int attach_search__add(struct attach_search *s, const struct attachment *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* s->pid holds it. 0 or -ENOMEM. */
int attach_search__add_holder(struct attach_search *s, struct attachment *at);
/* The one of at's program, kind and interface, or NULL. */
struct attachment *attach_search__find_dev(struct attach_search *s, const struct attachment *at);

/* Writes an attach type's name ("cgroup_inet_ingress", "attach_type_99") into buf; returns buf. */
const char *attach_type__name(__u32 type, char *buf, size_t sz);

/* The sources. Each adds what it finds and passes over what it may not see: 0 or -ENOMEM. */
int attach_search__links(struct attach_search *s);
int attach_search__xdp(struct attach_search *s);
int attach_search__tc(struct attach_search *s);
int attach_search__cgroups(struct attach_search *s);
int attach_search__perf_events(struct attach_search *s);
int attach_search__struct_ops(struct attach_search *s);

/* attachments_tracing.c: adds the link of a tracing program, whose target is a function. */
int attach_search__add_tracing(struct attach_search *s, struct attachment *at, __u32 attach_type,
			       __u32 target_obj_id, __u32 target_btf_id);

#endif
