/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kinds of calls that the shim counts and lets fail, and the record of a call that it writes for
 * the campaign. Owns no state.
 */
#ifndef BPROF_FAULTS_SHIM_H
#define BPROF_FAULTS_SHIM_H

#include <stdbool.h>
#include <linux/types.h>

/* FAULT_KIND is a list of these names, such as "alloc,file"; by default all but the last three. */
enum fault_kind {
	FAULT_ALLOC,
	FAULT_FILE,
	FAULT_MMAP,
	FAULT_WAIT, /* epoll, poll, timerfd, signalfd */
	FAULT_PROCESS,
	FAULT_BPF,
	FAULT_PERF,
	FAULT_VANISH, /* an object that was listed is gone when its descriptor is asked for */
	FAULT_GROW,   /* the kernel's information about a program has grown since the last call */
	FAULT_INTR,   /* a signal interrupts a call that can be interrupted */
	FAULT_KIND_CNT,
};

#define FAULT_KIND_NAMES                                                                     \
	{                                                                                    \
		"alloc", "file", "mmap", "wait", "process", "bpf", "perf", "vanish", "grow", \
			"intr"                                                               \
	}

/* One counted call, in the file FAULT_TRACE. */
struct fault_call {
	__u32 stack; /* hash of the return addresses */
	__u32 kind;
};

/*
 * Counts a call of func. If the call has to fail, returns true and sets errno: to FAULT_ERRNO if the user set
 * it, otherwise to err.
 */
bool fault__fails(enum fault_kind kind, const char *func, int err);

/* In the child of a fork: counts no more calls. */
void fault__begin_child(void);

/* Adds step to a sum of this thread. While the sum is not 0, the thread's calls are not counted. */
void fault__exclude(int step);

#endif
