/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by syscalls.bpf.c and readers of its maps.
 */
#ifndef BPROF_TEST_SYSCALLS_H
#define BPROF_TEST_SYSCALLS_H

#include <linux/types.h>

#define SYSCALL_NRS 512
#define SYSCALL_TURNS 32

/* Set by user space: the process, and the call in which it waits. */
struct syscall_watch {
	__u32 tgid; /* 0: none */
	__u32 wait_nr;
	__u32 turn; /* number of waits so far */
};

/* The calls between one wait and the next. */
struct syscall_turn {
	__u32 total;
	__u32 nr[SYSCALL_NRS]; /* by number */
};

#endif
