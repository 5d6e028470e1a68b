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
	WORKER_EXEC,	/* calls exec; the new image of the process is the same worker */
	WORKER_END,	/* ends the process */
	WORKER_LEAVE,	/* ends the thread, even if it is the first thread of the process */
	WORKER_CROSS,	/* ends the process while one of its threads ends and closes n files */
	WORKER_TURNS, /* ends the process after one of its threads, with n open files, has ended */
	WORKER_MOVE,  /* executes n instructions in cgroup a, then n / 2 in b, then n / 4 in a */
};

#define WORKER_CGROUP_A "/sys/fs/cgroup/ktest/a/cgroup.procs"
#define WORKER_CGROUP_B "/sys/fs/cgroup/ktest/b/cgroup.procs"

struct worker_order {
	enum worker_op op;
	__u64 n;
};

/*
 * A worker sends an answer when it has started and after each order, except for orders that end the
 * worker.
 */
struct worker_answer {
	pid_t tid; /* id of the worker that answers */
	int err;   /* -errno */
};

/*
 * The command that each worker executes. So all workers have the same size in memory, whichever
 * process started them. The last argument lists the descriptors of all pipes as text.
 */
#define WORKER_COMMAND "drive", "worker"
#define WORKER_PIPES_SZ (WORKERS * 4 * 12)
void worker__print_pipes(const struct worker_pipes *all, char *text);

/* Executes WORKER_COMMAND as worker number self. Returns only on failure, -errno. */
int worker__execute(const struct worker_pipes *all, int self);

/*
 * Runs worker number self, after exec. Exits when every process that could send orders has closed
 * its pipe. Returns -EINVAL if the text in pipes is invalid.
 */
int worker__serve(int self, const char *pipes);

#endif
