/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the groups contexts and contexts_tree share: programs measured while drive attaches them to
 * hooks (contexts.h) and drives them there.
 */
#ifndef KTEST_CONTEXTS_CASE_H
#define KTEST_CONTEXTS_CASE_H

#include "tests/kernel/harness.h"

#define CONTEXT_RUNS 200

/* A group's: on one CPU, with the kernel's modules loaded. */
int setup_contexts(void **state);

/* Of a program's row, measured while it was driven on a hook: skips the test where this kernel
 * does not have the hook, or lets no program trace it. */
void check_driven(const struct run *r, json_t *row, const char *hook);

#endif
