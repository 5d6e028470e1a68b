/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Selects the functions of the kernel that targets call: helpers, as the verifier has resolved them,
 * and kfuncs.
 */
#ifndef BPROF_KERNEL_CALLS_H
#define BPROF_KERNEL_CALLS_H

#include <stdbool.h>

struct target_list;

/*
 * Adds a target for each function of the kernel whose name matches the glob and that a target calls,
 * itself or in functions that are not targets. It follows the target that calls it. Those that cannot
 * be probed are added to targets->skip: the report says so, and no warning. by_site: there is one for each
 * place that it is called from, and not for each map.
 */
void target_list__add_calls(struct target_list *targets, const char *glob, bool by_site);

#endif
