// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Programs on perf events that have no link, or one that does not say enough (before Linux 6.6):
 * asks for each perf event among the files that processes have open.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "attachments_priv.h"

static const char *const fd_kinds[] = {
	/* raw tracepoints always have a link that says all */
	[BPF_FD_TYPE_TRACEPOINT] = "tracepoint", [BPF_FD_TYPE_KPROBE] = "kprobe",
	[BPF_FD_TYPE_KRETPROBE] = "kretprobe",	 [BPF_FD_TYPE_UPROBE] = "uprobe",
	[BPF_FD_TYPE_URETPROBE] = "uretprobe",
};

/* The entry that a link left without a target: the same attachment, of which more is known now. */
static __u32 take_blank(struct attach_search *s, __u32 prog_id)
{
	for (int i = 0; i < s->found->cnt; i++) {
		struct attachment *at = &s->found->v[i];
		__u32 link_id = at->link_id;

		if (at->prog_id != prog_id || strcmp(at->kind, "perf_event") || *at->target)
			continue;
		free(at->target);
		*at = s->found->v[--s->found->cnt];
		return link_id;
	}
	return 0;
}

static int add_perf_event(struct attach_search *s, int pid, int fd)
{
	struct attachment at = {0};
	char name[4096] = "";
	__u32 len = sizeof(name), prog_id, type;
	__u64 offset = 0, addr;

	if (bpf_task_fd_query(pid, fd, 0, name, &len, &prog_id, &type, &offset, &addr) &&
	    errno != ENOSPC)
		return 0;
	if (type >= ARRAY_SIZE(fd_kinds) || !fd_kinds[type])
		return 0;
	at.prog_id = prog_id;
	at.link_id = take_blank(s, prog_id);
	snprintf(at.kind, sizeof(at.kind), "%s", fd_kinds[type]);
	/* a kprobe on an address has no name */
	if (!*name)
		return attach_search__add(s, &at, "%#llx", addr);
	if (!offset || type == BPF_FD_TYPE_TRACEPOINT)
		return attach_search__add(s, &at, "%s", name);
	return attach_search__add(s, &at, "%s+%#llx", name, offset);
}

static int search_process(struct attach_search *s, const char *pid)
{
	char path[300], target[64];
	struct dirent *e;
	int err = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%s/fd", pid);
	dir = opendir(path);
	if (!dir)
		return 0;
	while (!err && (e = readdir(dir))) {
		ssize_t n = readlinkat(dirfd(dir), e->d_name, target, sizeof(target) - 1);

		if (n < 0)
			continue;
		target[n] = '\0';
		if (!strcmp(target, "anon_inode:[perf_event]"))
			err = add_perf_event(s, atoi(pid), atoi(e->d_name));
	}
	closedir(dir);
	return err;
}

int attach_search__perf_events(struct attach_search *s)
{
	DIR *proc = opendir("/proc");
	struct dirent *e;
	int err = 0;

	if (!proc)
		return 0;
	while (!err && (e = readdir(proc)))
		if (isdigit((unsigned char)e->d_name[0]))
			err = search_process(s, e->d_name);
	closedir(proc);
	return err;
}
