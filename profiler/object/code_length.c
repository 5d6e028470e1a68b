// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads the code of a loaded program and checks whether it is of full length. Must not know who
 * loaded the program, or what the length is used for.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "btf/arm64_addrs.h"
#include "btf/call_graph.h"
#include "btf/prog.h"
#include "btf/prog_code.h"
#include "btf/reason.h"
#include "btf/riscv64_addrs.h"
#include "object/code_length.h"

/*
 * Counts the short loads of addresses, because the size of the code does not show whether the program is of
 * full length: build_plt() in the kernel pads shorter code with a nop that is never executed.
 */
static void read_arm64(struct prog *p, struct code_length *out)
{
	struct bpf_insn *insns = NULL;
	struct reason reason = {};
	struct prog_code code = {};
	__u32 cnt = 0;
	int err = prog__read_code(p, &code, &reason) ?: prog__read_insns(p, &insns, &cnt);

	if (!err)
		out->shorter = arm64__count_short((const __u32 *)code.jited,
						  code.jited_len / sizeof(__u32)) >
			       arm64__count_short_constants(insns, cnt);
	/* An interpreted program has no machine code that could be shorter. */
	out->hidden = err && reason.code != REASON_NOT_JITED;
	free(insns);
	prog_code__free(&code);
}

static void read_riscv64(struct prog *p, struct code_length *out)
{
	struct bpf_insn *insns = NULL;
	__u32 cnt = 0;
	int err = prog__read_insns(p, &insns, &cnt);

	out->hidden = err || riscv64__loads_address(insns, cnt);
	free(insns);
}

int code_length__read(int prog_fd, struct code_length *out)
{
	struct prog *p;
	int fd, err;

	*out = (struct code_length){};
	if (!ARM64_HERE && !RISCV64_HERE)
		return 0;
	fd = fcntl(prog_fd, F_DUPFD_CLOEXEC, 0);
	err = fd < 0 ? -errno : prog__open_fd(fd, &p);
	if (err)
		return err;
	if (ARM64_HERE)
		read_arm64(p, out);
	else
		read_riscv64(p, out);
	prog__close(p);
	return 0;
}

const char *code_length__explain(const struct code_length *l)
{
	if (RISCV64_HERE)
		return "loading the address of a map takes a varying number of instructions";
	return l->hidden ? "its code cannot be read (kernel.kptr_restrict)"
			 : "some map's address takes fewer instructions than usual";
}
