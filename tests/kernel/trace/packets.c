// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads capture files. The only user of libpcap, whose headers conflict with the kernel's headers.
 */
#include <string.h>
#include <pcap/pcap.h>

#include "tests/kernel/trace/packets.h"

int packets__read(const char *path, struct packet *v, int max)
{
	char why[PCAP_ERRBUF_SIZE];
	pcap_t *in = pcap_open_offline_with_tstamp_precision(path, PCAP_TSTAMP_PRECISION_NANO, why);
	struct pcap_pkthdr *header;
	const u_char *data;
	int got = 1, cnt = 0;

	if (!in || pcap_datalink(in) != DLT_EN10MB)
		got = -1;
	while (got == 1 && cnt < max && (got = pcap_next_ex(in, &header, &data)) == 1) {
		struct packet *p = &v[cnt++];

		p->ns = header->ts.tv_sec * 1000000000ULL + header->ts.tv_usec;
		p->caplen = header->caplen;
		p->len = header->len;
		p->word = 0;
		if (p->caplen >= sizeof(p->word))
			memcpy(&p->word, data, sizeof(p->word));
	}
	if (in)
		pcap_close(in);
	return got == PCAP_ERROR_BREAK || got == 1 ? cnt : -1;
}
