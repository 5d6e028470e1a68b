// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Targets whose context is an skb: tc classifiers and a cgroup filter, in BPF_PROG_TEST_RUN.
 */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_helpers.h>

SEC("tc")
int tc_mark(struct __sk_buff *skb)
{
	skb->mark = skb->len;
	return TC_ACT_OK;
}

/* An empty classifier with 1000 additions: test runs of XDP programs take too long for short bursts. */
SEC("tc")
int tc_alu_1000(struct __sk_buff *skb)
{
	int verdict = TC_ACT_OK;

	asm volatile(".rept 500\n\t"
		     "%0 += 1\n\t"
		     "%0 += -1\n\t"
		     ".endr"
		     : "+w"(verdict));
	return verdict;
}

SEC("cgroup_skb/ingress")
int cgroup_allow(struct __sk_buff *skb)
{
	return 1;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
