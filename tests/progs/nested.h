/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Definitions shared by nested.bpf.c and its test.
 */
#ifndef NESTED_H
#define NESTED_H

#include <linux/types.h>

/* The arguments of runs by a task; a run in an interrupt has a different argument. */
#define NESTED_ALONE 1 /* the run is not interrupted */
#define NESTED_TASK 2  /* the run is interrupted */

/*
 * An interrupted run executes more than this number of instructions before the interrupt, and again
 * after the interrupt.
 */
#define NESTED_WORK 20000

/* syscall_often calls often() this number of times, and the timer calls it once per tick. */
#define NESTED_CALLS 10000
#define NESTED_TICK_NS 1000000

/* The type of the programs' variable "seen". */
struct nested_seen {
	__u64 interrupts; /* number of runs in an interrupt */
	__u64 nested;	  /* number of runs by a task that contain a run in an interrupt */
};

#endif
