// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See own_runs.h. Owns the check's instructions, and what the check needs from the kernel. Must not
 * know which targets need the check.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "base/util.h"
#include "bpf/probe.h"
#include "probe/insns_cut.h"
#include "probe/own_runs.h"

/*
 * Sets *tgid to this process's id in the initial pid namespace: in a container, getpid() returns
 * another id. The program that reads this id does so in the same way as the check, to test whether
 * the check works on this kernel.
 */
static int find_tgid(const struct own_offsets *at, __u32 *tgid)
{
	const struct bpf_insn insns[] = {
		{.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_current_task_btf},
		{.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = 6, .src_reg = 0},
		{.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = 1, .src_reg = 0},
		{.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_task_pt_regs},
		{.code = BPF_LDX | BPF_MEM | BPF_W, .dst_reg = 1, .src_reg = 0, .off = at->syscall},
		{.code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = 2, .src_reg = 6, .off = at->stack},
		{.code = BPF_LDX | BPF_MEM | BPF_W, .dst_reg = 0, .src_reg = 6, .off = at->tgid},
		/*
		 * This program runs in a system call. If the registers that the kernel has saved do
		 * not show that, return 0: the check would not work.
		 */
		{.code = BPF_ALU64 | BPF_LSH | BPF_K, .dst_reg = 1, .imm = 32},
		{.code = BPF_JMP | BPF_JSGE | BPF_K, .dst_reg = 1, .off = 1},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "bprof_own", "Dual BSD/GPL", insns,
			       ARRAY_SIZE(insns), NULL);
	int err = fd < 0 ? -errno : 0;

	if (!err && bpf_prog_test_run_opts(fd, &opts))
		err = -errno;
	if (fd >= 0)
		close(fd);
	*tgid = err ? 0 : opts.retval;
	return err ?: *tgid ? 0 : -EOPNOTSUPP;
}

int own_runs__find(struct own_runs *own)
{
	*own = (struct own_runs){.stack_bits = sysconf(_SC_PAGESIZE) >= 65536 ? 16 : 14};
	return kernel_offsets__read_own(&own->at) ?: find_tgid(&own->at, &own->tgid);
}

/* Returns true for the jump over the check. The check has at least three instructions. */
static bool is_jump_over(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_JNE | BPF_K) && !insn->imm &&
	       insn[1].code == (BPF_JMP | BPF_CALL) &&
	       insn[2].code == (BPF_LDX | BPF_MEM | BPF_W) && insn[2].off == BPROF_OWN_TGID_OFFSET;
}

void own_runs__add_check(const struct own_runs *own, struct bpf_insn *insns, size_t cnt)
{
	for (size_t i = 0; i < cnt; i++) {
		struct bpf_insn *insn = &insns[i];

		if (i + 2 < cnt && is_jump_over(insn))
			insn->code = BPF_JMP | BPF_JEQ | BPF_K;
		if (insn->code == (BPF_JMP | BPF_JNE | BPF_K) && insn->imm == BPROF_OWN_TGID)
			insn->imm = own->tgid;
		if (insn->code == (BPF_ALU64 | BPF_RSH | BPF_K) &&
		    insn->imm == BPROF_OWN_STACK_BITS)
			insn->imm = own->stack_bits;
		if (insn->code == (BPF_LDX | BPF_MEM | BPF_W) && insn->off == BPROF_OWN_TGID_OFFSET)
			insn->off = own->at.tgid;
		if (insn->code == (BPF_LDX | BPF_MEM | BPF_DW) &&
		    insn->off == BPROF_OWN_STACK_OFFSET)
			insn->off = own->at.stack;
		if (insn->code == (BPF_LDX | BPF_MEM | BPF_W) &&
		    insn->off == BPROF_OWN_SYSCALL_OFFSET)
			insn->off = own->at.syscall;
	}
}

size_t own_runs__drop_check(struct bpf_insn *insns, size_t cnt)
{
	for (size_t i = 0; i + 2 < cnt; i++)
		if (is_jump_over(&insns[i]))
			cnt = insns__cut(insns, cnt, i, i + 1 + insns[i].off);
	return cnt;
}
