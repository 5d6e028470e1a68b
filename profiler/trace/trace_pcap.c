// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Capture files. Owns the use of libpcap. Must not know where packets come from.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <pcap/pcap.h>

#include "base/log.h"
#include "trace/trace_pcap.h"

struct trace_pcap {
	const char *path; /* path of the capture file, for messages; owned by the caller */
	pcap_t *pcap;
	pcap_dumper_t *dumper;
};

int trace_pcap__open(const char *path, __u32 snap, struct trace_pcap **out)
{
	struct trace_pcap *p = calloc(1, sizeof(*p));
	int err;

	*out = NULL;
	if (!p)
		return log_err(-ENOMEM, "out of memory");
	p->path = path;
	p->pcap =
		pcap_open_dead_with_tstamp_precision(DLT_EN10MB, snap, PCAP_TSTAMP_PRECISION_NANO);
	errno = 0;
	p->dumper = p->pcap ? pcap_dump_open(p->pcap, path) : NULL;
	if (p->dumper) {
		*out = p;
		return 0;
	}
	err = errno ? -errno : -EIO;
	log_err(err, "--pcap %s: cannot be written: %s", path, strerror(-err));
	if (p->pcap)
		pcap_close(p->pcap);
	free(p);
	return err;
}

void trace_pcap__write(struct trace_pcap *p, __u64 ns, const void *bytes, __u32 sz, __u32 len)
{
	/*
	 * tv_usec is in nanoseconds, because the file was opened with PCAP_TSTAMP_PRECISION_NANO.
	 */
	const struct pcap_pkthdr header = {
		.ts = {.tv_sec = ns / 1000000000, .tv_usec = ns % 1000000000},
		.caplen = sz,
		.len = len,
	};

	pcap_dump((u_char *)p->dumper, &header, bytes);
}

int trace_pcap__flush(struct trace_pcap *p)
{
	int err;

	if (!p)
		return 0;
	errno = 0;
	if (!pcap_dump_flush(p->dumper) && !ferror(pcap_dump_file(p->dumper)))
		return 0;
	err = errno ? -errno : -EIO;
	return log_err(err, "--pcap %s: cannot be written: %s", p->path, strerror(-err));
}

int trace_pcap__close(struct trace_pcap *p, int err)
{
	if (!p)
		return err;
	err = err ?: trace_pcap__flush(p);
	pcap_dump_close(p->dumper);
	pcap_close(p->pcap);
	free(p);
	return err;
}
