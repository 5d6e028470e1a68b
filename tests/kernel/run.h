/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The interface between harness.c and run.c: the functions with which a fixture frees child
 * processes and their results.
 */
#ifndef KTEST_RUN_H
#define KTEST_RUN_H

struct child;
struct run;

/* Kills the child process if it still runs, and frees c. */
void child__free(struct child *c);
void run__free(struct run *r);

#endif
