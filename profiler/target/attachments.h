/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where the loaded programs are attached, as far as the kernel reports it.
 */
#ifndef BPROF_ATTACHMENTS_H
#define BPROF_ATTACHMENTS_H

#include <stddef.h>
#include <linux/bpf.h>
#include <linux/types.h>

#include "base/util.h"

/* A process that has the link, or the perf event, open. */
struct attach_holder {
	int pid;
	char comm[16];
};

struct attachment {
	__u32 prog_id;
	char kind[24];	      /* "xdp", "tcx", "cgroup", "raw_tp", "fentry", … */
	char attach_type[40]; /* detail of kind: "ingress", "inet_egress", "generic", or "" */
	char *target;	      /* "eth0", "/sys/fs/cgroup/x", "sched_switch"; "": unknown */
	__u32 link_id;	      /* 0: attached without a link */
	__u32 ifindex;	      /* 0: not on an interface */
	__u64 cgroup_id;      /* 0: not on a cgroup */
	/* Found by the search of ATTACH_PERF, by ascending pid; empty if only a pin holds it. */
	struct attach_holder *holder;
	int holder_cnt;
};

struct attachments {
	struct attachment *v; /* by program id */
	int cnt;
};

/* Places to search besides the links; each search has a cost. */
enum attach_source {
	ATTACH_XDP = 1 << 0,	    /* all interfaces of this network namespace */
	ATTACH_TC = 1 << 1,	    /* the same interfaces, with their filters */
	ATTACH_CGROUP = 1 << 2,	    /* the cgroup2 tree */
	ATTACH_PERF = 1 << 3,	    /* open files of all processes: perf events, holders of links */
	ATTACH_STRUCT_OPS = 1 << 4, /* struct_ops maps */
};
/* Returns the sources for programs of this type; 0 if links alone are complete. */
unsigned int attachments__sources(enum bpf_prog_type type);

/*
 * Fills *a from the links and the given sources. Leaves out what this process may not see. Returns
 * 0 or -ENOMEM. The caller frees *a with attachments__free().
 */
int __must_check attachments__load(struct attachments *a, unsigned int sources);
/*
 * Fills in the holders of attachments that have a link id; may add other perf events of the
 * holders' processes. Returns 0 or -ENOMEM.
 */
int __must_check attachments__find_holders(struct attachments *a);
void attachments__free(struct attachments *a);

/*
 * Returns the program's next attachment after prev (NULL: the first), or NULL. *a must be sorted,
 * as attachments__load() leaves it.
 */
const struct attachment *attachments__next(const struct attachments *a, __u32 prog_id,
					   const struct attachment *prev);

/* Returns true for attachments to a perf event, tracepoint or probe of any kind. */
bool attachment__is_perf(const struct attachment *at);

/* Writes "xdp eth0 generic"; returns buf. */
const char *attachment__describe(const struct attachment *at, char *buf, size_t sz);

#endif
