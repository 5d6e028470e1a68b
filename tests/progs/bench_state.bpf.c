// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Programs that change their input in different ways. If BPF_PROG_TEST_RUN repeats such a program,
 * the next run finds the change. Two of the programs change nothing. All programs need a packet of
 * 64 bytes whose last byte is 0.
 */
#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define LAST 63

/* Returns 2 if the input is unchanged; otherwise executes 300 more instructions and returns 1. */
static __always_inline int answer(bool as_given)
{
	if (as_given)
		return 2;
	asm volatile(".rept 300\n\tr0 = 0\n\t.endr" : : : "r0");
	return 1;
}

/* Returns a pointer to the last of 64 bytes, or NULL if the packet is shorter. */
static __always_inline __u8 *last(const struct xdp_md *ctx)
{
	__u8 *data = (void *)(long)ctx->data;

	return data + LAST + 1 > (__u8 *)(long)ctx->data_end ? NULL : data + LAST;
}

SEC("xdp")
int xdp_reads(struct xdp_md *ctx)
{
	__u8 *byte = last(ctx);

	return answer(byte && !*byte);
}

SEC("xdp")
int xdp_writes(struct xdp_md *ctx)
{
	__u8 *byte = last(ctx);
	bool as_given = byte && !*byte;

	if (byte)
		*byte = 1;
	return answer(as_given);
}

SEC("xdp")
int xdp_head(struct xdp_md *ctx)
{
	bool as_given = ctx->data_end - ctx->data == LAST + 1;

	bpf_xdp_adjust_head(ctx, as_given ? -14 : 0);
	return answer(as_given);
}

SEC("xdp")
int xdp_tail(struct xdp_md *ctx)
{
	bool as_given = ctx->data_end - ctx->data == LAST + 1;

	bpf_xdp_adjust_tail(ctx, as_given ? -14 : 0);
	return answer(as_given);
}

/* Changes the metadata, which works only where XDP test runs have a context (since Linux 5.15). */
SEC("xdp")
int xdp_meta(struct xdp_md *ctx)
{
	bool as_given = ctx->data == ctx->data_meta;

	bpf_xdp_adjust_meta(ctx, as_given ? -4 : 0);
	return answer(as_given);
}

SEC("tc")
int tc_reads(struct __sk_buff *skb)
{
	return answer(!skb->mark);
}

SEC("tc")
int tc_writes(struct __sk_buff *skb)
{
	__u8 byte = 1, one = 1;

	bpf_skb_load_bytes(skb, LAST, &byte, sizeof(byte));
	bpf_skb_store_bytes(skb, LAST, &one, sizeof(one), 0);
	return answer(!byte);
}

#define DEFINE_FIELD(name, field)            \
	SEC("tc")                            \
	int name(struct __sk_buff *skb)      \
	{                                    \
		bool as_given = !skb->field; \
                                             \
		skb->field = 1;              \
		return answer(as_given);     \
	}

DEFINE_FIELD(tc_marks, mark)
DEFINE_FIELD(tc_priority, priority)
DEFINE_FIELD(tc_cb, cb[4])

/* Adds a VLAN tag. The kernel stores the first tag outside the packet, and a second one in it. */
SEC("tc")
int tc_vlan(struct __sk_buff *skb)
{
	bool as_given = !skb->vlan_present;

	bpf_skb_vlan_push(skb, 0, 7);
	return answer(as_given);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
