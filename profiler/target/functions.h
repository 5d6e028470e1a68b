/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Several functions of one program as targets: the order in which they call one another.
 */
#ifndef BPROF_FUNCTIONS_H
#define BPROF_FUNCTIONS_H

#include "base/util.h"

struct target_list;

/*
 * Puts the targets of each program together, every function below those that call it, and fills in
 * how far below, and by whom it is called. Where the program's instructions are withheld, all stand
 * directly below its entry function. 0 or -ENOMEM (reported).
 */
int __must_check target_list__place_functions(struct target_list *targets);

#endif
