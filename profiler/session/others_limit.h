/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Limits what the probes of kernel functions (--calls) cost "others": callers that are not
 * measured. Others may call a helper a million times a second. The limit is opts.others_share, a
 * share of a CPU.
 */
#ifndef BPROF_OTHERS_LIMIT_H
#define BPROF_OTHERS_LIMIT_H

#include <linux/types.h>

struct backend_env;
struct target_list;

/*
 * Counts for a short time how often others call the functions, and skips the functions over the
 * limit. Call it when all targets have backends. Sets *at_ns to the time of this check.
 */
void others_limit__refuse(struct target_list *targets, const struct backend_env *env, __u64 *at_ns);
/*
 * If the last check was min_ns ago or longer, checks what the probes have cost others since then.
 * Returns 0, or 1 (reported) if a function is now over the limit. Then measuring must end. If only
 * that function's probe were detached, the costs of the programs that call the function would mix
 * runs with the probe and runs without it.
 */
int others_limit__check(struct target_list *targets, const struct backend_env *env, __u64 min_ns,
			__u64 *at_ns);

#endif
