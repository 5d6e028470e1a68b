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
	__u64 word; /* the first eight bytes; 0 if there are fewer */
};

/*
 * Reads at most max of the file's packets. Returns how many, or -1 if it is not a capture of
 * Ethernet, or is truncated.
 */
int packets__read(const char *path, struct packet *v, int max);

#endif
