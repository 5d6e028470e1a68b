// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Capture files. Owns the use of libpcap, and the link types of devices. Must not know where packets
 * come from.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <net/if_arp.h>
#include <pcap/pcap.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/util.h"
#include "probe/trace_probe.h"
#include "trace/trace_pcap.h"

#define MACS_SZ 12 /* size of the two MAC addresses; a VLAN tag comes after them */
#define TAG_SZ 4

/* Types of devices that <net/if_arp.h> may lack */
#define TYPE_RAWIP 519
#define TYPE_IP6GRE 823
#define TYPE_NONE 0xfffe

struct trace_pcap {
	struct output out;
	pcap_t *pcap;
	pcap_dumper_t *dumper; /* NULL before the first packet */
	const char *path;
	int link; /* DLT_... */
	__u32 snap;
	__u8 *tagged; /* room for a packet with its VLAN tag */
	__u64 other;  /* number of packets of devices with another link type */
	__u32 other_type;
};

/* Returns the link type of a device's packets, or -1 if it is not known. */
static int link_of(__u32 dev_type)
{
	/* On these devices, packets in XDP and tc programs begin with the IP header. */
	static const __u32 raw[] = {TYPE_NONE,	  ARPHRD_TUNNEL, ARPHRD_TUNNEL6, ARPHRD_SIT,
				    ARPHRD_IPGRE, TYPE_IP6GRE,	 ARPHRD_PPP,	 TYPE_RAWIP};

	if (dev_type == ARPHRD_ETHER || dev_type == ARPHRD_LOOPBACK)
		return DLT_EN10MB;
	for (size_t i = 0; i < ARRAY_SIZE(raw); i++)
		if (dev_type == raw[i])
			return DLT_RAW;
	return -1;
}

/* Writes the head of the file. Returns 0 or -errno (reported). */
static int write_capture_head(struct trace_pcap *p, int link)
{
	p->pcap = pcap_open_dead_with_tstamp_precision(link, p->snap + TAG_SZ,
						       PCAP_TSTAMP_PRECISION_NANO);
	if (p->pcap)
		p->dumper = pcap_dump_fopen(p->pcap, p->out.file);
	p->link = link;
	return p->dumper ? 0 : output__commit(&p->out, -EIO);
}

/* Packets are other people's data: only the owner may read the file. */
int trace_pcap__open(const char *path, __u32 snap, struct trace_pcap **out)
{
	struct trace_pcap *p = xcalloc(1, sizeof(*p));
	int err;

	*out = NULL;
	p->path = path;
	p->snap = snap;
	p->tagged = xmalloc(snap + TAG_SZ);
	err = output__open(path, OUTPUT_PRIVATE, &p->out);
	if (!err) {
		*out = p;
		return 0;
	}
	free(p->tagged);
	free(p);
	return err;
}

/* Inserts the tag of a record after the MAC addresses. Returns the bytes of the tagged packet. */
static const void *put_tag(struct trace_pcap *p, const struct bprof_record *r, const __u8 *bytes,
			   struct pcap_pkthdr *header)
{
	const __u8 tci[] = {r->vlan_tci >> 8, r->vlan_tci & 0xff};

	header->len += TAG_SZ;
	if (r->snapped < MACS_SZ || r->snapped > p->snap)
		return bytes;
	memcpy(p->tagged, bytes, MACS_SZ);
	memcpy(p->tagged + MACS_SZ, &r->vlan_proto, sizeof(r->vlan_proto));
	memcpy(p->tagged + MACS_SZ + sizeof(r->vlan_proto), tci, sizeof(tci));
	memcpy(p->tagged + MACS_SZ + TAG_SZ, bytes + MACS_SZ, r->snapped - MACS_SZ);
	header->caplen += TAG_SZ;
	return p->tagged;
}

int trace_pcap__write(struct trace_pcap *p, __u64 ns, const struct bprof_record *r,
		      const void *bytes)
{
	/* tv_usec is in nanoseconds: the file was opened with PCAP_TSTAMP_PRECISION_NANO. */
	struct pcap_pkthdr header = {
		.ts = {.tv_sec = ns / 1000000000, .tv_usec = ns % 1000000000},
		.caplen = r->snapped,
		.len = r->packet_sz,
	};
	int link = link_of(r->dev_type), err;

	if (link < 0 || (p->dumper && link != p->link)) {
		p->other++;
		p->other_type = r->dev_type;
		return 0;
	}
	err = p->dumper ? 0 : write_capture_head(p, link);
	if (err)
		return err;
	if (link == DLT_EN10MB && r->vlan_proto)
		bytes = put_tag(p, r, bytes, &header);
	pcap_dump((u_char *)p->dumper, &header, bytes);
	return 0;
}

int trace_pcap__flush(struct trace_pcap *p)
{
	return p ? output__commit(&p->out, 0) : 0;
}

int trace_pcap__close(struct trace_pcap *p, int err)
{
	if (!p)
		return err;
	/* If there were no packets, the capture is empty. */
	if (!err && !p->dumper)
		err = write_capture_head(p, DLT_EN10MB);
	err = err ?: trace_pcap__flush(p);
	if (p->dumper) {
		pcap_dump_close(p->dumper);
		p->out.file = NULL; /* pcap_dump_close() has closed it */
	}
	err = output__close(&p->out, err);
	if (!err && p->other)
		log_warn("--pcap %s: %llu packets are not in the file, whose link type is %s: they "
			 "are of devices with another one (the last of device type %u); trace the "
			 "programs of each type of device into a file of its own",
			 p->path, (unsigned long long)p->other,
			 pcap_datalink_val_to_name(p->link) ?: "unknown", p->other_type);
	if (p->pcap)
		pcap_close(p->pcap);
	free(p->tagged);
	free(p);
	return err;
}
