// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the program that reads a variable of the kernel. Prints nothing.
 */
#include <errno.h>
#include <string.h>
#include <bpf/bpf.h>

#include "base/util.h"
#include "kernel/kernel_var.h"

#define NAME_WORDS 3

/* The program's context. */
struct var_read {
	__u64 distance;
	__u64 value; /* result */
};

/* Stores 8 bytes of the name on the program's stack. */
#define STORE_WORD(word, at)                                                                     \
	{.code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = BPF_REG_1, .imm = (__u32)(word)},         \
		{.imm = (word) >> 32},                                                           \
	{                                                                                        \
		.code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_10, .src_reg = BPF_REG_1, \
		.off = (at)                                                                      \
	}

/*
 * The program returns 0 on success. Syscall programs (Linux 5.14) may find symbols by name (5.16).
 * Reading /proc/kallsyms instead, which has hundreds of thousands of lines, would take a hundred
 * times as long.
 */
int kernel_var__open(const char *name)
{
	__u64 text[NAME_WORDS] = {};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .prog_flags = BPF_F_SLEEPABLE);
	int fd;

	if (strlen(name) >= sizeof(text))
		return -EINVAL;
	memcpy(text, name, strlen(name));
	const struct bpf_insn insns[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_6, .src_reg = BPF_REG_1},
		STORE_WORD(text[0], -24),
		STORE_WORD(text[1], -16),
		STORE_WORD(text[2], -8),
		{.code = BPF_ST | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_10, .off = -32},
		/* bpf_kallsyms_lookup_name(name, its size, 0, &address) */
		{.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_10},
		{.code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_1, .imm = -24},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K,
		 .dst_reg = BPF_REG_2,
		 .imm = (int)strlen(name) + 1},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_3},
		{.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_4, .src_reg = BPF_REG_10},
		{.code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_4, .imm = -32},
		{.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_kallsyms_lookup_name},
		{.code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = BPF_REG_0, .off = 11},
		/* bpf_probe_read_kernel(&value, 8, address + distance) */
		{.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_10},
		{.code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_1, .imm = -8},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_2, .imm = 8},
		{.code = BPF_LDX | BPF_MEM | BPF_DW,
		 .dst_reg = BPF_REG_3,
		 .src_reg = BPF_REG_10,
		 .off = -32},
		{.code = BPF_LDX | BPF_MEM | BPF_DW,
		 .dst_reg = BPF_REG_4,
		 .src_reg = BPF_REG_6,
		 .off = offsetof(struct var_read, distance)},
		{.code = BPF_ALU64 | BPF_ADD | BPF_X, .dst_reg = BPF_REG_3, .src_reg = BPF_REG_4},
		{.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_probe_read_kernel},
		{.code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = BPF_REG_0, .off = 3},
		{.code = BPF_LDX | BPF_MEM | BPF_DW,
		 .dst_reg = BPF_REG_1,
		 .src_reg = BPF_REG_10,
		 .off = -8},
		{.code = BPF_STX | BPF_MEM | BPF_DW,
		 .dst_reg = BPF_REG_6,
		 .src_reg = BPF_REG_1,
		 .off = offsetof(struct var_read, value)},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_JMP | BPF_EXIT},
	};

	fd = bpf_prog_load(BPF_PROG_TYPE_SYSCALL, "bprof_var_read", "GPL", insns, ARRAY_SIZE(insns),
			   &opts);
	return fd < 0 ? -errno : fd;
}

bool kernel_var__read(int fd, __u64 distance, __u64 *value)
{
	struct var_read read = {.distance = distance};
	LIBBPF_OPTS(bpf_test_run_opts, run, .ctx_in = &read, .ctx_size_in = sizeof(read));

	if (fd < 0 || bpf_prog_test_run_opts(fd, &run) || run.retval)
		return false;
	*value = read.value;
	return true;
}
