/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Scopes. `bprof system` counts the events of scopes: the system, a process, a thread, a cgroup, or
 * the command that bprof starts. Each scope has its own row in the report.
 */
#ifndef BPROF_SCOPE_H
#define BPROF_SCOPE_H

#include <stdbool.h>
#include <linux/types.h>

#include "base/id_map.h"

enum scope_kind {
	SCOPE_SYSTEM,  /* everything on the counted CPUs; id is 0 */
	SCOPE_PROCESS, /* a process with all its threads; id is the pid */
	SCOPE_THREAD,  /* one thread; id is the tid */
	SCOPE_CGROUP,  /* a cgroup with its descendants; id is the kernel's cgroup id */
	SCOPE_COMMAND, /* the command that bprof starts; id is its pid, or 0 before it is started */
	SCOPE_KIND_CNT
};

/* Sets of kinds: bit i stands for the kind i. */
enum {
	SCOPES_TASKS = 1 << SCOPE_PROCESS | 1 << SCOPE_THREAD | 1 << SCOPE_COMMAND,
	SCOPES_ALL = (1 << SCOPE_KIND_CNT) - 1,
};

struct scope {
	enum scope_kind kind;
	__u64 id;
	/*
	 * A task's comm, a cgroup's path as the user gave it (below the root of the hierarchy), or
	 * the command. "" for the system.
	 */
	char *name;
	char *path; /* a cgroup's directory, else NULL */
	/*
	 * A cgroup's depth below the root of its hierarchy, as counted by
	 * bpf_get_current_ancestor_cgroup_id(). -1: not known, because bprof runs in a cgroup
	 * namespace without CAP_DAC_READ_SEARCH.
	 */
	int level;
	/* A process's pidfd; -1: none. */
	int fd;
	/*
	 * Start time of a process or thread, in ticks since boot. If another task reuses the id
	 * later, that task has another start time.
	 */
	__u64 start_time;
};

struct scope_list {
	struct scope *v;
	int cnt;
	struct id_map ids[SCOPE_KIND_CNT]; /* ids[kind] maps a scope's id to its index in v */
	bool v1; /* the cgroups are in the cgroup v1 hierarchy of the controller perf_event */
	/*
	 * Arguments that name no existing scope, or a scope that cannot be counted. The report
	 * shows them.
	 */
	struct scope_skip {
		char *name; /* the argument as the user gave it */
		/* string constant: "no_process", "no_thread", "no_cgroup" or "not_counted" */
		const char *reason;
		char *detail; /* explains the reason, and says what to do */
	} * skip;
	int skip_cnt;
};

/*
 * These functions add scopes to *l, which must be zeroed before the first call. They do not add a
 * scope that is already in *l. If an argument names no existing scope, they add the argument to
 * skip, and print a warning. They return 0; -EINVAL if the argument is malformed; or -ENOENT if no
 * cgroups are mounted. All errors are reported; for -EINVAL, a caret marks the error.
 */
void scope_list__add_system(struct scope_list *l);
int scope_list__add_processes(struct scope_list *l, const char *list); /* list of pids: "1,4711" */
int scope_list__add_threads(struct scope_list *l, const char *list);
int scope_list__add_cgroups(struct scope_list *l, const char *list); /* see cgroups__select() */
/* Adds the command and copies its name. The scope's id is 0 until the caller sets it. */
void scope_list__add_command(struct scope_list *l, const char *name);
void scope_list__free(struct scope_list *l); /* *l is empty afterwards */

/* Returns true if the list has a scope of one of these kinds. */
bool scope_list__has(const struct scope_list *l, unsigned int kinds);

/* Returns true if the list has processes or threads, and all have ended or are zombies. */
bool scope_list__is_over(const struct scope_list *l);

/* Returns true for a removed cgroup. A later one of the same name has another id. */
bool scope__is_removed(const struct scope *s);

/* Returns "system", "process", "thread", "cgroup" or "command". */
const char *scope_kind__name(enum scope_kind kind);
/* Returns true for a process, a thread or the command. */
bool scope_kind__is_task(enum scope_kind kind);

#endif
