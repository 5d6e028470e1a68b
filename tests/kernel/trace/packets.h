/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads capture files with libpcap.
 */
#ifndef KTEST_PACKETS_H
#define KTEST_PACKETS_H

#include <linux/types.h>

struct packet {
	__u64 ns; /* nanoseconds since 1970 */
	__u32 caplen, len;
	__u64 word; /* the first eight bytes of the packet; 0 if the packet is shorter */
};

/*
 * Reads at most max packets of the file. Returns their number, or -1 if the file is not an Ethernet
 * capture or is truncated.
 */
int packets__read(const char *path, struct packet *v, int max);

#endif
