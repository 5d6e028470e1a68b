/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Declarations for the files that search for attachments (attachments*.c), and for the files that
 * search maps for holders.
 */
#ifndef BPROF_ATTACHMENTS_PRIV_H
#define BPROF_ATTACHMENTS_PRIV_H

#include "target/attachments.h"

struct btf;

/* Attach types from include/uapi/linux/bpf.h of Linux 7.0. The build's headers may lack them. */
enum {
	ATTACH_TYPE_SK_SKB_VERDICT = 38,
	ATTACH_TYPE_LSM_CGROUP = 43,
	ATTACH_TYPE_TCX_INGRESS = 46,
	ATTACH_TYPE_TCX_EGRESS = 47,
	ATTACH_TYPE_NETKIT_PRIMARY = 54,
	ATTACH_TYPE_NETKIT_PEER = 55,
};

/* A cgroup and its directory. The id is the directory's inode number (cgroup_id()). */
struct cgroup_dir {
	__u64 id;
	char *path;
};

/* The state of a search for attachments. */
struct attach_search {
	struct attachments *found;
	/*
	 * Only the ids of attached programs are wanted: the search finds no targets of tracing
	 * programs, and may find a program several times with the same target.
	 */
	bool ids_only;
	struct cgroup_dir *cgroup;
	int cgroup_cnt;
	/* process whose open files are being searched; 0: none */
	int pid;
	/* the kernel's BTF; get it from attach_search__vmlinux(), which loads it */
	struct btf *vmlinux;
	int vmlinux_err;
};

/* Returns the kernel's BTF. The first call loads it. NULL: the kernel has none. */
struct btf *attach_search__vmlinux(struct attach_search *s);

/*
 * Adds a copy of *at, with the text that fmt makes as its target. If s->found already has an
 * attachment of this program with the same kind, attach type and target, only fills in the link id
 * of that attachment.
 */
void attach_search__add(struct attach_search *s, const struct attachment *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Adds s->pid to the attachment's holders. */
void attach_search__add_holder(struct attach_search *s, struct attachment *at);
/*
 * Returns the attachment with the same program, kind, interface and attach type as *at, or NULL. An
 * attach type of "" in *at matches any attach type. Skips attachments by other links: interfaces of
 * several network namespaces may have the same index.
 */
struct attachment *attach_search__find_dev(struct attach_search *s, const struct attachment *at);

/* Writes the name of an attach type to buf ("attach_type_99" if unknown). Returns buf. */
const char *attach_type__name(__u32 type, char *buf, size_t sz);

/*
 * Each of the following functions searches one source (enum attach_source, or the links). It adds
 * the attachments that it finds, and skips attachments that it has no permission to see.
 */
void attach_search__links(struct attach_search *s);
void attach_search__xdp(struct attach_search *s);
void attach_search__tc(struct attach_search *s);
void attach_search__filters(struct attach_search *s); /* a part of attach_search__tc() */
void attach_search__netns(struct attach_search *s);
void attach_search__cgroups(struct attach_search *s);
void attach_search__perf_events(struct attach_search *s);
void attach_search__struct_ops(struct attach_search *s);
void attach_search__sockmaps(struct attach_search *s);

/* Adds the attachment of a tracing program, whose target is a function (attachments_tracing.c). */
void attach_search__add_tracing(struct attach_search *s, struct attachment *at, __u32 attach_type,
				__u32 target_obj_id, __u32 target_btf_id);

#endif
