/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The programs through which another one is entered: those that have a prog array with it in, or that it
 * extends, and those through which these are entered.
 */
#ifndef BPROF_ENTRIES_H
#define BPROF_ENTRIES_H

#include "btf/prog.h"
#include "base/util.h"

struct target;
struct target_list;

/* References, in order of finding. Without the program itself. */
struct entries {
	struct prog **v;
	int cnt;
};

/*
 * The kernel counts the runs of a program that is jumped to as those of the one that jumped. Where
 * targets->prog_arrays could not be read, none is found. 0 or -ENOMEM; the caller frees with
 * entries__free(), also on failure.
 */
int __must_check entries__find(const struct target_list *targets, const struct target *t,
			       struct entries *out);
void entries__free(struct entries *e);

/* Runs of all of them, as BPF_ENABLE_STATS has them, in *runs. 0 or -errno. */
int entries__count_runs(const struct entries *e, __u64 *runs);

#endif
