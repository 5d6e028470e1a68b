// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the encoding of blinded constants in translated instructions. Must not know what follows
 * from blinding.
 */
#include <errno.h>
#include <stdlib.h>

#include "btf/blinding.h"
#include "btf/call_graph.h"
#include "btf/prog.h"

/*
 * bpf_jit_blind_insn() replaces "r += 5" by "ax = 5 ^ RANDOM; ax ^= RANDOM; r += ax". Only the kernel
 * can use the register ax, and nothing else in the kernel generates such a pair. The register number
 * of ax is 11, or 12 in Linux 7.2.
 */
static bool is_blinded(const struct bpf_insn *insn)
{
	return BPF_OP(insn[0].code) == BPF_MOV && BPF_OP(insn[1].code) == BPF_XOR &&
	       BPF_SRC(insn[0].code) == BPF_K && BPF_SRC(insn[1].code) == BPF_K &&
	       BPF_CLASS(insn[0].code) == BPF_CLASS(insn[1].code) &&
	       (BPF_CLASS(insn[0].code) == BPF_ALU || BPF_CLASS(insn[0].code) == BPF_ALU64) &&
	       insn[0].dst_reg >= MAX_BPF_REG && insn[1].dst_reg == insn[0].dst_reg;
}

bool insns__are_blinded(const struct bpf_insn *insns, __u32 cnt)
{
	for (__u32 i = 1; i < cnt; i++)
		if (is_blinded(&insns[i - 1]))
			return true;
	return false;
}

bool prog__is_blinded(const struct prog *p, bool (*hardened)(void))
{
	struct bpf_insn *insns;
	__u32 cnt;
	bool found;
	int err;

	if (!prog__is_jited(p))
		return false;
	err = prog__read_insns(p, &insns, &cnt);
	/*
	 * EACCES: the kernel withholds the instructions. If it nevertheless shows their length,
	 * they are blinded.
	 */
	if (err)
		return (err == -EACCES && p->info.xlated_prog_len) || hardened();
	found = insns__are_blinded(insns, cnt);
	free(insns);
	return found || (p->info.nr_jited_func_lens > 1 && hardened());
}
