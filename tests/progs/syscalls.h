/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What syscalls.bpf.c and who reads its maps share.
 */
#ifndef BPROF_TEST_SYSCALLS_H
#define BPROF_TEST_SYSCALLS_H

#include <linux/types.h>

#define SYSCALL_NRS 512
#define SYSCALL_TURNS 32

/* User space: of which process, and the call in which it waits. */
struct syscall_watch {
	__u32 tgid; /* 0: of none */
	__u32 wait_nr;
	__u32 turn; /* how often it has waited */
};

/* What it called from one wait to the next. */
struct syscall_turn {
	__u32 total;
	__u32 nr[SYSCALL_NRS]; /* by number */
};

#endif
