/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Selects the kernel functions that targets call: helpers, in the form to which the verifier has
 * resolved them, and kfuncs.
 */
#ifndef BPROF_KERNEL_CALLS_H
#define BPROF_KERNEL_CALLS_H

#include <stdbool.h>

struct target_list;

/*
 * Adds a target for each kernel function whose name matches the glob and that a target calls,
 * directly or in functions that are not targets. The new target follows the target that calls it.
 * Adds functions that cannot be probed to targets->skip; the report mentions them, but there is no
 * warning. by_site: adds a target for each place of a call, and not for each map.
 */
void target_list__add_calls(struct target_list *targets, const char *glob, bool by_site);

#endif
