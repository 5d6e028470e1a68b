/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by nested.bpf.c and its test.
 */
#ifndef NESTED_H
#define NESTED_H

#include <linux/types.h>

/* The argument of a run by a task; an interrupt's is neither. */
#define NESTED_ALONE 1 /* the run is not interrupted */
#define NESTED_TASK 2  /* the run is interrupted */

/*
 * An interrupted run executes more instructions than this before the interrupt, and again after it.
 */
#define NESTED_WORK 20000

/* The programs' variable "seen". */
struct nested_seen {
	__u64 interrupts; /* runs in an interrupt */
	__u64 nested;	  /* runs by a task with an interrupt's run inside */
};

#endif
