/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writes the packets of records to a capture file, with time stamps in nanoseconds.
 */
#ifndef BPROF_TRACE_PCAP_H
#define BPROF_TRACE_PCAP_H

#include <linux/types.h>

struct trace_pcap;

/*
 * Creates the file. snap is the maximum number of bytes of a packet. path must stay valid until the
 * file is closed. Returns 0 or -errno (reported).
 */
int trace_pcap__open(const char *path, __u32 snap, struct trace_pcap **out);
/*
 * Writes a packet of len bytes, of which the first sz bytes were captured, ns nanoseconds after
 * 1970. Write errors are reported by trace_pcap__flush().
 */
void trace_pcap__write(struct trace_pcap *p, __u64 ns, const void *bytes, __u32 sz, __u32 len);
/* Flushes the file. Returns 0 or -errno (reported). p may be NULL. */
int trace_pcap__flush(struct trace_pcap *p);
/*
 * Closes the file. err is the result so far: if it is not 0, returns it. Otherwise flushes the file
 * first, and returns 0 or -errno (reported). p may be NULL.
 */
int trace_pcap__close(struct trace_pcap *p, int err);

#endif
