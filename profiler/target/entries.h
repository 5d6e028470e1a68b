/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds the programs through which another program is entered: programs that use a prog array with
 * this program, programs that it extends, and, recursively, the programs through which these
 * programs are entered.
 */
#ifndef BPROF_ENTRIES_H
#define BPROF_ENTRIES_H

#include "base/util.h"
#include "btf/prog.h"

struct target;
struct target_list;

/* The programs that were found, not including the target's program. Each is a reference. */
struct entries {
	struct prog **v;
	int cnt;
};

/*
 * Finds the programs through which target t is entered. bprof needs the run counts of these
 * programs, because the kernel counts a run of a tail-called program as a run of its caller. Finds
 * no tail callers if targets->prog_arrays could not be read. The caller frees *out with
 * entries__free().
 */
void entries__find(const struct target_list *targets, const struct target *t, struct entries *out);
void entries__free(struct entries *e);

/* Adds up the kernel's run counts (BPF_ENABLE_STATS) of all entries. Returns 0 or -errno. */
int entries__count_runs(const struct entries *e, __u64 *runs);

#endif
