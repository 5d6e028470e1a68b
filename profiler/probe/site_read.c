// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See site_read.h. Owns the order of these instructions. Must not know which address is whose.
 *
 * The placeholders call bpf_probe_read_kernel(). Where the kernel has bpf_rdonly_cast(), which the
 * verifier replaces by a move, user space makes a call of it, with the address as its first argument and
 * the type as its second one, and then loads from the pointer that it returns.
 */
#include <stdbool.h>

#include "bpf/probe.h"
#include "kernel/call_site.h"
#include "probe/insns_cut.h"
#include "probe/site_read.h"

/* The instructions, after the jump over them. */
enum {
	JUMP,
	STORE_CTX,
	LOAD_CTX,
	ADD_SKIP,
	AND_ALIGN,
	ADD_AT,
	SET_TO,	    /* r1: where to store the address, or the address itself */
	ADD_OFFSET, /* to r1 */
	SET_SIZE,   /* r2: or the type */
	CALL,
	LOAD,
	SITE_INSNS
};

static bool jumps_over_read(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_JNE | BPF_K) && !insn->imm &&
	       insn[ADD_SKIP].code == (BPF_ALU64 | BPF_ADD | BPF_K) &&
	       insn[ADD_SKIP].imm == BPROF_SITE_SKIP;
}

static void cast(const struct call_site_at *site, struct bpf_insn *insn)
{
	insn[SET_TO].src_reg = insn[ADD_SKIP].dst_reg;
	insn[ADD_OFFSET].imm = 0;
	insn[SET_SIZE].imm = site->type_id;
	insn[CALL].src_reg = BPF_PSEUDO_KFUNC_CALL;
	insn[CALL].imm = site->cast_id;
	insn[LOAD].src_reg = BPF_REG_0;
	insn[LOAD].off = 0;
}

void site_read__fill(const struct call_site_at *site, struct bpf_insn *insns, size_t cnt)
{
	for (size_t i = 0; i + SITE_INSNS < cnt; i++) {
		struct bpf_insn *insn = &insns[i];

		if (!jumps_over_read(insn))
			continue;
		insn->code = BPF_JMP | BPF_JEQ | BPF_K;
		insn[AND_ALIGN].imm = -(__s32)site->align;
		insn[ADD_AT].imm = site->at;
		if (site->cast_id)
			cast(site, insn);
	}
}

void site_read__set_args(const struct call_site_at *site, int args, struct bpf_insn *insns,
			 size_t cnt)
{
	for (size_t i = 0; i < cnt; i++)
		if (insns[i].code == (BPF_ALU64 | BPF_ADD | BPF_K) &&
		    insns[i].imm == BPROF_SITE_SKIP)
			/* the return value follows the arguments */
			insns[i].imm = (args + 1) * sizeof(__u64) + site->align - 1;
}

size_t site_read__drop(struct bpf_insn *insns, size_t cnt)
{
	for (size_t i = 0; i + SITE_INSNS < cnt; i++)
		if (jumps_over_read(&insns[i]))
			cnt = insns__cut(insns, cnt, i, i + 1 + insns[i].off);
	return cnt;
}
