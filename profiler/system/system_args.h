/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Parses the command line of `bprof system`.
 */
#ifndef BPROF_SYSTEM_ARGS_H
#define BPROF_SYSTEM_ARGS_H

#include <stdbool.h>

#include "run/measure_opts.h"
#include "system/scope.h"
#include "system/system.h"

struct system_args {
	struct measure_opts measure;
	struct scope_list scopes; /* has at least one scope or one skipped argument */
	struct system_opts system;
	bool no_inherit;
};

/*
 * Parses argv into args. Returns 0; 1 if --help or --version was printed; -EINVAL (reported) if an
 * option is wrong; or another -errno (reported). With --list-events, does not check the other
 * options. The caller frees args with system_args__free(), even after an error.
 */
int system_args__parse(struct system_args *args, int argc, char **argv);
void system_args__free(struct system_args *args);

#endif
