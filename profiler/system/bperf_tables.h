/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The tables (BPF maps) of one leader. A set is one counter (bpf/bperf.h). For each counted task or
 * cgroup (a key), the tables record in which set it is counted. For each set, the tables record
 * which bperf users read the set.
 *
 * bperf users change the tables only between bperf_tables__begin() and bperf_tables__end(), and
 * hold the lock of the attr map during that time. The kernel changes the tables too: it adds
 * children (bpf/bperf_tasks.bpf.c) and removes tasks that have exited.
 */
#ifndef BPROF_BPERF_TABLES_H
#define BPROF_BPERF_TABLES_H

#include <stdbool.h>
#include <stddef.h>

#include "bpf/bperf.h"
#include "kernel/mapped_array.h"
#include "system/system.h"

struct bperf_tables {
	int keys_fd, owners_fd, readings_fd;
	struct mapped_array config, sets;
	int cpu_limit; /* highest possible CPU id + 1 */
	struct cpus possible;
	/* one element for each possible CPU: bperf_tables__fetch() reads into them */
	struct bperf_readings *readings;
	struct bperf_count *total;
	/* allocated from bperf_tables__begin() to bperf_tables__end(), else NULL */
	struct bperf_tables_state *state;
};

#define BPERF_TABLES_NONE                                   \
	((struct bperf_tables){.keys_fd = -1,               \
			       .owners_fd = -1,             \
			       .readings_fd = -1,           \
			       .config = MAPPED_ARRAY_NONE, \
			       .sets = MAPPED_ARRAY_NONE})

/*
 * Opens the tables that a program uses. Returns 0; -ENOENT if the program has none, because perf
 * made it; -EPROTO if another version of bprof made them; or another -errno. The caller calls
 * bperf_tables__close() in any case.
 */
int bperf_tables__open(struct bperf_tables *t, int prog_fd, int cpu_limit);
void bperf_tables__close(struct bperf_tables *t);

struct bperf_config *bperf_tables__config(const struct bperf_tables *t);

/*
 * Reads the tables, frees the sets that no bperf user reads, and removes the keys that are counted
 * only in such sets. With BPERF_CHECK_USERS or BPERF_CHECK_TASKS in checks, first removes the users
 * or tasks that have died but are still in the tables; this takes one system call for each user or
 * task. BPERF_CHECK_TASKS is allowed only in the initial pid namespace. Returns 0 or -errno.
 */
enum { BPERF_CHECK_USERS = 1, BPERF_CHECK_TASKS = 2 };
int bperf_tables__begin(struct bperf_tables *t, unsigned int checks);
void bperf_tables__end(struct bperf_tables *t); /* t->state may be NULL */

/*
 * Starts counting the task or cgroup id for a bperf user. user is the id of a BPF map that only
 * this user holds open. level is the depth of a cgroup. Sets *set to the set that counts id. The
 * set may have counted something else before, so only differences between readings are meaningful.
 * Returns 0, -ENOSPC if no set is free, -E2BIG if no key is free, or another -errno.
 */
int bperf_tables__join(struct bperf_tables *t, __u32 user, enum bperf_kind kind, __u64 id,
		       __u32 level, __u32 *set);
/*
 * Records that the user no longer reads the set. The next bperf_tables__begin() frees the set if no
 * other user reads it.
 */
void bperf_tables__leave(struct bperf_tables *t, __u32 user, __u32 set);

/* Returns a bit mask: bit i is set if a task or cgroup of kind i (enum bperf_kind) is counted. */
__u32 bperf_tables__kinds(const struct bperf_tables *t);

/*
 * Returns true if the task that runs on the CPU has been moved to another cgroup since the leader
 * last ran there.
 */
bool bperf_tables__has_moved(const struct bperf_tables *t, int cpu);

/* Copies the counts of entire CPUs from the kernel. Returns 0 or -errno. */
int bperf_tables__fetch(const struct bperf_tables *t);
/*
 * Returns the counts of a set on a CPU. If the set is 0, returns the counts of the entire CPU,
 * which the last bperf_tables__fetch() has read.
 */
struct reading bperf_tables__read(const struct bperf_tables *t, __u32 set, int cpu);

#endif
