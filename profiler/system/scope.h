/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Scopes: what `bprof system` counts events of. A scope is the system, a process, a thread, a
 * cgroup, or the command that bprof starts. Each scope has its own row in the report.
 */
#ifndef BPROF_SCOPE_H
#define BPROF_SCOPE_H

#include <stdbool.h>
#include <linux/types.h>

#include "base/id_map.h"

enum scope_kind {
	SCOPE_SYSTEM,  /* everything on the counted CPUs; id is 0 */
	SCOPE_PROCESS, /* a process with all its threads; id is the pid */
	SCOPE_THREAD,  /* id is the tid */
	SCOPE_CGROUP,  /* a cgroup with its descendants; id is the kernel's cgroup id */
	SCOPE_COMMAND, /* id is the pid, or 0 while the command does not run */
	SCOPE_KIND_CNT
};

struct scope {
	enum scope_kind kind;
	__u64 id;
	/*
	 * A task's comm, a cgroup's path below its root as given, or the command; "" for the
	 * system.
	 */
	char *name;
	char *path; /* a cgroup's directory, else NULL */
	/*
	 * A cgroup's depth below the root of its hierarchy, as counted by
	 * bpf_get_current_ancestor_cgroup_id(). -1 if not known: in a cgroup namespace without
	 * CAP_DAC_READ_SEARCH.
	 */
	int level;
	/* A process's pidfd, else -1. */
	int fd;
	/*
	 * Start time of a process or thread, in ticks since boot. It differs for a later task with
	 * the same id.
	 */
	__u64 start_time;
};

struct scope_list {
	struct scope *v;
	int cnt;
	struct id_map ids[SCOPE_KIND_CNT]; /* index in v for each id, by kind */
	bool v1; /* the cgroups are in the perf_event hierarchy of cgroup v1 */
	/* Arguments that do not exist or cannot be counted; they are shown in the report. */
	struct scope_skip {
		char *name;	    /* the argument as given */
		const char *reason; /* "no_process", "no_thread", "no_cgroup"; static */
		char *detail;	    /* a sentence and what to do about it */
	} * skip;
	int skip_cnt;
};

/*
 * Add scopes to a list, which starts zeroed. A scope that is already in the list is not added
 * again. An argument that does not exist is added to skip, with a warning. Return 0; -EINVAL for a
 * malformed list, reported with a caret under the error; -ENOENT if no cgroups are mounted; or
 * -ENOMEM. All errors are reported.
 */
int scope_list__add_system(struct scope_list *l);
int scope_list__add_processes(struct scope_list *l, const char *list); /* list such as "1,4711" */
int scope_list__add_threads(struct scope_list *l, const char *list);
int scope_list__add_cgroups(struct scope_list *l, const char *list); /* see cgroups__select() */
/* Adds the command and copies its name. The scope's id is 0 until the caller sets it. */
int scope_list__add_command(struct scope_list *l, const char *name);
void scope_list__free(struct scope_list *l); /* leaves it empty */

/*
 * Returns true if the list has processes or threads and all of them have ended. A zombie has ended.
 */
bool scope_list__is_over(const struct scope_list *l);

/* Returns "system", "process", "thread", "cgroup" or "command". */
const char *scope_kind__name(enum scope_kind kind);
/* Returns true for a process, a thread or the command. */
bool scope_kind__is_task(enum scope_kind kind);

#endif
