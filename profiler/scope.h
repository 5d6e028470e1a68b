/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Scopes: whose work `bprof system` counts. A scope is the whole system, a process, a thread, a
 * cgroup, or the command that bprof starts; each has a row of its own in the report.
 */
#ifndef BPROF_SCOPE_H
#define BPROF_SCOPE_H

#include <stdbool.h>
#include <linux/types.h>

struct report;

enum scope_kind {
	SCOPE_SYSTEM,  /* everything on the CPUs counted; id 0 */
	SCOPE_PROCESS, /* a process with all its threads; id: pid */
	SCOPE_THREAD,  /* id: tid */
	SCOPE_CGROUP,  /* with all below it; id: the kernel's cgroup id */
	SCOPE_COMMAND, /* id: pid, 0 while it does not run */
	SCOPE_KIND_CNT
};

struct scope {
	enum scope_kind kind;
	__u64 id;
	char *name; /* comm, the cgroup's path below its root as given, the command; "" */
	char *path; /* of a cgroup: its directory; else NULL */
};

struct scope_list {
	struct scope *v;
	int cnt;
	/* What was given and is not there, or cannot be counted: shown in the report. */
	struct scope_skip {
		char *name;	    /* as given */
		const char *reason; /* "no_process", "no_cgroup"; static */
		char *detail;	    /* sentence and remedy */
	} *skip;
	int skip_cnt;
};

/* "system", "process", "thread", "cgroup", "command" */
const char *scope_kind__name(enum scope_kind kind);

#endif
