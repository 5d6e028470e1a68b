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
	WORKER_TOUCH,	/* touches n pages */
	WORKER_PROCESS, /* starts worker n as its child */
	WORKER_THREAD,	/* starts worker n as a thread beside it */
	WORKER_FAMILY,	/* has a child do n instructions, and a child of that do n too */
	WORKER_EXEC,	/* executes drive, and is a worker there */
	WORKER_END,	/* ends the process */
	WORKER_LEAVE,	/* ends the thread, be it the process's first */
	/* Ends the process, in which a thread ends first and has n files to close: */
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

/* Each order is answered, but for those that end the worker; and so is each start. */
struct worker_answer {
	pid_t tid; /* who answers */
	int err;   /* -errno */
};

/*
 * What a worker executes, so that it is as large whoever starts it: the command's arguments, the last
 * of which is all pipes' descriptors in text.
 */
#define WORKER_COMMAND "drive", "worker"
#define WORKER_PIPES_SZ (WORKERS * 4 * 12)
void worker__print_pipes(const struct worker_pipes *all, char *text);

/* Executes it, as worker number self. Returns -errno. */
int worker__execute(const struct worker_pipes *all, int self);

/*
 * What is executed serves. Does not return but -EINVAL where pipes is no such text; ends with the last
 * one who could give orders.
 */
int worker__serve(int self, const char *pipes);

#endif
