/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The packets of records as a capture file, with time stamps in nanoseconds.
 */
#ifndef BPROF_TRACE_PCAP_H
#define BPROF_TRACE_PCAP_H

#include <linux/types.h>

struct trace_pcap;

/* snap: the most bytes of a packet. 0 or -errno (reported). */
int trace_pcap__open(const char *path, __u32 snap, struct trace_pcap **out);
/* sz of the packet's len bytes; ns: since 1970. Whether it has arrived, trace_pcap__flush() says. */
void trace_pcap__write(struct trace_pcap *p, __u64 ns, const void *bytes, __u32 sz, __u32 len);
/* Writes what there is so far. 0 or -errno (reported). NULL is fine. */
int trace_pcap__flush(struct trace_pcap *p);
/* err: what went wrong so far. Returns it; if it is 0, 0 or -errno (reported). NULL is fine. */
int trace_pcap__close(struct trace_pcap *p, int err);

#endif
