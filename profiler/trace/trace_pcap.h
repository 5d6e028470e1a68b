/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writes the packets of records to a capture file, with time stamps in nanoseconds.
 */
#ifndef BPROF_TRACE_PCAP_H
#define BPROF_TRACE_PCAP_H

#include <linux/types.h>

struct trace_pcap;
struct bprof_record;

/*
 * Creates a capture file. The file's link type is that of the first packet. At most the first snap
 * bytes of a packet are stored. path must stay valid until the file is closed. Returns 0 or -errno
 * (reported).
 */
int trace_pcap__open(const char *path, __u32 snap, struct trace_pcap **out);
/*
 * Writes the packet of a record, whose recorded bytes are at "bytes". ns is its time in nanoseconds
 * since the epoch. The VLAN tag that the kernel keeps beside the packet is put back into it. A
 * packet whose link type is not that of the file is only counted. Returns 0 or -errno (reported).
 * Write errors are reported by trace_pcap__flush().
 */
int trace_pcap__write(struct trace_pcap *p, __u64 ns, const struct bprof_record *r,
		      const void *bytes);
/* Flushes the file. Returns 0 or -errno (reported). p may be NULL. */
int trace_pcap__flush(struct trace_pcap *p);
/*
 * Closes the file. err is the caller's result so far. If err is not 0, returns err. Otherwise
 * flushes the file first, and returns 0 or -errno (reported). Warns of packets that are not in the
 * file. p may be NULL.
 */
int trace_pcap__close(struct trace_pcap *p, int err);

#endif
