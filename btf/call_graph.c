// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the encoding of calls in translated instructions, and the rule that tells when a callback
 * runs. Must not know what the call graph is used for.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "base/memory.h"
#include "btf/call_graph.h"
#include "btf/func_table.h"
#include "btf/prog.h"

/*
 * The graph takes at most MAX_FUNCS^2 bytes. The kernel itself allows 256 functions
 * (BPF_MAX_SUBPROGS).
 */
#define MAX_FUNCS 4096

bool insn__is_jump(const struct bpf_insn *insn)
{
	__u8 class = BPF_CLASS(insn->code), op = BPF_OP(insn->code);

	return (class == BPF_JMP || class == BPF_JMP32) && op != BPF_CALL && op != BPF_EXIT;
}

int prog__read_insns(const struct prog *p, struct bpf_insn **insns, __u32 *cnt)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	int err;

	*insns = NULL;
	if (!p->info.xlated_prog_len)
		return -EACCES;
	/*
	 * The kernel first copies the instructions to contiguous memory (bpf_insn_prepare_dump() in
	 * kernel/bpf/syscall.c). It can allocate at most KMALLOC_MAX_SIZE of such memory: 4 MiB if
	 * pages have 4 KiB. If the copy needs more, the system call fails and the kernel also writes
	 * a warning to its log.
	 */
	if (p->info.xlated_prog_len > 4 << 20 && sysconf(_SC_PAGESIZE) == 4096)
		return -E2BIG;
	*insns = xmalloc(p->info.xlated_prog_len);
	info.xlated_prog_len = p->info.xlated_prog_len;
	info.xlated_prog_insns = (__u64)(unsigned long)*insns;
	err = bpf_obj_get_info_by_fd(p->fd, &info, &len);
	if (err == -ENOMEM)
		err = -E2BIG;
	if (!err && !info.xlated_prog_insns)
		err = -EACCES;
	if (err) {
		free(*insns);
		*insns = NULL;
		return err;
	}
	*cnt = p->info.xlated_prog_len / sizeof(**insns);
	return 0;
}

__u32 func_table__end(const struct func_table *funcs, __u32 func, __u32 insn_cnt)
{
	__u32 end = func + 1 < funcs->cnt ? funcs->fn[func + 1].insn_off : insn_cnt;

	return end < insn_cnt ? end : insn_cnt;
}

static bool is_call(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_CALL) && insn->src_reg == BPF_PSEUDO_CALL;
}

static bool is_callback(const struct bpf_insn *insn)
{
	return insn->code == (BPF_LD | BPF_IMM | BPF_DW) && insn->src_reg == BPF_PSEUDO_FUNC;
}

/*
 * jit_subprogs() (kernel/bpf/verifier.c) stores the distance to the function: for a call in off,
 * for a callback in imm. In a large program, the distance does not fit into the 16 bits of off.
 */
bool insn__may_enter(const struct bpf_insn *insn, __u32 i, __u32 start)
{
	__u32 distance = start - i - 1;

	return (is_call(insn) && (__u16)insn->off == (__u16)distance) ||
	       (is_callback(insn) && (__u32)insn->imm == distance);
}

bool insns__find_callee(const struct bpf_insn *insns, __u32 i, const struct func_table *funcs,
			int *callee)
{
	bool several = false;

	if (!is_call(&insns[i]) && !is_callback(&insns[i]))
		return false;
	*callee = -1;
	for (__u32 f = 0; f < funcs->cnt; f++) {
		if (!insn__may_enter(&insns[i], i, funcs->fn[f].insn_off))
			continue;
		several |= *callee >= 0;
		*callee = f;
	}
	if (several)
		*callee = -1;
	return true;
}

static bool is_imm64(const struct bpf_insn *insn)
{
	return insn->code == (BPF_LD | BPF_IMM | BPF_DW);
}

/*
 * Returns true if the call at index i keeps the callback that it gets, so that the callback runs later. The
 * kernel must know which program such a callback belongs to. So, just before the call, the verifier loads the
 * address of the program's bpf_prog_aux as a further argument. It does this for the helper
 * bpf_timer_set_callback() and for kfuncs (bpf_wq_set_callback(), bpf_task_work_schedule_…()). Before calls
 * that return after the callback has run (bpf_loop(), bpf_for_each_map_elem(), …), the verifier loads no
 * constant of 64 bits. Does not look at the called helper's address, because the kernel may withhold it.
 */
static bool keeps_callback(const struct bpf_insn *insns, __u32 first, __u32 i)
{
	const struct bpf_insn *load = &insns[i] - 2;

	return i >= first + 2 && is_imm64(load) && !load->src_reg && load[1].imm &&
	       load->dst_reg >= BPF_REG_2 && load->dst_reg <= BPF_REG_5;
}

/* The registers that hold a callback, as bits. */
#define REG(r) (1u << (r))
#define ARG_REGS 0x3eu	    /* r1 to r5 */
#define CALL_CLOBBERS 0x3fu /* r0 to r5 */

/*
 * Returns the registers that hold the callback after the instruction, which is not a call. regs:
 * those that hold it before.
 */
static __u32 track(const struct bpf_insn *insn, __u32 regs)
{
	bool copies = insn->code == (BPF_ALU64 | BPF_MOV | BPF_X) && !insn->off &&
		      regs & REG(insn->src_reg);

	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU64:
	case BPF_ALU:
	case BPF_LDX:
	case BPF_LD:
		return copies ? regs | REG(insn->dst_reg) : regs & ~REG(insn->dst_reg);
	}
	return regs;
}

/*
 * Returns when the callback that is loaded at index i runs: the bits CALL_… of the calls that get
 * the callback. The function that loads it ends before index end.
 */
static __u8 when_callback_runs(const struct bpf_insn *insns, __u32 i, __u32 end)
{
	__u32 first = i + 2, regs = REG(insns[i].dst_reg);
	__u8 when = 0;

	for (i = first; i < end && regs; i++) {
		/* The instruction stores the callback in memory, which is not tracked. */
		if (BPF_CLASS(insns[i].code) == BPF_STX && regs & REG(insns[i].src_reg))
			return CALL_NOW | CALL_LATER;
		if (insns[i].code != (BPF_JMP | BPF_CALL)) {
			regs = track(&insns[i], regs);
			i += is_imm64(&insns[i]);
			continue;
		}
		/* The verifier replaces a call of bpf_loop() by calls of the callback itself. */
		if (regs & ARG_REGS)
			when |= !is_call(&insns[i]) && keeps_callback(insns, first, i) ? CALL_LATER
										       : CALL_NOW;
		regs &= ~CALL_CLOBBERS;
	}
	return when ?: CALL_NOW | CALL_LATER;
}

int insns__call_graph(const struct bpf_insn *insns, __u32 cnt, const struct func_table *funcs,
		      __u8 **calls)
{
	int callee;

	*calls = NULL;
	if (funcs->cnt > MAX_FUNCS)
		return -E2BIG;
	*calls = xcalloc((size_t)funcs->cnt * funcs->cnt, sizeof(**calls));
	for (__u32 f = 0; f < funcs->cnt; f++) {
		__u32 end = func_table__end(funcs, f, cnt);

		for (__u32 i = funcs->fn[f].insn_off; i < end; i++)
			if (insns__find_callee(insns, i, funcs, &callee) && callee >= 0)
				(*calls)[(size_t)f * funcs->cnt + callee] |=
					is_call(&insns[i]) ? CALL_NOW
							   : when_callback_runs(insns, i, end);
	}
	return 0;
}

int prog__load_calls(struct prog *p)
{
	struct bpf_insn *insns;
	__u32 cnt;
	int err = p->calls ? 0 : prog__read_insns(p, &insns, &cnt);

	if (err || p->calls)
		return err;
	err = insns__call_graph(insns, cnt, p->funcs, &p->calls);
	free(insns);
	return err;
}

__u8 prog__when_calls(const struct prog *p, __u32 caller, __u32 callee)
{
	if (!p->calls)
		return !caller && callee ? CALL_NOW : 0;
	return p->calls[(size_t)caller * p->funcs->cnt + callee];
}
