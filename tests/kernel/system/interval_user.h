/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Starts and ends bperf users in the tests, and reads their counts.
 */
#ifndef KTEST_INTERVAL_USER_H
#define KTEST_INTERVAL_USER_H

#include "tests/kernel/harness.h"

/* Starts "bprof system --attr-map ATTR_MAP -j -I 20 ARGS" and returns when bprof counts. */
struct child *user_start(struct fixture *f, const char *args, ...)
	__attribute__((format(printf, 2, 3)));
/* Ends the bperf user. The json of the result is the last report. */
struct run *user_end(struct fixture *f, struct child *c);

/* Returns the system[] row of a kind ("process", …) and id, or NULL. */
json_t *scope_row(json_t *report, const char *kind, __u64 id);
/*
 * Returns the sum of an event's counts over all lines. If a line has no such row, fails the test.
 */
double scope_total(const struct run *r, const char *kind, __u64 id, const char *event);

/*
 * Returns true on the fastest VM, where tests kill bperf users at every possible moment and repeat
 * races most often. On other VMs, a few moments are enough to show differences between kernels and
 * architectures.
 */
bool tries_all_moments(void);

#endif
