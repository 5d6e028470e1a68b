/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The tables of one leader: which tasks and cgroups count to which sets, and who reads those.
 *
 * Whoever changes them holds the lock of the attr map, from bperf_tables__begin() to _end(). The
 * kernel changes them too: it adds children (bpf/bperf_tasks.bpf.c) and removes the dead.
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
 * Those that a program uses. 0; -ENOENT: it has none, perf made it; -EPROTO: it has others than
 * this bprof knows; -errno. bperf_tables__close() then too.
 */
int bperf_tables__open(struct bperf_tables *t, int prog_fd, int cpu_limit);
void bperf_tables__close(struct bperf_tables *t);

struct bperf_config *bperf_tables__config(const struct bperf_tables *t);

/*
 * Reads what there is, and gives up what users left behind who died without a word: their sets, and
 * what was counted for nobody else. checks: look who of the users lives, and which tasks, which take
 * a syscall for each; the latter in the first pid namespace only. 0 or -errno.
 */
enum { BPERF_CHECK_USERS = 1, BPERF_CHECK_TASKS = 2 };
int bperf_tables__begin(struct bperf_tables *t, unsigned int checks);
void bperf_tables__end(struct bperf_tables *t); /* NULL state is fine */

/*
 * Has id counted from now on for user (the id of a map that the user alone holds). *set is where
 * to: it has counted before, perhaps, and only differences mean anything. level is a cgroup's.
 * 0; -ENOSPC: there are as many sets as there may be; -E2BIG: as many keys; -errno.
 */
int bperf_tables__join(struct bperf_tables *t, __u32 user, enum bperf_kind kind, __u64 id,
		       __u32 level, __u32 *set);
/* The user does not read the set any more. What nobody reads goes with the next begin. */
void bperf_tables__leave(struct bperf_tables *t, __u32 user, __u32 set);

/* Bit i: tasks or cgroups of enum bperf_kind i are counted. */
__u32 bperf_tables__kinds(const struct bperf_tables *t);

/* Has the task that runs on a CPU been moved into another cgroup since the last reading there? */
bool bperf_tables__has_moved(const struct bperf_tables *t, int cpu);

/* What a set has counted on a CPU; set 0: all there. */
struct reading bperf_tables__read(const struct bperf_tables *t, __u32 set, int cpu);

#endif
