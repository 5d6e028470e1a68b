/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the functions of nested targets (targets that call one another) cost: in all runs, and in
 * the matching runs, for which a condition of bprof trace was true.
 */
#ifndef BPROF_TRACE_SHARES_H
#define BPROF_TRACE_SHARES_H

#include <stdbool.h>
#include <stdio.h>
#include <linux/types.h>

#include "base/screen.h"
#include "probe/trace_probe.h"

struct session;
struct snapshot;
struct target;

/* A sum over some runs. */
struct share_sum {
	__u64 calls;
	__s64 self
		[BPROF_SLOTS]; /* what the function itself cost, by slot, in units of the counter */
};

struct share_row {
	const struct target *target;
	struct share_sum all, matching;
};

/* The functions of a program and of its extensions, and the functions that these call. */
struct share_group {
	const struct target *target; /* the target of the first function */
	struct share_row *row;	     /* in the order of the call tree */
	int row_cnt;
	/* Runs of outermost functions: all measured ones, and those that met a condition. */
	__u64 all_runs, matching_runs;
	__u64 lost; /* calls and runs that were not measured: other functions contain their cost */
	/* the part of the cost of the matching runs that belongs to no function; normally 0 */
	__s64 mixed[BPROF_SLOTS];
};

struct trace_shares {
	struct share_group *v;
	int cnt;
};

/*
 * Makes the shares of all targets from the probes and from two snapshots of the session, which must outlive
 * them. The caller frees them with trace_shares__free().
 */
void trace_shares__make(const struct session *s, const struct trace_probe *probe,
			const struct snapshot *start, const struct snapshot *stop,
			struct trace_shares *out);
void trace_shares__free(struct trace_shares *shares);

#define DOUBT_SZ 256
/* Returns why a group's numbers would be wrong, as a text in buf, or NULL if they are right. */
const char *share_group__doubt(const struct share_group *g, char *buf, size_t sz);
/*
 * Returns the sum of the own costs of the group's functions in one slot. matching: only in runs for
 * which a condition was true.
 */
__s64 share_group__total(const struct share_group *g, __u32 slot, bool matching);
/* Returns false for a kernel function that no known instruction calls and that was not called. */
bool share_row__is_shown(const struct share_row *row);
/* Returns the name of a row's function in the call tree. */
const char *share_row__name(const struct share_row *row);

/* Writes the tables as text. */
void trace_shares__print(const struct trace_shares *shares, const struct session *s, FILE *out,
			 const struct screen *screen);

#endif
