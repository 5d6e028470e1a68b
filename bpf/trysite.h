/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Types that trysite.bpf.c and user space share.
 */
#ifndef BPROF_TRYSITE_H
#define BPROF_TRYSITE_H

#include <linux/types.h>

/* The number of words of a trampoline's stack frame that are searched. */
#define TRYSITE_WORDS 16

struct trysite {
	/* set by user space: the address to search for; the number of bytes between ctx and the end
	 * of what the trampoline saves; and the alignment of the trampoline's frame */
	__u64 address, skip, align;
	__u64 scratch;
	/* bit i is set if word i, counted from the end of what the trampoline saves, is the address */
	__u64 found;
};

#endif
