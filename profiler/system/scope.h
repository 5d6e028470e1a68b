/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Scopes: whose work `bprof system` counts. A scope is the whole system, a process, a thread, a
 * cgroup, or the command that bprof starts; each has a row of its own in the report.
 */
#ifndef BPROF_SCOPE_H
#define BPROF_SCOPE_H

#include <stdbool.h>
#include <linux/types.h>

#include "base/id_map.h"

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
	/*
	 * Of a cgroup: how far below its hierarchy's root it is, as
	 * bpf_get_current_ancestor_cgroup_id() counts; -1: not known (in a cgroup namespace,
	 * without CAP_DAC_READ_SEARCH).
	 */
	int level;
	/* Of a process: its pidfd, or -1, as for all others. */
	int fd;
	/* Of a process or thread: in ticks since boot; no later one of the same id has it. */
	__u64 start_time;
};

struct scope_list {
	struct scope *v;
	int cnt;
	struct id_map ids[SCOPE_KIND_CNT]; /* places in v, by kind */
	bool v1;			   /* its cgroups are of cgroup v1's perf_event hierarchy */
	/* What was given and is not there, or cannot be counted: shown in the report. */
	struct scope_skip {
		char *name;	    /* as given */
		const char *reason; /* "no_process", "no_thread", "no_cgroup"; static */
		char *detail;	    /* sentence and remedy */
	} * skip;
	int skip_cnt;
};

/*
 * Add scopes to a list, which begins zeroed; one that is there already is not added again. What is
 * not there becomes a row of skip and a warning. 0; -EINVAL: not such a list, with a caret
 * under what is wrong; -ENOENT: no cgroups are mounted; -ENOMEM: all reported.
 */
int scope_list__add_system(struct scope_list *l);
int scope_list__add_processes(struct scope_list *l, const char *list); /* "1,4711" */
int scope_list__add_threads(struct scope_list *l, const char *list);
int scope_list__add_cgroups(struct scope_list *l, const char *list); /* see cgroups__select() */
/* name is copied; the id is the caller's to set, and 0 before. */
int scope_list__add_command(struct scope_list *l, const char *name);
void scope_list__free(struct scope_list *l); /* leaves it empty */

/*
 * Has all ended that is in the list as a process or a thread? A zombie has. False where there is
 * none of them.
 */
bool scope_list__is_over(const struct scope_list *l);

/* "system", "process", "thread", "cgroup", "command" */
const char *scope_kind__name(enum scope_kind kind);
/* Is it a process or a thread, of which there is one that runs: a command too? */
bool scope_kind__is_task(enum scope_kind kind);

#endif
