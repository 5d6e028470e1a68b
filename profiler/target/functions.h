/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sorts several functions of one program as targets by their calls.
 */
#ifndef BPROF_FUNCTIONS_H
#define BPROF_FUNCTIONS_H

#include "base/util.h"

struct target_list;

/*
 * Puts the targets of each program together, every function after a caller of it, and fills in
 * target.depth and target.callers. If the kernel withholds the program's instructions, all
 * functions count as called by its entry function. Returns 0 or -ENOMEM (reported).
 */
int __must_check target_list__place_functions(struct target_list *targets);

#endif
