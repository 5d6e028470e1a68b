/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Processes and threads that do known work in user space, as a test orders. Functions that cannot
 * do their part fail the test.
 */
#ifndef KTEST_WORKLOAD_H
#define KTEST_WORKLOAD_H

#include "tests/kernel/drive/worker.h"

struct workload;

/* Starts worker 0, a process that waits for orders. */
struct workload *workload__start(void);
/* Prepares a workload whose worker 0 is started by others, with this command line. */
struct workload *workload__prepare(char *command, size_t sz);
/* Kills all workers; NULL is fine. */
void workload__free(struct workload *w);

/*
 * Worker `from` starts worker n as its child, or as a thread of its process. Return the new one's
 * id.
 */
pid_t workload__process(struct workload *w, int from, int n);
pid_t workload__thread(struct workload *w, int from, int n);
pid_t workload__tid(const struct workload *w, int worker);

/* Orders a worker to do something; if that ends a process or thread, waits for that end. */
void workload__order(struct workload *w, int worker, enum worker_op op, __u64 n);
/* Waits until a worker answers that it has begun or done what was ordered, and until it sleeps. */
void workload__await(struct workload *w, int worker);
/* Both workload__order() and workload__await(). */
void workload__do(struct workload *w, int worker, enum worker_op op, __u64 n);

#endif
