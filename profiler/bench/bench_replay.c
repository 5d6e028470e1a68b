// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Adds notes on the fields of a program's context that have no value in a test run with a captured
 * packet. Owns the list of these fields, and knows which of them a test run accepts
 * (net/bpf/test_run.c: convert___skb_to_skb(), xdp_convert_md_to_buff()). Must not know how
 * programs are run.
 */
#include <stddef.h>
#include <stdio.h>
#include <linux/bpf.h>

#include "base/util.h"
#include "bench/bench_priv.h"

enum lack {
	LACKS_TAG,   /* the kernel keeps a VLAN tag beside the packet; no test run accepts a tag */
	LACKS_RUN,   /* no test run accepts the field */
	LACKS_INPUT, /* the user can set the field with --ctx-in */
	LACK_CNT,
};

struct field {
	const char *name;
	__u16 at, sz;
	enum lack lack;
};

#define SKB(member, lack)                                             \
	{                                                             \
#member, offsetof(struct __sk_buff, member),          \
			sizeof(((struct __sk_buff *)0)->member), lack \
	}

/*
 * The table leaves out fields that follow from the packet itself, and fields that most programs
 * write before they read them (cb, data_meta).
 */
static const struct field skb_fields[] = {
	SKB(pkt_type, LACKS_RUN),
	SKB(mark, LACKS_INPUT),
	SKB(queue_mapping, LACKS_RUN),
	SKB(vlan_present, LACKS_TAG),
	SKB(vlan_tci, LACKS_TAG),
	SKB(vlan_proto, LACKS_TAG),
	SKB(priority, LACKS_INPUT),
	SKB(ingress_ifindex, LACKS_INPUT),
	SKB(ifindex, LACKS_INPUT),
	SKB(tc_index, LACKS_RUN),
	SKB(hash, LACKS_RUN),
	SKB(tc_classid, LACKS_RUN),
	SKB(napi_id, LACKS_RUN),
	SKB(family, LACKS_RUN),
	SKB(remote_ip4, LACKS_RUN),
	SKB(local_ip4, LACKS_RUN),
	SKB(remote_ip6, LACKS_RUN),
	SKB(local_ip6, LACKS_RUN),
	SKB(remote_port, LACKS_RUN),
	SKB(local_port, LACKS_RUN),
	SKB(tstamp, LACKS_INPUT),
	SKB(gso_segs, LACKS_INPUT),
	SKB(sk, LACKS_RUN),
	SKB(gso_size, LACKS_INPUT),
	SKB(tstamp_type, LACKS_RUN),
	SKB(hwtstamp, LACKS_INPUT),
};

#define XDP(member, lack)                                                     \
	{                                                                     \
#member, offsetof(struct xdp_md, member), sizeof(__u32), lack \
	}

static const struct field xdp_fields[] = {
	XDP(ingress_ifindex, LACKS_INPUT),
	XDP(rx_queue_index, LACKS_INPUT),
	XDP(egress_ifindex, LACKS_RUN),
};

/*
 * Writes to buf the names of the fields that the program reads and whose member "lack" equals the
 * argument, as "a, b and c". ctx_sz: the size of the context that the user gives. Returns the
 * number of fields.
 */
static int list_fields(const struct bench_prog *p, __u32 ctx_sz, enum lack lack, char *buf,
		       size_t sz)
{
	bool skb = p->type != BPF_PROG_TYPE_XDP;
	const struct field *fields = skb ? skb_fields : xdp_fields, *found[ARRAY_SIZE(skb_fields)];
	int all = skb ? ARRAY_SIZE(skb_fields) : ARRAY_SIZE(xdp_fields), cnt = 0;
	size_t len = 0;

	buf[0] = '\0';
	for (int i = 0; i < all; i++) {
		const struct field *f = &fields[i];
		__u64 words = ((1ULL << (f->sz + 3) / 4) - 1) << f->at / 4;

		if (f->lack == lack && p->ctx_reads & words && f->at + f->sz > (int)ctx_sz)
			found[cnt++] = f;
	}
	for (int i = 0; i < cnt && len < sz; i++)
		len += snprintf(buf + len, sz - len, "%s%s",
				!i	      ? ""
				: i < cnt - 1 ? ", "
					      : " and ",
				found[i]->name);
	return cnt;
}

#define UNDER_TRAFFIC "; measure it under traffic ('bprof stat')"

void bench_replay__add_notes(struct report_notes *notes, const struct bench_prog *p,
			     const struct bench_input *in, int which)
{
	const struct bench_case *c = &in->v[which];
	__u32 ctx_sz = bench_input__at(in, which, 0, p->type).ctx_sz;
	int tagged = bench_case__count_tagged(c), cnt;
	char names[512];

	if (p->type != BPF_PROG_TYPE_XDP && !test_run__takes_skb(p->type))
		return;
	if (p->type == BPF_PROG_TYPE_XDP)
		tagged = 0; /* XDP programs find the tag in the packet on a device, too */
	if (tagged && !p->reads_known)
		report_notes__add(notes,
				  "%d of its packets have a VLAN tag: if it reads "
				  "vlan_present, vlan_tci or vlan_proto, it may take another "
				  "path than on a device" UNDER_TRAFFIC,
				  tagged);
	if (tagged && list_fields(p, 0, LACKS_TAG, names, sizeof(names)))
		report_notes__add(notes,
				  "%d of its packets have a VLAN tag, but it reads %s, which "
				  "a test run cannot set: it may take another path than on a "
				  "device" UNDER_TRAFFIC,
				  tagged, names);
	if (!c->captured)
		return;
	if (list_fields(p, ctx_sz, LACKS_RUN, names, sizeof(names)))
		report_notes__add(notes,
				  "it reads %s, which a capture does not have and a test run "
				  "cannot set" UNDER_TRAFFIC,
				  names);
	cnt = list_fields(p, ctx_sz, LACKS_INPUT, names, sizeof(names));
	if (cnt)
		report_notes__add(notes,
				  "it reads %s, which a capture does not have: set %s with "
				  "--ctx-in",
				  names, cnt > 1 ? "them" : "it");
}
