// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See trace_keys.h. Owns the members of the kernel's structs by which a packet is known. Must not know how
 * records are joined.
 */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "btf/reason.h"
#include "btf/run_key.h"
#include "target/target.h"
#include "trace/trace_keys.h"

int trace_keys__add(struct trace_keys *k, struct trace_args *args)
{
	if (!k->join)
		return 0;
	/*
	 * Drivers that do not copy the packet build the skb around the XDP program's memory
	 * (build_skb()), and generic XDP runs on that of the skb.
	 */
	k->head = trace_args__add_hidden(args, "ctx->data_hard_start", "ctx->head");
	k->ifindex = trace_args__add_hidden(args, "ctx->rxq->dev->ifindex", "ctx->skb_iif");
	k->skb = trace_args__add_hidden(args, NULL, "ctx");
	k->sk = trace_args__add_hidden(args, NULL, "ctx->sk");
	return k->sk >= 0 ? 0
			  : log_err(-E2BIG, "--arg: one too many, --join leaves room for %d",
				    BPROF_TRACE_ARGS - 4);
}

static bool has_packet(const struct target *t)
{
	return !t->subprog && run_key__source(BY_IFINDEX, t->prog->info.type);
}

void trace_keys__refuse(const struct trace_keys *k, struct target_list *targets)
{
	struct reason reason = {};

	for (int i = targets->cnt - 1; k->join && i >= 0; i--) {
		if (has_packet(&targets->v[i]))
			continue;
		reason__set(&reason, REASON_KEY, EOPNOTSUPP, "--join: %s",
			    targets->v[i].subprog
				    ? "only the entry function of a program has the packet"
				    : "programs of its type run for no packet");
		target_list__skip(targets, i, &reason);
	}
}

static bool is_known(const struct trace_keys *k, const struct trace_args *args,
		     const struct target *t)
{
	bool is_xdp = run_key__source(BY_IFINDEX, t->prog->info.type) == KEY_FROM_XDP;

	return trace_args__path(args, t, k->head) && trace_args__path(args, t, k->ifindex) &&
	       (is_xdp || (trace_args__path(args, t, k->skb) && trace_args__path(args, t, k->sk)));
}

void trace_keys__refuse_unknown(const struct trace_keys *k, const struct trace_args *args,
				struct target_list *targets)
{
	struct reason reason = {};

	for (int i = targets->cnt - 1; k->join && i >= 0; i--) {
		if (is_known(k, args, &targets->v[i]))
			continue;
		reason__set(&reason, REASON_KEY, EOPNOTSUPP,
			    "--join: the kernel's BTF does not say where its packet is");
		target_list__skip(targets, i, &reason);
	}
}

/* Returns a value of a record, or 0. */
static __u64 value_of(const struct trace_probe *probe, const struct bprof_record *r, int index)
{
	const void *value = trace_probe__arg(probe, r, index);
	__u64 number = 0;

	if (value)
		memcpy(&number, value, sizeof(number));
	return number;
}

/* Returns true if the kernel runs programs of this type for a socket that gets or sends the packet. */
static bool runs_for_socket(enum bpf_prog_type type)
{
	return type == BPF_PROG_TYPE_CGROUP_SKB || type == BPF_PROG_TYPE_SOCKET_FILTER ||
	       type == BPF_PROG_TYPE_SK_SKB;
}

struct join_key trace_keys__packet(const struct trace_keys *k, const struct trace_probe *probe,
				   const struct bprof_record *r)
{
	enum bpf_prog_type type = probe->env->targets->v[r->target].prog->info.type;
	struct join_key key = {
		.head = value_of(probe, r, k->head),
		.skb = value_of(probe, r, k->skb),
		.sk = value_of(probe, r, k->sk),
		.ifindex = value_of(probe, r, k->ifindex),
	};

	/* A packet from a veth still has the socket that has sent it, until IP gets it. */
	if (key.ifindex && !runs_for_socket(type))
		key.sk = 0;
	return key;
}

__u64 trace_keys__begin(const struct bprof_record *r)
{
	__s64 took = r->net[BPROF_CLOCK_SLOT];

	return r->failed >> BPROF_CLOCK_SLOT & 1 || took < 0 ? r->ns : r->ns - took;
}
