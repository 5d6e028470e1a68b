/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The instructions by which the probe of a function of the kernel finds out where it was called
 * from (bpf/probe_called.bpf.h, address_of_call()). Owns their order. Must not know what is at
 * which address.
 *
 * The placeholders call bpf_probe_read_kernel(). If the kernel has bpf_rdonly_cast(), user space
 * replaces this call by a call of bpf_rdonly_cast(), with the address and the type as arguments,
 * and by a load from the returned pointer. This is faster, because the verifier replaces
 * bpf_rdonly_cast() by a move.
 */
#ifndef BPROF_SITE_READ_H
#define BPROF_SITE_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/bpf.h>

#include "bpf/probe.h"
#include "kernel/call_site.h"

enum site_read_insn {
	SITE_JUMP, /* jumps over the other instructions */
	SITE_STORE_CTX,
	SITE_LOAD_CTX,
	SITE_ADD_SKIP,
	SITE_AND_ALIGN,
	SITE_ADD_AT,
	SITE_SET_TO,	 /* r1: the buffer for the value; for bpf_rdonly_cast(), the address */
	SITE_ADD_OFFSET, /* adds to r1 */
	SITE_SET_SIZE,	 /* r2: the size of the value; for bpf_rdonly_cast(), the type */
	SITE_CALL,
	SITE_LOAD,
	SITE_JUMP_END,
	SITE_INSNS
};

/* Returns true if insn begins these instructions. At least one instruction must follow them. */
static inline bool site_read__begins(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_JNE | BPF_K) && !insn->imm &&
	       insn[SITE_ADD_SKIP].code == (BPF_ALU64 | BPF_ADD | BPF_K) &&
	       insn[SITE_ADD_SKIP].imm == BPROF_SITE_SKIP;
}

static inline void site_read__cast(const struct call_site_at *site, struct bpf_insn *insn)
{
	insn[SITE_SET_TO].src_reg = insn[SITE_ADD_SKIP].dst_reg;
	insn[SITE_ADD_OFFSET].imm = 0;
	insn[SITE_SET_SIZE].imm = site->type_id;
	insn[SITE_CALL].src_reg = BPF_PSEUDO_KFUNC_CALL;
	insn[SITE_CALL].imm = site->cast_id;
	insn[SITE_LOAD].src_reg = BPF_REG_0;
	insn[SITE_LOAD].off = 0;
}

/*
 * Makes the probe read the place of the call instead of the map. Leaves other instructions as they
 * are.
 */
static inline void site_read__fill(const struct call_site_at *site, struct bpf_insn *insns,
				   size_t cnt)
{
	for (size_t i = 0; i + SITE_INSNS < cnt; i++) {
		struct bpf_insn *insn = &insns[i];

		if (!site_read__begins(insn))
			continue;
		insn->code = BPF_JMP | BPF_JEQ | BPF_K;
		insn[SITE_AND_ALIGN].imm = -(__s32)site->align;
		insn[SITE_ADD_AT].imm = site->at;
		if (site->cast_id)
			site_read__cast(site, insn);
	}
}

/* Adapts the filled instructions to a function with that many arguments. */
void site_read__set_args(const struct call_site_at *site, int args, struct bpf_insn *insns,
			 size_t cnt);
/* Removes the reading of the place. Returns the number of instructions that are left. */
size_t site_read__drop(struct bpf_insn *insns, size_t cnt);

#endif
