/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Definitions shared by own.bpf.c and the readers of its map.
 */
#ifndef BPROF_TEST_OWN_H
#define BPROF_TEST_OWN_H

#include <linux/types.h>

/* The watched process; user space sets tgid. */
struct own_watch {
	__u64 tgid;	   /* 0: none */
	__u64 interrupted; /* runs while the process was current */
};

#endif
