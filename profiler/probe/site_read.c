// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See site_read.h.
 */
#include "probe/insns_cut.h"
#include "probe/site_read.h"

void site_read__set_args(const struct call_site_at *site, int args, struct bpf_insn *insns,
			 size_t cnt)
{
	for (size_t i = 0; i < cnt; i++)
		if (insns[i].code == (BPF_ALU64 | BPF_ADD | BPF_K) &&
		    insns[i].imm == BPROF_SITE_SKIP)
			/* the return value comes after the arguments */
			insns[i].imm = (args + 1) * sizeof(__u64) + site->align - 1;
}

size_t site_read__drop(struct bpf_insn *insns, size_t cnt)
{
	for (size_t i = 0; i + SITE_INSNS < cnt; i++)
		if (site_read__begins(&insns[i]))
			cnt = insns__cut(insns, cnt, i, i + 1 + insns[i].off);
	return cnt;
}
