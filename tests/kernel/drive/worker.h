/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A task that does in user space what it is ordered (workload.h), and nothing else.
 */
#ifndef TESTS_WORKER_H
#define TESTS_WORKER_H

#include <sys/types.h>
#include <linux/types.h>

#define WORKERS 8 /* of one workload, by number */

/* The pipes of a worker; they survive exec. */
struct worker_pipes {
	int order[2], answer[2];
};

enum worker_op {
	WORKER_WORK,	/* executes n instructions */
	WORKER_TOUCH,	/* touches n pages */
	WORKER_PROCESS, /* starts worker n as its child */
	WORKER_THREAD,	/* starts worker n as a thread of its process */
	WORKER_FAMILY,	/* has a child execute n instructions, and that child's child n, too */
	WORKER_EXEC,	/* executes drive, and continues there as a worker */
	WORKER_END,	/* ends the process */
	WORKER_LEAVE,	/* ends the thread, even if it is the process's first */
	/* End the process, in which first a thread ends that has n files to close: */
	WORKER_CROSS, /* while that thread still closes them */
	WORKER_TURNS, /* after that thread is gone */
	WORKER_MOVE,  /* n instructions in cgroup a; moves itself; n / 2 in b; moves; n / 4 in a */
};

#define WORKER_CGROUP_A "/sys/fs/cgroup/ktest/a/cgroup.procs"
#define WORKER_CGROUP_B "/sys/fs/cgroup/ktest/b/cgroup.procs"

struct worker_order {
	enum worker_op op;
	__u64 n;
};

/* The answer to each order, except for those that end the worker, and to each start. */
struct worker_answer {
	pid_t tid; /* of the worker that answers */
	int err;   /* -errno */
};

/*
 * The command that workers execute, so that a worker's size does not depend on what started it. The
 * last argument is a text with the descriptors of all pipes.
 */
#define WORKER_COMMAND "drive", "worker"
#define WORKER_PIPES_SZ (WORKERS * 4 * 12)
void worker__print_pipes(const struct worker_pipes *all, char *text);

/* Executes it as worker number self. Returns -errno. */
int worker__execute(const struct worker_pipes *all, int self);

/*
 * Runs the executed worker. Returns only if pipes is not a valid text (-EINVAL); exits when all
 * senders of orders are gone.
 */
int worker__serve(int self, const char *pipes);

#endif
