/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where the loaded programs are attached, as far as the kernel says.
 */
#ifndef BPROF_ATTACHMENTS_H
#define BPROF_ATTACHMENTS_H

#include <stddef.h>
#include <linux/bpf.h>
#include <linux/types.h>

#include "base/util.h"

/* A process that has the link, or the perf event, among its open files. */
struct attach_holder {
	int pid;
	char comm[16];
};

struct attachment {
	__u32 prog_id;
	char kind[24];	      /* "xdp", "tcx", "cgroup", "raw_tp", "fentry", … */
	char attach_type[40]; /* what kind leaves open: "ingress", "inet_egress", "generic"; "" */
	char *target;	      /* "eth0", "/sys/fs/cgroup/x", "sched_switch"; "" where unknown */
	__u32 link_id;	      /* 0: attached without a link */
	__u32 ifindex;	      /* 0: not on an interface */
	__u64 cgroup_id;      /* 0: not on a cgroup */
	/* Known of ATTACH_PERF's search, by ascending pid; none where only a pin holds it. */
	struct attach_holder *holder;
	int holder_cnt;
};

struct attachments {
	struct attachment *v; /* by program id */
	int cnt;
};

/* What has to be searched besides the links, each of some cost. */
enum attach_source {
	ATTACH_XDP = 1 << 0,	    /* every interface of this network namespace */
	ATTACH_TC = 1 << 1,	    /* the same, with its filters */
	ATTACH_CGROUP = 1 << 2,	    /* the cgroup2 tree */
	ATTACH_PERF = 1 << 3,	    /* perf events, and who holds links, among all open files */
	ATTACH_STRUCT_OPS = 1 << 4, /* struct_ops maps */
};
/* The sources that can know of programs of that type: 0 where links tell all there is. */
unsigned int attachments__sources(enum bpf_prog_type type);

/*
 * Fills *a with what the links and the given sources know. What this process may not see is left
 * out. 0 or -ENOMEM. The caller frees it with attachments__free().
 */
int __must_check attachments__load(struct attachments *a, unsigned int sources);
/*
 * Fills in, of those that have a link's id, which processes have that link open; other perf events of
 * theirs may be added. 0 or -ENOMEM.
 */
int __must_check attachments__find_holders(struct attachments *a);
void attachments__free(struct attachments *a);

/* The next one of that program after prev (NULL: the first), or NULL. For loaded attachments: they are sorted. */
const struct attachment *attachments__next(const struct attachments *a, __u32 prog_id,
					   const struct attachment *prev);

/* Is it one to a perf event or a tracepoint, by whatever way? */
bool attachment__is_perf(const struct attachment *at);

/* Writes "xdp eth0 generic"; returns buf. */
const char *attachment__describe(const struct attachment *at, char *buf, size_t sz);

#endif
