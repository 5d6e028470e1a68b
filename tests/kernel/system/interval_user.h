/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Users of bperf in the tests, and their counts.
 */
#ifndef KTEST_INTERVAL_USER_H
#define KTEST_INTERVAL_USER_H

#include "tests/kernel/harness.h"

/* Starts "bprof system --attr-map ATTR_MAP -j -I 20 ARGS"; it counts when this returns. */
struct child *user_start(struct fixture *f, const char *args, ...)
	__attribute__((format(printf, 2, 3)));
/* Ends it. The result's json is its last report. */
struct run *user_end(struct fixture *f, struct child *c);

/* Returns the system[] row of a kind ("process", …) and id, or NULL. */
json_t *scope_row(json_t *report, const char *kind, __u64 id);
/* Returns the sum of an event over all lines; fails the test if a line has no such row. */
double scope_total(const struct run *r, const char *kind, __u64 id, const char *event);

/*
 * True on the VM where deaths and races are tried at all possible moments: the fastest one. On the
 * others, some of the moments suffice to show a difference of the kernel or architecture.
 */
bool tries_all_moments(void);

#endif
