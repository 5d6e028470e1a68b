/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The interface between the harness and its child processes: how a fixture frees them.
 */
#ifndef KTEST_RUN_H
#define KTEST_RUN_H

struct child;
struct run;

/* Kills the child if it still runs, and frees it. */
void child__free(struct child *c);
void run__free(struct run *r);

#endif
