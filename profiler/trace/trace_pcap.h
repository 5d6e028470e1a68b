/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writes the packets of records to a capture file, with time stamps in nanoseconds.
 */
#ifndef BPROF_TRACE_PCAP_H
#define BPROF_TRACE_PCAP_H

#include <linux/types.h>

struct trace_pcap;

/*
 * Creates the file; snap: maximum bytes of a packet. path must stay valid. Returns 0 or -errno
 * (reported).
 */
int trace_pcap__open(const char *path, __u32 snap, struct trace_pcap **out);
/*
 * Writes the first sz of the packet's len bytes; ns: since 1970. trace_pcap__flush() returns write
 * errors.
 */
void trace_pcap__write(struct trace_pcap *p, __u64 ns, const void *bytes, __u32 sz, __u32 len);
/* Flushes the file. Returns 0 or -errno (reported). p may be NULL. */
int trace_pcap__flush(struct trace_pcap *p);
/*
 * Closes the file; err: the result so far. Returns err, or, if it is 0, the result of the last
 * flush: 0 or -errno (reported). p may be NULL.
 */
int trace_pcap__close(struct trace_pcap *p, int err);

#endif
