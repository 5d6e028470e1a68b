/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Setup and checks shared by the groups contexts and contexts_tree: they measure programs while
 * drive attaches them to hooks (contexts.h) and runs them there.
 */
#ifndef KTEST_CONTEXTS_CASE_H
#define KTEST_CONTEXTS_CASE_H

#include "tests/kernel/harness.h"

#define CONTEXT_RUNS 200

/* Group setup: pins to one CPU and loads the kernel modules that hooks need. */
int setup_contexts(void **state);

/*
 * Checks the row of a program that was measured while drive ran it on the hook. Skips the test if
 * this kernel does not have the hook or does not let programs there be traced.
 */
void check_driven(const struct run *r, json_t *row, const char *hook);

#endif
