/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Users of bperf in the tests, and what they counted.
 */
#ifndef KTEST_INTERVAL_USER_H
#define KTEST_INTERVAL_USER_H

#include "tests/kernel/harness.h"

/* "bprof system --attr-map ATTR_MAP -j -I 20 ARGS": counting when this returns. */
struct child *user_start(struct fixture *f, const char *args, ...)
	__attribute__((format(printf, 2, 3)));
/* Ends it. The result's json is its last report. */
struct run *user_end(struct fixture *f, struct child *c);

/* The system[] row of a kind ("process", …) and id; NULL: there is none. */
json_t *scope_row(json_t *report, const char *kind, __u64 id);
/* Sum of an event over all lines; fails where a line has no such row. */
double scope_total(const struct run *r, const char *kind, __u64 id, const char *event);

/*
 * Is this the VM where deaths and races are tried at all their moments? It is the fastest; what
 * another kernel or architecture does otherwise shows in some of them.
 */
bool tries_all_moments(void);

#endif
