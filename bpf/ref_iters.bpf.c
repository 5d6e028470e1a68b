// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Counts the references that keep BPF programs loaded, finds the references of probes, and tells
 * which programs may sleep. These iterator programs (Linux 5.19) run once per program and once per
 * link, in the process that reads the iterator. They have a light skeleton: the kernel itself finds
 * the offsets of members.
 */
#include "iter.bpf.h"
#include "ref_iters.h"

struct bpf_prog_aux {
	atomic64_t refcnt;
	__u32 id;
	__u32 attach_btf_id;
	char name[16];
} OF_THE_KERNEL;

struct bpf_prog {
	__u16 sleepable : 1;
	enum bpf_prog_type type;
	struct bpf_prog_aux *aux;
} OF_THE_KERNEL;

struct bpf_link {
	enum bpf_link_type type;
	struct bpf_prog *prog;
} OF_THE_KERNEL;

/* The kernel's struct begins with the struct bpf_link, so a pointer to the link can be cast. */
struct bpf_tracing_link {
	struct bpf_prog *tgt_prog;
} OF_THE_KERNEL;

struct bpf_iter__bpf_prog {
	struct bpf_iter_meta *meta;
	struct bpf_prog *prog;
} OF_THE_KERNEL;

struct bpf_iter__bpf_link {
	struct bpf_iter_meta *meta;
	struct bpf_link *link;
} OF_THE_KERNEL;

SEC("iter/bpf_prog")
int bprof_prog_ref(struct bpf_iter__bpf_prog *ctx)
{
	struct bpf_prog *prog = ctx->prog; /* the iterator passes NULL after the last program */
	struct bprof_prog_ref found = {};

	if (!prog)
		return 0;
	found.id = BPF_CORE_READ(prog, aux, id);
	/* The iterator itself has a reference to the current program. */
	found.refs = BPF_CORE_READ(prog, aux, refcnt.counter) - 1;
	if (bpf_core_field_exists(prog->sleepable))
		found.sleepable = BPF_CORE_READ_BITFIELD_PROBED(prog, sleepable);
	bpf_seq_write(ctx->meta->seq, &found, sizeof(found));
	return 0;
}

SEC("iter/bpf_link")
int bprof_probe_ref(struct bpf_iter__bpf_link *ctx)
{
	struct bpf_link *link = ctx->link; /* the iterator passes NULL after the last link */
	struct bprof_probe_ref found = {};
	struct bpf_prog *target;

	if (!link || BPF_CORE_READ(link, type) != BPF_LINK_TYPE_TRACING ||
	    BPF_CORE_READ(link, prog, type) != BPF_PROG_TYPE_TRACING)
		return 0;
	target = BPF_CORE_READ((struct bpf_tracing_link *)link, tgt_prog);
	if (!target)
		return 0;
	found.target_id = BPF_CORE_READ(target, aux, id);
	found.target_btf_id = BPF_CORE_READ(link, prog, aux, attach_btf_id);
	BPF_CORE_READ_INTO(&found.name, link, prog, aux, name);
	bpf_seq_write(ctx->meta->seq, &found, sizeof(found));
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
