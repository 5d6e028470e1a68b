// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the list of processes that hold programs, and the iterator over open files
 * (bpf/task_files.bpf.c). Must not know what the list is used for. Prints nothing.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "base/log.h"
#include "base/util.h"
#include "bpf/task_files.h"
#include "bpf/task_files.lskel.h"
#include "host/holders.h"
#include "host/namespaces.h"
#include "host/open_files.h"
#include "host/task.h"

static void add_holder(struct holders *h, __u32 prog_id, int pid, const char *comm)
{
	struct holder *new = array__add(&h->v, &h->cnt, sizeof(*new));

	new->prog_id = prog_id;
	new->pid = pid;
	snprintf(new->comm, sizeof(new->comm), "%.*s", (int)sizeof(new->comm) - 1, comm);
}

/* ---- the iterator ---- */

static int read_iterator(struct holders *h, int fd)
{
	struct bprof_open_file files[64];
	size_t have = 0;

	/* A read may end in the middle of a record. */
	for (;;) {
		ssize_t n = read(fd, (char *)files + have, sizeof(files) - have);
		size_t cnt, i;

		if (n <= 0)
			return n ? -errno : 0;
		have += n;
		cnt = have / sizeof(*files);
		for (i = 0; i < cnt; i++)
			add_holder(h, files[i].prog_id, files[i].pid, files[i].comm);
		have -= cnt * sizeof(*files);
		memmove(files, files + cnt, have);
	}
}

static int iterate(struct holder_source *s, struct holders *h)
{
	int err, fd;

	if (!s->skel) {
		s->skel = task_files_bpf__open_and_load();
		if (!s->skel)
			return -errno;
		s->link = task_files_bpf__bprof_task_file__attach(s->skel);
		if (s->link < 0)
			return -errno;
	}
	fd = bpf_iter_create(s->link);
	err = fd < 0 ? -errno : read_iterator(h, fd);
	close_fd(&fd);
	return err;
}

void holder_source__close(struct holder_source *s)
{
	task_files_bpf__destroy(s->skel); /* also closes the link; accepts NULL */
	*s = (struct holder_source){};
}

/* ---- /proc ---- */

static __u32 prog_id_of_file(int pid, int fd, enum open_file_kind kind)
{
	__u32 len = 0, prog_id = 0, type;
	__u64 offset, addr;

	if (kind != OPEN_PERF_EVENT)
		return open_file__number(pid, fd, "prog_id:");
	/* ENOSPC: the name of the tracepoint or function did not fit, but prog_id is set. */
	if (bpf_task_fd_query(pid, fd, 0, NULL, &len, &prog_id, &type, &offset, &addr) &&
	    errno != ENOSPC)
		return 0;
	return prog_id;
}

static void add_file_holder(int pid, int fd, enum open_file_kind kind, void *arg)
{
	__u32 prog_id = prog_id_of_file(pid, fd, kind);
	struct holders *h = arg;
	struct task task = {};

	if (!prog_id)
		return;
	/* The files of a process come together: copy the name from its last entry. */
	if (h->cnt && h->v[h->cnt - 1].pid == pid)
		memcpy(task.comm, h->v[h->cnt - 1].comm, sizeof(h->v->comm));
	else if (task__read(pid, &task))
		return; /* the process has ended */
	add_holder(h, prog_id, pid, task.comm);
}

/* ---- the list ---- */

static int compare_holders(const void *a_ptr, const void *b_ptr)
{
	const struct holder *a = a_ptr, *b = b_ptr;

	if (a->prog_id != b->prog_id)
		return a->prog_id < b->prog_id ? -1 : 1;
	return a->pid - b->pid;
}

void holders__load_from(struct holder_source *s, struct holders *h, const char *(*explain)(int err))
{
	bool known = s->err;
	int err = s->err, cnt = 0;

	memset(h, 0, sizeof(*h));
	if (!err)
		err = s->err = is_in_initial_pid_ns() ? iterate(s, h) : -EOPNOTSUPP;
	if (err && !known)
		log_info("the holders of programs are read from /proc: the kernel's iterator over "
			 "open files cannot be used: %s",
			 explain(err));
	if (err) {
		holders__free(h);
		open_files__walk(add_file_holder, h, &h->refused);
	}
	h->iterated = !err;
	/* Sort, and keep one of several equal entries. */
	if (h->cnt)
		qsort(h->v, h->cnt, sizeof(*h->v), compare_holders);
	for (int i = 0; i < h->cnt; i++)
		if (!cnt || compare_holders(&h->v[cnt - 1], &h->v[i]))
			h->v[cnt++] = h->v[i];
	h->cnt = cnt;
}

void holders__load(struct holders *h, const char *(*explain)(int err))
{
	struct holder_source source = {};

	holders__load_from(&source, h, explain);
	holder_source__close(&source);
}

void holders__free(struct holders *h)
{
	free(h->v);
	memset(h, 0, sizeof(*h));
}

const struct holder *holders__of(const struct holders *h, __u32 prog_id, int *cnt)
{
	int low = COUNT_BELOW(h->v, h->cnt, prog_id, prog_id);

	*cnt = 0;
	while (low + *cnt < h->cnt && h->v[low + *cnt].prog_id == prog_id)
		++*cnt;
	return h->v + low;
}

const char *holders__format(const struct holder *v, int cnt, int max, char *buf, size_t sz)
{
	size_t len = 0;

	buf[0] = '\0';
	for (int i = 0; i < cnt && i < max && len < sz; i++)
		len += snprintf(buf + len, sz - len, "%s%s[%d]", i ? ", " : "", v[i].comm,
				v[i].pid);
	if (cnt > max && len < sz)
		snprintf(buf + len, sz - len, " +%d", cnt - max);
	return buf;
}
