/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The options that limit what the probes add: --sample and --max-overhead.
 */
#ifndef BPROF_OVERHEAD_OPTS_H
#define BPROF_OVERHEAD_OPTS_H

#include <stdbool.h>
#include <linux/types.h>

#include "base/util.h"
#include "options/options.h"

struct backend_opts;
struct method_list;

struct overhead_opts {
	__u64 period; /* N of --sample N, 1 with auto; 0: --sample was not given */
	__u32 share;  /* SHARE of --sample auto:SHARE in millionths, or 0 */
	__u32 limit;  /* SHARE of --max-overhead in millionths; 0: it was not given */
	__u64 memory; /* of --max-memory, in bytes; 0: it was not given */
	/* with --max-overhead: the kernel must not count runs (its run statistics stay off) */
	bool strict;
};

/* The option tables: one has --sample, the other one has --max-overhead and --max-memory. */
extern const struct option_row run_sample_rows[];
extern const struct option_row max_overhead_rows[];

/* Parses the argument of --method into *methods. Returns 0 or -EINVAL (reported). */
int method_opts__parse(struct method_list *methods, const char *arg);
/* Refuses --sample together with --max-overhead. Returns 0 or -EINVAL (reported). */
int __must_check overhead_opts__check(const struct overhead_opts *o);
/*
 * Sets the members of *session for which an option was given. Leaves the other members as they are.
 * If calls is set (--calls), the limit is only for the calls of kernel functions by callers that
 * are not measured: the probes of the targets and of the functions that these call are always
 * attached.
 */
void overhead_opts__apply(const struct overhead_opts *o, bool calls, struct backend_opts *session);

#endif
