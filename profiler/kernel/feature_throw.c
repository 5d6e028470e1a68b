// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finds out how a loaded program calls the kfunc bpf_throw(): loads the smallest program that calls
 * bpf_throw(), and reads the program's instructions from the kernel. Knows nothing of targets.
 * Prints nothing.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <linux/filter.h>

#include "btf/btf_scan.h"
#include "btf/call_graph.h"
#include "btf/prog.h"
#include "btf/throws.h"
#include "kernel/feature.h"

/* Sets *imm to the imm of the first call of a kfunc. Returns false if the instructions cannot be read. */
static bool read_imm(struct prog *p, __s32 *imm)
{
	struct bpf_insn *insns;
	__u32 cnt = 0;

	*imm = 0;
	if (prog__read_insns(p, &insns, &cnt))
		return false;
	for (__u32 i = 0; i < cnt && !*imm; i++)
		if (insn__calls_kfunc(&insns[i]))
			*imm = insns[i].imm;
	free(insns);
	return *imm;
}

void features__find_throw(struct throw_call *call)
{
	const char *const name = "bpf_throw";
	struct bpf_insn insns[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_1},
		{.code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_KFUNC_CALL},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	struct prog *p;
	__u32 id = 0;
	int fd, err;

	*call = (struct throw_call){.kind = THROW_CALL_KFUNC};
	if (access(VMLINUX_BTF, R_OK))
		return;
	err = btf_scan__find_funcs(VMLINUX_BTF, &name, &id, 1);
	if (err == -ENOENT)
		call->kind = THROW_CALL_NONE;
	if (err)
		return;
	insns[1].imm = id;
	fd = bpf_prog_load(BPF_PROG_TYPE_SCHED_CLS, "bprof_throw", "GPL", insns, ARRAY_SIZE(insns),
			   NULL);
	if (fd < 0 && errno == KERNEL_ENOTSUPP) /* the JIT has no exceptions */
		call->kind = THROW_CALL_NONE;
	if (fd < 0 || prog__open_fd(fd, &p))
		return;
	if (read_imm(p, &call->imm))
		call->kind = THROW_CALL_IMM;
	prog__close(p);
}
