// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Capture files. Owns the use of libpcap. Must not know where packets come from.
 */
#include <errno.h>
#include <stdlib.h>
#include <pcap/pcap.h>

#include "base/log.h"
#include "base/output.h"
#include "trace/trace_pcap.h"

struct trace_pcap {
	struct output out;
	pcap_t *pcap;
	pcap_dumper_t *dumper;
};

/* Packets are other people's data: only the owner may read the file. */
int trace_pcap__open(const char *path, __u32 snap, struct trace_pcap **out)
{
	struct trace_pcap *p = calloc(1, sizeof(*p));
	int err;

	*out = NULL;
	if (!p)
		return log_err(-ENOMEM, "out of memory");
	err = output__open(path, OUTPUT_PRIVATE, &p->out);
	if (!err)
		p->pcap = pcap_open_dead_with_tstamp_precision(DLT_EN10MB, snap,
							       PCAP_TSTAMP_PRECISION_NANO);
	if (p->pcap)
		p->dumper = pcap_dump_fopen(p->pcap, p->out.file);
	if (p->dumper) {
		*out = p;
		return 0;
	}
	err = err ?: output__close(&p->out, output__commit(&p->out, -EIO));
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
	return p ? output__commit(&p->out, 0) : 0;
}

int trace_pcap__close(struct trace_pcap *p, int err)
{
	if (!p)
		return err;
	err = err ?: trace_pcap__flush(p);
	pcap_dump_close(p->dumper);
	p->out.file = NULL; /* pcap_dump_close() has closed it */
	err = output__close(&p->out, err);
	pcap_close(p->pcap);
	free(p);
	return err;
}
