/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The tables of one leader: which tasks and cgroups count to which sets, and which users read the
 * sets.
 *
 * Users change them only with the lock of the attr map, from bperf_tables__begin() to _end(). The
 * kernel changes them too: it adds children (bpf/bperf_tasks.bpf.c) and removes exited tasks.
 */
#ifndef BPROF_BPERF_TABLES_H
#define BPROF_BPERF_TABLES_H

#include <stdbool.h>
#include <stddef.h>

#include "bpf/bperf.h"
#include "kernel/mapped_array.h"
#include "system/system.h"

struct bperf_tables {
	int keys_fd, owners_fd;
	struct mapped_array config, sets;
	int cpu_limit;			  /* possible CPU ids */
	struct bperf_tables_state *state; /* between begin and end */
};

#define BPERF_TABLES_NONE                                   \
	((struct bperf_tables){.keys_fd = -1,               \
			       .owners_fd = -1,             \
			       .config = MAPPED_ARRAY_NONE, \
			       .sets = MAPPED_ARRAY_NONE})

/*
 * Opens the tables that a program uses. 0; -ENOENT: it has none, because perf made it; -EPROTO: it
 * has tables of another bprof version; -errno. Call bperf_tables__close() in any case.
 */
int bperf_tables__open(struct bperf_tables *t, int prog_fd, int cpu_limit);
void bperf_tables__close(struct bperf_tables *t);

struct bperf_config *bperf_tables__config(const struct bperf_tables *t);

/*
 * Reads the tables, and removes what users left behind who died without cleaning up: their sets,
 * and keys that nobody else reads. checks: also check which users live, and which tasks live, at
 * one syscall each; the latter only in the first pid namespace. 0 or -errno.
 */
enum { BPERF_CHECK_USERS = 1, BPERF_CHECK_TASKS = 2 };
int bperf_tables__begin(struct bperf_tables *t, unsigned int checks);
void bperf_tables__end(struct bperf_tables *t); /* accepts a NULL state */

/*
 * Counts id from now on for user (the id of a map that only the user holds open). Sets *set, the
 * set that it counts to; the set may have counted before, so only differences are meaningful.
 * level: a cgroup's. 0; -ENOSPC: no free set; -E2BIG: no free key; -errno.
 */
int bperf_tables__join(struct bperf_tables *t, __u32 user, enum bperf_kind kind, __u64 id,
		       __u32 level, __u32 *set);
/* Says that the user no longer reads the set. The next begin removes what nobody reads. */
void bperf_tables__leave(struct bperf_tables *t, __u32 user, __u32 set);

/* Bit i: something of enum bperf_kind i is counted. */
__u32 bperf_tables__kinds(const struct bperf_tables *t);

/* True if the task that runs on a CPU was moved to another cgroup since the last reading there. */
bool bperf_tables__has_moved(const struct bperf_tables *t, int cpu);

/* Returns the counts of a set on a CPU; set 0: of everything on the CPU. */
struct reading bperf_tables__read(const struct bperf_tables *t, __u32 set, int cpu);

#endif
