/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A task that executes orders (workload.h) in user space, and does nothing else.
 */
#ifndef TESTS_WORKER_H
#define TESTS_WORKER_H

#include <sys/types.h>
#include <linux/types.h>

#define WORKERS 8 /* maximum number of workers in one workload */

/* The pipes of a worker; they survive exec. */
struct worker_pipes {
	int order[2], answer[2];
};

enum worker_op {
	WORKER_WORK,	/* executes n instructions */
	WORKER_TOUCH,	/* touches n pages */
	WORKER_PROCESS, /* starts worker n as its child */
	WORKER_THREAD,	/* starts worker n as a thread of its process */
	WORKER_FAMILY,	/* starts a child and a grandchild, which execute n instructions each */
	WORKER_EXEC,	/* executes drive, and continues there as a worker */
	WORKER_END,	/* ends the process */
	WORKER_LEAVE,	/* ends the thread, even if it is the first thread of the process */
	/* End the process after one of its threads, which has n open files, has begun to end: */
	WORKER_CROSS, /* while that thread still closes its files */
	WORKER_TURNS, /* after that thread has ended */
	WORKER_MOVE, /* executes n instructions in cgroup a, moves to b, n / 2, moves to a, n / 4 */
};

#define WORKER_CGROUP_A "/sys/fs/cgroup/ktest/a/cgroup.procs"
#define WORKER_CGROUP_B "/sys/fs/cgroup/ktest/b/cgroup.procs"

struct worker_order {
	enum worker_op op;
	__u64 n;
};

/* A worker answers when it has started, and to each order except for those that end the worker. */
struct worker_answer {
	pid_t tid; /* id of the worker that answers */
	int err;   /* -errno */
};

/*
 * The command that workers execute, so that a worker's size does not depend on the process that
 * started it. The last argument lists the descriptors of all pipes as text.
 */
#define WORKER_COMMAND "drive", "worker"
#define WORKER_PIPES_SZ (WORKERS * 4 * 12)
void worker__print_pipes(const struct worker_pipes *all, char *text);

/* Executes WORKER_COMMAND as worker number self. Returns only on failure, -errno. */
int worker__execute(const struct worker_pipes *all, int self);

/*
 * Runs the worker after the exec. Returns only if the text in pipes is invalid (-EINVAL); exits
 * when every process that could send orders has closed its pipe.
 */
int worker__serve(int self, const char *pipes);

#endif
