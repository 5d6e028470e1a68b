/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What nested.bpf.c and its test share.
 */
#ifndef NESTED_H
#define NESTED_H

#include <linux/types.h>

/* A run's argument where a task runs it; an interrupt's is neither. */
#define NESTED_ALONE 1 /* it is not interrupted */
#define NESTED_TASK 2  /* it is */

/* Such a run's instructions before the interrupt, and after it, are more than that. */
#define NESTED_WORK 20000

/* The programs' variable "seen". */
struct nested_seen {
	__u64 interrupts; /* runs in an interrupt */
	__u64 nested;	  /* task's runs with such a run inside */
};

#endif
