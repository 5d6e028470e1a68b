/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Setup and checks for the groups contexts and contexts_tree. These groups measure programs while
 * drive attaches the programs to hooks (contexts.h) and runs them there.
 */
#ifndef KTEST_CONTEXTS_CASE_H
#define KTEST_CONTEXTS_CASE_H

#include "tests/kernel/harness.h"

#define CONTEXT_RUNS 200

/* Group setup: pins the test to one CPU and loads the kernel modules that hooks need. */
int setup_contexts(void **state);

/*
 * Checks the row of a program that was measured while drive ran it on the hook. Skips the test if
 * this kernel lacks the hook or cannot trace programs on it.
 */
void check_driven(const struct run *r, json_t *row, const char *hook);

#endif
