/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Definitions shared by syscalls.bpf.c and the readers of its maps.
 */
#ifndef BPROF_TEST_SYSCALLS_H
#define BPROF_TEST_SYSCALLS_H

#include <linux/types.h>

#define SYSCALL_NRS 512
#define SYSCALL_TURNS 32

/* The watched process and the system call in which it waits; user space sets tgid and wait_nr. */
struct syscall_watch {
	__u32 tgid; /* 0: none */
	__u32 wait_nr;
	__u32 turn; /* number of waits so far */
};

/* The numbers of system calls between one wait and the next. */
struct syscall_turn {
	__u32 total;
	__u32 nr[SYSCALL_NRS]; /* indexed by system call number */
};

#endif
