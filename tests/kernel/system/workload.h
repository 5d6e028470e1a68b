/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Processes and threads that do known work in user space, as a test tells them. Functions that
 * cannot do their part fail the test.
 */
#ifndef KTEST_WORKLOAD_H
#define KTEST_WORKLOAD_H

#include "tests/kernel/drive/worker.h"

struct workload;

/* Begins with worker 0, a process that waits for orders. */
struct workload *workload__start(void);
/* One whose worker 0 somebody else starts, by this command line. */
struct workload *workload__prepare(char *command, size_t sz);
/* Kills all of it; NULL is fine. */
void workload__free(struct workload *w);

/* Worker `from` starts worker n as its child, or as a thread beside it; the new one's id. */
pid_t workload__process(struct workload *w, int from, int n);
pid_t workload__thread(struct workload *w, int from, int n);
pid_t workload__tid(const struct workload *w, int worker);

/* Tells a worker to do something; the end of a process or thread is waited for. */
void workload__order(struct workload *w, int worker, enum worker_op op, __u64 n);
/* Waits for what a worker says next, that it has begun or done what it was told, and until it sleeps. */
void workload__await(struct workload *w, int worker);
/* Both. */
void workload__do(struct workload *w, int worker, enum worker_op op, __u64 n);

#endif
