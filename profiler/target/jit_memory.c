// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads the kernel's own count of its JIT's memory. Prints nothing.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "base/util.h"
#include "btf/prog.h"
#include "target/jit_memory.h"

#define LIMIT_PATH "/proc/sys/net/core/bpf_jit_limit"

static int add_jited_len(__u32 id, void *arg)
{
	struct prog *p;
	int err = prog__open_id(id, &p);

	if (err)
		return err == -ENOENT ? 0 : err; /* unloaded after its id was read */
	*(__u64 *)arg += p->info.jited_prog_len;
	prog__close(p);
	return 0;
}

/*
 * Loads a program that writes the value of a kernel variable to its context, a __u64. The program
 * returns 0 on success. Syscall programs (Linux 5.14) may find symbols by name (5.16). Reading
 * /proc/kallsyms instead, which has hundreds of thousands of lines, would take a hundred times as
 * long. Returns the program's descriptor. name: at most 15 characters
 */
static int load_reader(const char *name)
{
	__u64 text[2] = {};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .prog_flags = BPF_F_SLEEPABLE);

	memcpy(text, name, strlen(name));
	const struct bpf_insn insns[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_6, .src_reg = BPF_REG_1},
		{.code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = BPF_REG_1, .imm = (__u32)text[0]},
		{.imm = text[0] >> 32},
		{.code = BPF_STX | BPF_MEM | BPF_DW,
		 .dst_reg = BPF_REG_10,
		 .src_reg = BPF_REG_1,
		 .off = -16},
		{.code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = BPF_REG_1, .imm = (__u32)text[1]},
		{.imm = text[1] >> 32},
		{.code = BPF_STX | BPF_MEM | BPF_DW,
		 .dst_reg = BPF_REG_10,
		 .src_reg = BPF_REG_1,
		 .off = -8},
		{.code = BPF_ST | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_10, .off = -24},
		/* bpf_kallsyms_lookup_name(name, its size, 0, &address) */
		{.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_10},
		{.code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_1, .imm = -16},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K,
		 .dst_reg = BPF_REG_2,
		 .imm = (int)strlen(name) + 1},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_3},
		{.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_4, .src_reg = BPF_REG_10},
		{.code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_4, .imm = -24},
		{.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_kallsyms_lookup_name},
		{.code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = BPF_REG_0, .off = 9},
		/* bpf_probe_read_kernel(&value, 8, address) */
		{.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_10},
		{.code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_1, .imm = -8},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_2, .imm = 8},
		{.code = BPF_LDX | BPF_MEM | BPF_DW,
		 .dst_reg = BPF_REG_3,
		 .src_reg = BPF_REG_10,
		 .off = -24},
		{.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_probe_read_kernel},
		{.code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = BPF_REG_0, .off = 3},
		{.code = BPF_LDX | BPF_MEM | BPF_DW,
		 .dst_reg = BPF_REG_1,
		 .src_reg = BPF_REG_10,
		 .off = -8},
		{.code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_6, .src_reg = BPF_REG_1},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_JMP | BPF_EXIT},
	};

	return bpf_prog_load(BPF_PROG_TYPE_SYSCALL, "bprof_jit_read", "GPL", insns,
			     ARRAY_SIZE(insns), &opts);
}

/*
 * Reads a variable. While the program that reads the variable is loaded, calls fn(arg), unless fn
 * is NULL. Returns false if the machine does not allow that.
 */
static bool read_variable(const char *name, void (*fn)(void *arg), void *arg, __u64 *value)
{
	LIBBPF_OPTS(bpf_test_run_opts, run, .ctx_in = value, .ctx_size_in = sizeof(*value));
	int fd = load_reader(name);
	bool known;

	if (fn)
		fn(arg);
	known = fd >= 0 && !bpf_prog_test_run_opts(fd, &run) && !run.retval;
	close_fd(&fd);
	return known;
}

__u64 jit_memory__to_bytes(__u64 number, __u64 code)
{
	return number < code ? number * sysconf(_SC_PAGESIZE) : number;
}

struct code_sum {
	__u64 bytes;
	int err;
};

static void sum_code(void *arg)
{
	struct code_sum *sum = arg;

	sum->err = prog__for_each_id(add_jited_len, &sum->bytes);
}

/* Reads the limit from its file, which only root may read. */
static int read_jit_limit(__u64 *limit)
{
	char *text;
	int err = read_file(LIMIT_PATH, &text);

	if (err)
		return read_variable("bpf_jit_limit", NULL, NULL, limit) ? 0 : err;
	err = parse_u64(text, ~0ULL, limit);
	free(text);
	return err;
}

int jit_memory__read(struct jit_memory *m)
{
	struct code_sum code = {};
	__u64 number = 0;
	int err;

	*m = (struct jit_memory){};
	err = read_jit_limit(&m->limit);
	if (err)
		return err;
	/*
	 * If the number can be read, code.bytes is not 0, because it includes the code of the
	 * program that reads the number.
	 */
	m->exact = read_variable("bpf_jit_current", sum_code, &code, &number);
	m->used = m->exact ? jit_memory__to_bytes(number, code.bytes) : code.bytes;
	return code.err;
}
