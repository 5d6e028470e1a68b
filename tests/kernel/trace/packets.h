/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Capture files, as libpcap reads them.
 */
#ifndef KTEST_PACKETS_H
#define KTEST_PACKETS_H

#include <linux/types.h>

struct packet {
	__u64 ns; /* since 1970 */
	__u32 caplen, len;
	__u64 word; /* the first eight bytes; 0 where there are fewer */
};

/* The file's packets, at most max. How many, or -1: it is no capture of Ethernet, or is cut off. */
int packets__read(const char *path, struct packet *v, int max);

#endif
