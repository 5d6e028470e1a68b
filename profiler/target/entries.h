/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The programs through which another program is entered: those that use a prog array with it, those
 * that it extends, and, in turn, the programs through which these are entered.
 */
#ifndef BPROF_ENTRIES_H
#define BPROF_ENTRIES_H

#include "base/util.h"
#include "btf/prog.h"

struct target;
struct target_list;

/* References in the order of the search, without the program itself. */
struct entries {
	struct prog **v;
	int cnt;
};

/*
 * Finds the entries of target t, as the kernel counts the run of a tail-called program for its
 * caller. Finds no callers if targets->prog_arrays could not be read. Returns 0 or -ENOMEM; the
 * caller frees *out with entries__free(), also on failure.
 */
int __must_check entries__find(const struct target_list *targets, const struct target *t,
			       struct entries *out);
void entries__free(struct entries *e);

/* Adds up the runs of all entries, as BPF_ENABLE_STATS counts them. Returns 0 or -errno. */
int entries__count_runs(const struct entries *e, __u64 *runs);

#endif
