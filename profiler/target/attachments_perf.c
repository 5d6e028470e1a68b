// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Searches the open files of processes for the holders of links. Also finds programs on perf events
 * that have no link, or whose link has no details (before Linux 6.6).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <linux/perf_event.h>

#include "base/memory.h"
#include "host/open_files.h"
#include "target/attachments_priv.h"

static const char *const fd_kinds[] = {
	/* Raw tracepoints are left out because their links have all details. */
	[BPF_FD_TYPE_TRACEPOINT] = "tracepoint", [BPF_FD_TYPE_KPROBE] = "kprobe",
	[BPF_FD_TYPE_KRETPROBE] = "kretprobe",	 [BPF_FD_TYPE_UPROBE] = "uprobe",
	[BPF_FD_TYPE_URETPROBE] = "uretprobe",
};

/* Maximum number of programs that are read for a tracepoint. Further programs are left out. */
#define MAX_QUERIED 64

/*
 * What is known about one process's open files. If the kernel does not describe a perf event, bprof
 * guesses from this which program is attached to the event.
 */
struct files {
	__u32 prog_id; /* id of the last perf_event program that was found */
	int prog_cnt;  /* number of perf_event programs that are open */
	/*
	 * The process has a perf event open that runs a program, and the kernel does not describe
	 * that event.
	 */
	bool has_event;
};

/*
 * Removes the program's attachment that was added for a link without details. The caller adds the
 * attachment again with its target. Returns the link id of the removed attachment, or 0 if none was
 * removed.
 */
static __u32 remove_incomplete(struct attach_search *s, __u32 prog_id)
{
	for (int i = 0; i < s->found->cnt; i++) {
		struct attachment *at = &s->found->v[i];
		__u32 link_id = at->link_id;

		if (at->prog_id != prog_id || strcmp(at->kind, "perf_event") || *at->target)
			continue;
		free(at->target);
		free(at->holder);
		*at = s->found->v[--s->found->cnt];
		return link_id;
	}
	return 0;
}

static bool is_on_tracepoint(const struct attach_search *s, __u32 prog_id, const char *name)
{
	for (int i = 0; i < s->found->cnt; i++) {
		const struct attachment *at = &s->found->v[i];

		if (at->prog_id == prog_id && !strcmp(at->kind, "tracepoint") &&
		    !strcmp(at->target, name))
			return true;
	}
	return false;
}

/*
 * Adds the programs that other perf events attach to the tracepoint of the perf event fd. A program
 * whose perf event is open in no visible process is found only here.
 */
static void add_others(struct attach_search *s, int fd, const char *name)
{
	struct perf_event_query_bpf *query =
		xcalloc(1, sizeof(*query) + MAX_QUERIED * sizeof(__u32));
	int pidfd = syscall(SYS_pidfd_open, s->pid, 0), pid = s->pid;
	int own_fd = pidfd < 0 ? -1 : syscall(SYS_pidfd_getfd, pidfd, fd, 0);

	query->ids_len = MAX_QUERIED;
	s->pid = 0; /* Do not add this process as a holder of the other programs' perf events. */
	if (own_fd >= 0 && !ioctl(own_fd, PERF_EVENT_IOC_QUERY_BPF, query))
		for (__u32 i = 0; i < query->prog_cnt; i++) {
			struct attachment at = {.prog_id = query->ids[i], .kind = "tracepoint"};

			if (is_on_tracepoint(s, at.prog_id, name))
				continue;
			at.link_id = remove_incomplete(s, at.prog_id);
			attach_search__add(s, &at, "%s", name);
		}
	s->pid = pid;
	if (own_fd >= 0)
		close(own_fd);
	if (pidfd >= 0)
		close(pidfd);
	free(query);
}

static void add_perf_event(struct attach_search *s, int fd, struct files *files)
{
	struct attachment at = {0};
	char name[4096] = "";
	__u32 len = sizeof(name), prog_id, type;
	__u64 offset = 0, addr;

	if (bpf_task_fd_query(s->pid, fd, 0, name, &len, &prog_id, &type, &offset, &addr) &&
	    errno != ENOSPC) {
		/*
		 * The event has a program, but is neither a tracepoint nor a probe: the kernel does
		 * not describe other kinds of events (bpf_get_perf_event_info()).
		 */
		files->has_event |= errno == EOPNOTSUPP;
		return;
	}
	if (type >= ARRAY_SIZE(fd_kinds) || !fd_kinds[type])
		return;
	at.prog_id = prog_id;
	at.link_id = remove_incomplete(s, prog_id);
	snprintf(at.kind, sizeof(at.kind), "%s", fd_kinds[type]);
	if (type == BPF_FD_TYPE_TRACEPOINT) {
		attach_search__add(s, &at, "%s", name);
		add_others(s, fd, name);
	} else if (!*name) { /* a kprobe on an address has no function name */
		attach_search__add(s, &at, "%#llx", addr);
	} else if (!offset) {
		attach_search__add(s, &at, "%s", name);
	} else {
		attach_search__add(s, &at, "%s+%#llx", name, offset);
	}
}

static void add_perf_link(struct attach_search *s, int fd, struct files *files)
{
	__u32 link_id = open_file__number(s->pid, fd, "link_id:");

	for (int i = 0; link_id && i < s->found->cnt; i++)
		if (s->found->v[i].link_id == link_id)
			attach_search__add_holder(s, &s->found->v[i]);
}

static void note_open_prog(struct attach_search *s, int fd, struct files *files)
{
	if (open_file__number(s->pid, fd, "prog_type:") != BPF_PROG_TYPE_PERF_EVENT)
		return;
	files->prog_id = open_file__number(s->pid, fd, "prog_id:");
	files->prog_cnt++;
}

static void (*const adders[])(struct attach_search *s, int fd, struct files *files) = {
	[OPEN_PROG] = note_open_prog,
	[OPEN_LINK] = add_perf_link,
	[OPEN_PERF_EVENT] = add_perf_event,
};

/* The search, and what is known about the files of the process s->pid. */
struct walk {
	struct attach_search *s;
	struct files files;
};

/*
 * Ends the search of the process s->pid, and begins the search of process pid. If pid is 0, only
 * ends the search. Adds an attachment to a perf event that the kernel does not describe: if a
 * process has such an event and exactly one perf_event program open, assumes that this program is
 * attached to the event. Skips a program with a link, since its attachment is already known.
 */
static void begin_process(struct walk *w, int pid)
{
	const struct attachments *found = w->s->found;
	struct attachment at = {.prog_id = w->files.prog_id, .kind = "perf_event"};
	bool missing = w->files.has_event && w->files.prog_cnt == 1;

	for (int i = 0; i < found->cnt && missing; i++)
		missing = found->v[i].prog_id != at.prog_id || !found->v[i].link_id;
	if (missing)
		attach_search__add(w->s, &at, "%s", "");
	w->s->pid = pid;
	w->files = (struct files){};
}

static void visit_open_file(int pid, int fd, enum open_file_kind kind, void *arg)
{
	struct walk *w = arg;

	if (pid != w->s->pid)
		begin_process(w, pid);
	adders[kind](w->s, fd, &w->files);
}

void attach_search__perf_events(struct attach_search *s)
{
	struct walk w = {.s = s};
	int refused = 0;

	open_files__walk(visit_open_file, &w, &refused);
	begin_process(&w, 0);
}
