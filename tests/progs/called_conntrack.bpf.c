// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Programs that call kfuncs of a module, nf_conntrack, as called_shapes.bpf.c calls helpers. Context: XDP,
 * in BPF_PROG_TEST_RUN.
 */
#include <linux/bpf.h>
#include <linux/in.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define CURRENT_NETNS (-1)
#define IPS_CONFIRMED 8
#define HOUR_MS 3600000

/* In the kernel, these structs have more members. libbpf only checks that both types are structs. */
struct nf_conn {
	unsigned long status;
};

struct nf_conn___init {
	struct nf_conn conn;
};

struct bpf_ct_opts {
	__s32 netns_id, error;
	__u8 protocol, dir, reserved[2];
};

extern struct nf_conn *bpf_xdp_ct_lookup(struct xdp_md *ctx, struct bpf_sock_tuple *tuple,
					 __u32 tuple_sz, struct bpf_ct_opts *opts,
					 __u32 opts_sz) __ksym;
extern struct nf_conn___init *bpf_xdp_ct_alloc(struct xdp_md *ctx, struct bpf_sock_tuple *tuple,
					       __u32 tuple_sz, struct bpf_ct_opts *opts,
					       __u32 opts_sz) __ksym;
extern struct nf_conn *bpf_ct_insert_entry(struct nf_conn___init *ct) __ksym;
extern void bpf_ct_set_timeout(struct nf_conn___init *ct, __u32 ms) __ksym;
extern int bpf_ct_set_status(const struct nf_conn___init *ct, __u32 status) __ksym;
extern void bpf_ct_release(struct nf_conn *ct) __ksym;

__u64 calls;

#define CONNECTION                                                                      \
	struct bpf_ct_opts opts = {.netns_id = CURRENT_NETNS, .protocol = IPPROTO_TCP}; \
	struct bpf_sock_tuple tuple = {};                                               \
                                                                                        \
	tuple.ipv4.saddr = bpf_htonl(0xc0000201);                                       \
	tuple.ipv4.daddr = bpf_htonl(0xc0000202);                                       \
	tuple.ipv4.sport = bpf_htons(1);                                                \
	tuple.ipv4.dport = bpf_htons(2)

/* This program must run once before shape_conntrack. */
SEC("xdp")
int insert_connection(struct xdp_md *ctx)
{
	struct nf_conn___init *new;
	struct nf_conn *ct;
	CONNECTION;

	new = bpf_xdp_ct_alloc(ctx, &tuple, sizeof(tuple.ipv4), &opts, sizeof(opts));
	if (!new)
		return XDP_DROP;
	bpf_ct_set_timeout(new, HOUR_MS);
	bpf_ct_set_status(new, IPS_CONFIRMED);
	ct = bpf_ct_insert_entry(new);
	if (!ct)
		return XDP_DROP;
	bpf_ct_release(ct);
	return XDP_PASS;
}

SEC("xdp")
int shape_conntrack(struct xdp_md *ctx)
{
	struct nf_conn *ct;
	CONNECTION;

	ct = bpf_xdp_ct_lookup(ctx, &tuple, sizeof(tuple.ipv4), &opts, sizeof(opts));
	calls++;
	if (!ct)
		return XDP_DROP;
	bpf_ct_release(ct);
	calls++;
	return XDP_PASS;
}

char LICENSE[] SEC("license") = "GPL";
