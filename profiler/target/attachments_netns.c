// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Searches other network namespaces for attachments. Owns the thread that enters them. Prints nothing.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <bpf/bpf.h>

#include "base/util.h"
#include "target/attachments_priv.h"

#define MAX_PROGS 64

/* Adds the flow dissector of a namespace, if it is attached without a link. */
static void add_dissector(struct attach_search *s, int fd)
{
	struct attachment at = {.kind = "netns", .attach_type = "flow_dissector"};
	__u32 ids[MAX_PROGS], cnt = MAX_PROGS;

	if (bpf_prog_query(fd, BPF_FLOW_DISSECTOR, 0, NULL, ids, &cnt))
		return;
	for (__u32 i = 0; i < cnt; i++) {
		at.prog_id = ids[i];
		attach_search__add(s, &at, "%s", "");
	}
}

void attach_search__netns(struct attach_search *s)
{
	int fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		add_dissector(s, fd);
	close_fd(&fd);
}

struct netns_visit {
	struct attachments *found;
	const char *path;
	int err;
};

/*
 * Runs in a thread. The thread enters the other namespace and ends there, so no other code of bprof
 * ever runs in that namespace.
 */
static void *visit_netns(void *arg)
{
	struct netns_visit *v = arg;
	struct attach_search s = {.found = v->found, .ids_only = true};
	int fd = open(v->path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || setns(fd, CLONE_NEWNET)) {
		v->err = -errno;
	} else {
		attach_search__xdp(&s);
		attach_search__tc(&s);
		add_dissector(&s, fd);
	}
	close_fd(&fd);
	return NULL;
}

int attachments__load_netns(struct attachments *a, const char *path)
{
	struct netns_visit v = {.found = a, .path = path};
	pthread_t thread;
	int err;

	*a = (struct attachments){};
	err = -pthread_create(&thread, NULL, visit_netns, &v);
	if (err)
		return err;
	pthread_join(thread, NULL);
	return v.err;
}
