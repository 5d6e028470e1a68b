/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Perf events that a test opens itself, to count the same as bprof: they count from when they are
 * opened, and belong to the fixture. If an event cannot be opened the test fails.
 */
#ifndef KTEST_PLAIN_H
#define KTEST_PLAIN_H

#include "tests/kernel/harness.h"

struct plain {
	int fd[16];
	int cnt;
};

enum plain_inherit { PLAIN_ALONE, PLAIN_INHERIT };

/* event: one of the names in plain.c, which are bprof's, too. */
struct plain plain__cpu(struct fixture *f, const char *event, int cpu);
struct plain plain__system(struct fixture *f, const char *event);
struct plain plain__task(struct fixture *f, const char *event, pid_t tid,
			 enum plain_inherit inherit);
struct plain plain__cgroup(struct fixture *f, const char *event, const char *root,
			   const char *name);
/* Returns the two as one, whose count is the sum. */
struct plain plain__sum(struct plain a, struct plain b);

/* Returns the count so far, in the event's unit. */
double plain__read(const struct plain *p);

#endif
