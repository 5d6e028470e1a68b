/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Plain perf events that a test opens itself, to count the same work as bprof. They start to count
 * when they are opened, and the fixture closes them. If an event cannot be opened, the test fails.
 */
#ifndef KTEST_PLAIN_H
#define KTEST_PLAIN_H

#include "tests/kernel/harness.h"

struct plain {
	int fd[16];
	int cnt;
};

enum plain_inherit { PLAIN_ALONE, PLAIN_INHERIT };

/* event: one of the names in the table of plain.c; bprof uses the same names. */
struct plain plain__cpu(struct fixture *f, const char *event, int cpu);
struct plain plain__system(struct fixture *f, const char *event);
struct plain plain__task(struct fixture *f, const char *event, pid_t tid,
			 enum plain_inherit inherit);
struct plain plain__cgroup(struct fixture *f, const char *event, const char *root,
			   const char *name);
/* Combines a and b into one plain event, whose count is the sum of the two counts. */
struct plain plain__sum(struct plain a, struct plain b);

/* Returns the count so far, in the event's unit. */
double plain__read(const struct plain *p);

#endif
