/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What trysite.bpf.c and user space share.
 */
#ifndef BPROF_TRYSITE_H
#define BPROF_TRYSITE_H

#include <linux/types.h>

/* The number of words of a trampoline's stack frame that are searched. */
#define TRYSITE_WORDS 16

struct trysite {
	/* set by user space: the address to search for; what lies between ctx and the end of what the
	 * trampoline saves, in bytes; and the alignment of its frame */
	__u64 address, skip, align;
	__u64 scratch;
	__u64 found; /* bit i: word i after that end is the address */
};

#endif
