/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Scopes: the system, processes, threads, cgroups, or the command started by bprof, whose events
 * `bprof system` counts. Each has its own row in the report.
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
	SCOPE_CGROUP,  /* with all its descendants; id: the kernel's cgroup id */
	SCOPE_COMMAND, /* id: pid, 0 while it does not run */
	SCOPE_KIND_CNT
};

struct scope {
	enum scope_kind kind;
	__u64 id;
	char *name; /* comm, the cgroup's path below its root as given, the command; "" */
	char *path; /* a cgroup's directory; else NULL */
	/*
	 * A cgroup's depth below its hierarchy's root, as counted by
	 * bpf_get_current_ancestor_cgroup_id(); -1: not known (in a cgroup namespace, without
	 * CAP_DAC_READ_SEARCH).
	 */
	int level;
	/* A process's pidfd; else -1. */
	int fd;
	/*
	 * Start time of a process or thread, in ticks since boot. Distinguishes later tasks with
	 * the same id.
	 */
	__u64 start_time;
};

struct scope_list {
	struct scope *v;
	int cnt;
	struct id_map ids[SCOPE_KIND_CNT]; /* indexes in v, by kind */
	bool v1;			   /* its cgroups are in cgroup v1's perf_event hierarchy */
	/* Arguments that do not exist or cannot be counted: shown in the report. */
	struct scope_skip {
		char *name;	    /* as given */
		const char *reason; /* "no_process", "no_thread", "no_cgroup"; static */
		char *detail;	    /* sentence and remedy */
	} * skip;
	int skip_cnt;
};

/*
 * Add scopes to a list, which starts zeroed; duplicates are not added again. An argument that does
 * not exist becomes an entry of skip and a warning. 0; -EINVAL: a malformed list, reported with a
 * caret under the error; -ENOENT: no cgroups are mounted; -ENOMEM: all reported.
 */
int scope_list__add_system(struct scope_list *l);
int scope_list__add_processes(struct scope_list *l, const char *list); /* "1,4711" */
int scope_list__add_threads(struct scope_list *l, const char *list);
int scope_list__add_cgroups(struct scope_list *l, const char *list); /* see cgroups__select() */
/* Copies name; the id is 0 until the caller sets it. */
int scope_list__add_command(struct scope_list *l, const char *name);
void scope_list__free(struct scope_list *l); /* leaves it empty */

/* True if the list has processes or threads and all of them have ended (zombies included). */
bool scope_list__is_over(const struct scope_list *l);

/* "system", "process", "thread", "cgroup", "command" */
const char *scope_kind__name(enum scope_kind kind);
/* True for a process, a thread or the command. */
bool scope_kind__is_task(enum scope_kind kind);

#endif
