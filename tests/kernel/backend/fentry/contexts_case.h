/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Setup and checks for the groups contexts and contexts_tree, and the targets of the group
 * attached. The groups contexts and contexts_tree measure programs while drive attaches the
 * programs to hooks (contexts.h) and runs them there.
 */
#ifndef KTEST_CONTEXTS_CASE_H
#define KTEST_CONTEXTS_CASE_H

#include "tests/kernel/drive/contexts.h"
#include "tests/kernel/harness.h"

#define CONTEXT_RUNS 200

/* Group setup: loads the kernel modules that hooks need; fails unless there is exactly one CPU. */
int setup_contexts(void **state);
/* Group setup: only loads the kernel modules that hooks need. */
int load_context_modules(void **state);

/*
 * The names of a hook's targets end with these suffixes: an empty program and a program with 100
 * more instructions, each with two types of context argument.
 */
#define TARGETS 4
extern const char *const target_suffixes[TARGETS];

/*
 * The name of the target that calls functions of maps ends with this suffix. It calls this many
 * functions, each with one map and once in a run. If it may sleep, it calls two functions fewer.
 */
extern const char shapes_suffix[];
#define SHAPE_CALLS 13

/*
 * Loads the cnt targets of a hook with these suffixes. Skips the test if the kernel refuses them.
 * Registers their struct_ops.
 */
void load_targets(struct fixture *f, const struct context *c, const char *const *suffixes,
		  struct target *out, int cnt);

/*
 * Checks the row of a program that was measured while drive ran it on the hook. Skips the test if
 * this kernel lacks the hook or cannot trace programs on it.
 */
void check_driven(const struct run *r, json_t *row, const char *hook);

#endif
