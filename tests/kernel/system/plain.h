/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Perf events that a test opens itself, to count the same as bprof: they count from where they are
 * opened, and belong to the fixture. What cannot be opened fails the test.
 */
#ifndef KTEST_PLAIN_H
#define KTEST_PLAIN_H

#include "tests/kernel/harness.h"

struct plain {
	int fd[16];
	int cnt;
};

enum plain_inherit { PLAIN_ALONE, PLAIN_INHERIT };

/* event: as bprof has it; one of those in plain.c. */
struct plain plain__cpu(struct fixture *f, const char *event, int cpu);
struct plain plain__system(struct fixture *f, const char *event);
struct plain plain__task(struct fixture *f, const char *event, pid_t tid,
			 enum plain_inherit inherit);
struct plain plain__cgroup(struct fixture *f, const char *event, const char *root,
			   const char *name);
/* Both together. */
struct plain plain__sum(struct plain a, struct plain b);

/* What it has counted so far, in the event's unit. */
double plain__read(const struct plain *p);

#endif
