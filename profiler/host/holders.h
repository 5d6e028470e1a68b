/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds the processes that keep programs loaded: they have the program, a link to it, or a perf
 * event with it open.
 */
#ifndef BPROF_HOLDERS_H
#define BPROF_HOLDERS_H

#include <linux/types.h>

#include "base/util.h"

/* A process that holds a program. */
struct holder {
	__u32 prog_id;
	int pid;
	char comm[16];
};

struct holders {
	struct holder *v; /* sorted by program and process, each pair once */
	int cnt;
	/* number of processes that may be holders but whose files this process may not see */
	int refused;
	bool iterated; /* the kernel's iterator has found the holders: no process was left out */
};

/* The iterator over open files. */
struct holder_source {
	struct task_files_bpf *skel; /* NULL: not loaded */
	int link;
	int err; /* -errno (reported) if the iterator cannot be used */
};

/*
 * Fills *h, but leaves out this process. An iterator of the kernel finds the holders. It cannot be
 * used before Linux 5.17, under lockdown, without CAP_BPF and CAP_PERFMON, and in a pid namespace
 * (the iterator has the process ids of the initial namespace). In these cases, the holders are read
 * from /proc, and a message contains the result of explain() for the iterator's -errno. The caller
 * frees *h with holders__free().
 */
void holders__load(struct holders *h, const char *(*explain)(int err));
/*
 * Like holders__load(), for callers that search repeatedly: the iterator stays loaded in *source. A
 * zeroed source is not open yet. The caller closes it with holder_source__close().
 */
void holders__load_from(struct holder_source *source, struct holders *h,
			const char *(*explain)(int err));
void holder_source__close(struct holder_source *source);
void holders__free(struct holders *h);

/* Returns the first holder of the program, and sets *cnt to the number of its holders. */
const struct holder *holders__of(const struct holders *h, __u32 prog_id, int *cnt);

/*
 * Writes the first max holders and the number of further holders to buf: "systemd[1], ktest[312]
 * +3". Returns buf, which is "" if there are no holders.
 */
const char *holders__format(const struct holder *v, int cnt, int max, char *buf, size_t sz);

#endif
