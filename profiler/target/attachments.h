/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds out where the loaded programs are attached, if the kernel reports it.
 */
#ifndef BPROF_ATTACHMENTS_H
#define BPROF_ATTACHMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/bpf.h>
#include <linux/types.h>

#include "base/util.h"
#include "host/holders.h"

struct attachment {
	__u32 prog_id;
	char kind[24];	      /* kind of hook: "xdp", "tcx", "cgroup", "raw_tp", "fentry", … */
	char attach_type[40]; /* detail of the kind: "ingress", "inet_egress", "generic", or "" */
	char *target;  /* interface, path, function, …: "eth0", "/sys/fs/cgroup/x"; "": unknown */
	__u32 link_id; /* id of the link; 0: attached without a link */
	__u32 ifindex; /* index of the interface; 0: not attached to an interface */
	bool elsewhere;	 /* attached by a link to an interface of another network namespace */
	__u64 cgroup_id; /* id of the cgroup; 0: not attached to a cgroup */
	/*
	 * The processes that have the attachment's link or perf event open, by ascending pid.
	 * ATTACH_PERF fills this in. Empty if no process has it open, for example if a link is only
	 * pinned.
	 */
	struct holder *holder;
	int holder_cnt;
};

struct attachments {
	struct attachment *v; /* sorted by program id */
	int cnt;
};

/* Places that are searched in addition to the links. Each search takes time. */
enum attach_source {
	ATTACH_XDP = 1 << 0,	/* all interfaces of this network namespace */
	ATTACH_TC = 1 << 1,	/* all interfaces, as for ATTACH_XDP, and their tc filters */
	ATTACH_CGROUP = 1 << 2, /* all cgroups of the cgroup2 tree */
	/* open files of all processes: finds perf events and the holders of links */
	ATTACH_PERF = 1 << 3,
	ATTACH_STRUCT_OPS = 1 << 4, /* all struct_ops maps */
	ATTACH_SOCKMAP = 1 << 6,    /* all sockmaps, from Linux 5.18 on */
	ATTACH_NETNS = 1 << 5,	    /* flow dissector of this network namespace */
};
/* Returns the places to search for programs of this type; 0: links show all their attachments. */
unsigned int attachments__sources(enum bpf_prog_type type);

/*
 * Fills *a from the links and from these sources. Leaves out attachments that this process has no
 * permission to see. The caller frees *a with attachments__free().
 */
void attachments__load(struct attachments *a, unsigned int sources);
/*
 * Like attachments__load(), but finds out only which programs are attached. This is much faster,
 * because it does not search for the targets of tracing programs.
 */
void attachments__load_ids(struct attachments *a, unsigned int sources);
/*
 * Finds the programs that are attached without a link in another network namespace: to its
 * interfaces, as tc actions, or as its flow dissector. path: a file in /proc or /run/netns. Returns
 * 0 or -errno. The caller frees *a with attachments__free(), also on failure.
 */
int __must_check attachments__load_netns(struct attachments *a, const char *path);
void attachments__free(struct attachments *a);

/*
 * Returns the program's next attachment after prev (NULL: the first), or NULL. *a must be sorted by
 * program id, as it is after attachments__load().
 */
const struct attachment *attachments__next(const struct attachments *a, __u32 prog_id,
					   const struct attachment *prev);

/* Returns true for attachments to a perf event, tracepoint or probe of any kind. */
bool attachment__is_perf(const struct attachment *at);

/* Writes a description such as "xdp eth0 generic" to buf. Returns buf. */
const char *attachment__describe(const struct attachment *at, char *buf, size_t sz);
/*
 * Describes the first attachments of a program, and says how many more it has. The text is "" if
 * the program is attached nowhere. Returns buf.
 */
const char *attachments__describe(const struct attachments *a, __u32 prog_id, char *buf, size_t sz);

#endif
