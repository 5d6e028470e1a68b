// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the check that a loaded program was compiled. Must not know what it is attached to. Prints
 * nothing.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/filter.h>

#include "base/util.h"
#include "btf/call_graph.h"
#include "btf/prog.h"
#include "kernel/feature.h"
#include "kernel/jited.h"

int jited__check(int prog_fd, struct reason *reason)
{
	struct bpf_prog_info info = {};
	__u32 sz = sizeof(info);

	if (bpf_obj_get_info_by_fd(prog_fd, &info, &sz))
		return reason__set(reason, REASON_SYSTEM, errno, "reading its probe's size: %s",
				   strerror(errno));
	if (info.jited_prog_len)
		return 0;
	return reason__set(reason, features__has_no_jit() ? REASON_NOT_JITED : REASON_NOT_COMPILED,
			   KERNEL_ENOTSUPP, NULL);
}

int jited__check_object(const struct bpf_object *obj, struct reason *reason)
{
	struct bpf_program *prog;
	int err = 0;

	bpf_object__for_each_program (prog, obj)
		if (!err && bpf_program__fd(prog) >= 0)
			err = jited__check(bpf_program__fd(prog), reason);
	return err;
}

static int load_caller(void)
{
	const struct bpf_insn insns[] = {
		{.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_current_task},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "bprof_task", "GPL", insns,
			       ARRAY_SIZE(insns), NULL);

	return fd < 0 ? -errno : fd;
}

enum kernel_bug_state jited__find_helper_bug(struct reason *reason)
{
	struct bpf_insn *insns = NULL;
	__u32 cnt = 0;
	struct prog *p;
	int fd = load_caller(), err = fd < 0 ? fd : prog__open_fd(fd, &p);
	__s32 imm = 0;

	if (!err) {
		err = prog__read_insns(p, &insns, &cnt);
		imm = !err && cnt ? insns[0].imm : 0;
		free(insns);
		prog__close(p);
	}
	if (!imm) /* 0: the kernel hides it */
		reason__fail(reason, err ?: -EPERM, "looking at a call of a helper: %s",
			     strerror(err ? -err : EPERM));
	return !imm				  ? KERNEL_BUG_MAYBE
	       : imm == BPF_FUNC_get_current_task ? KERNEL_BUG_PRESENT
						  : KERNEL_BUG_ABSENT;
}

void jited__correct(struct reason *reason)
{
	if (reason->code == REASON_NOT_JITED && !features__has_no_jit())
		reason__set(reason, REASON_NOT_COMPILED, reason->err, NULL);
}
