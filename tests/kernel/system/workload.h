/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Processes and threads that do a known amount of work in user space when a test orders it. A
 * function that fails ends the test as failed.
 */
#ifndef KTEST_WORKLOAD_H
#define KTEST_WORKLOAD_H

#include "tests/kernel/drive/worker.h"

struct workload;

/* Starts worker 0, a process that waits for orders. */
struct workload *workload__start(void);
/*
 * Prepares a workload, but does not start worker 0. Writes to `command` the command line that
 * starts it.
 */
struct workload *workload__prepare(char *command, size_t sz);
/* Kills all workers. w may be NULL. */
void workload__free(struct workload *w);

/*
 * Orders worker `from` to start worker n as its child, or as a thread of its process. Returns the
 * id of worker n.
 */
pid_t workload__process(struct workload *w, int from, int n);
pid_t workload__thread(struct workload *w, int from, int n);
pid_t workload__tid(const struct workload *w, int worker);

/* Sends an order to a worker. If the order ends a process or thread, waits until it has ended. */
void workload__order(struct workload *w, int worker, enum worker_op op, __u64 n);
/*
 * Waits until a worker answers that it has started or has executed its order, and until it sleeps.
 */
void workload__await(struct workload *w, int worker);
/* Calls workload__order(), then workload__await(). */
void workload__do(struct workload *w, int worker, enum worker_op op, __u64 n);

#endif
