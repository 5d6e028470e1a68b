/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The command line of `bprof system`.
 */
#ifndef BPROF_SYSTEM_ARGS_H
#define BPROF_SYSTEM_ARGS_H

#include <stdbool.h>

#include "cmd/common/measure_opts.h"
#include "system/scope.h"
#include "system/system.h"

struct system_args {
	struct measure_opts measure; /* the first member, as the rows of measure_opts.h need */
	struct scope_list scopes;    /* at least one scope, or skipped ones */
	struct system_opts system;
	bool no_inherit;
};

/*
 * Parses argv into args. 0; 1: --help or --version was printed; -EINVAL: wrong options, or another
 * -errno, reported. With --list-events nothing else is checked. The caller frees args with
 * system_args__free(), whatever this returns.
 */
int system_args__parse(struct system_args *args, int argc, char **argv);
void system_args__free(struct system_args *args);

#endif
