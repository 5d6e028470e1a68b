/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Limits what the probes of functions of the kernel (--calls) take of everybody else who calls them, to
 * the share of a CPU in opts.others_share: a helper may be called a million times a second by others.
 */
#ifndef BPROF_OTHERS_LIMIT_H
#define BPROF_OTHERS_LIMIT_H

#include <linux/types.h>

struct backend_env;
struct target_list;

/*
 * Call it when all targets have been placed: looks for a short time how often others call the functions,
 * and skips those over the limit. *at_ns is the time of the last look.
 */
void others_limit__refuse(struct target_list *targets, const struct backend_env *env, __u64 *at_ns);
/*
 * Looks again, at what was taken since the last call. Returns 0, or 1 (reported) if a function is over the
 * limit now: then measuring must end, because without its probe, its callers' cost would be a mixture.
 */
int others_limit__check(struct target_list *targets, const struct backend_env *env, __u64 *at_ns);

#endif
