/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A task that does in user space what it is told, and nothing else: what workload.h commands.
 */
#ifndef TESTS_WORKER_H
#define TESTS_WORKER_H

#include <sys/types.h>
#include <linux/types.h>

#define WORKERS 8 /* of one workload, by number */

/* Its pipes; they survive exec. */
struct worker_pipes {
	int order[2], answer[2];
};

enum worker_op {
	WORKER_WORK,	/* executes n instructions */
	WORKER_PROCESS, /* starts worker n as its child */
	WORKER_THREAD,	/* starts worker n as a thread beside it */
	WORKER_FAMILY,	/* has a child do n instructions, and a child of that do n too */
	WORKER_EXEC,	/* executes drive, and is a worker there */
	WORKER_END,	/* ends the process */
	WORKER_LEAVE,	/* ends the thread, be it the process's first */
};

struct worker_order {
	enum worker_op op;
	__u64 n;
};

/* Each order is answered, but for the last two; and so is each start. */
struct worker_answer {
	pid_t tid; /* who answers */
	int err;   /* -errno */
};

/* Serves as worker number self. Does not return; ends with the last one who could give orders. */
void worker__serve(const struct worker_pipes *all, int self);

/* The same for the command line that WORKER_EXEC executes: ORDER ANSWER, two descriptors. */
void worker__serve_fds(int order, int answer);

#endif
