// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the way to the kernel's own count of its JIT's memory. Prints nothing.
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

static int add_code(__u32 id, void *arg)
{
	struct prog *p;
	int err = prog__open_id(id, &p);

	if (err)
		return err == -ENOENT ? 0 : err; /* unloaded after its id was read */
	*(__u64 *)arg += p->info.jited_prog_len;
	prog__close(p);
	return 0;
}

/* The kernel's variables, in the order of the addresses that find_variables() fills in. */
enum { USED, LIMIT, VARIABLES };

/* Finds their addresses; 0: it is not known. */
static void find_variables(__u64 address[VARIABLES])
{
	static const char *const names[] = {[USED] = "bpf_jit_current", [LIMIT] = "bpf_jit_limit"};
	FILE *file = fopen("/proc/kallsyms", "re");
	unsigned long long at;
	char *line = NULL, name[64];
	size_t sz = 0;

	while (file && !(address[USED] && address[LIMIT]) && getline(&line, &sz, file) > 0)
		for (int i = 0; i < VARIABLES; i++)
			if (sscanf(line, "%llx %*c %63s", &at, name) == 2 &&
			    !strcmp(name, names[i]))
				address[i] = at;
	free(line);
	if (file)
		fclose(file);
}

/*
 * Loads a program that returns 32 bits of the number at an address, as a test run returns no more. It is a
 * raw tracepoint's, because these can be run without being attached (Linux 5.10). Returns its descriptor.
 */
static int load_reader(__u64 address, int shift)
{
	const struct bpf_insn insns[] = {
		{.code = BPF_ST | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_10, .off = -8},
		{.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_10},
		{.code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_1, .imm = -8},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_2, .imm = 8},
		{.code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = BPF_REG_3, .imm = (__u32)address},
		{.imm = address >> 32},
		{.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_probe_read_kernel},
		{.code = BPF_LDX | BPF_MEM | BPF_DW,
		 .dst_reg = BPF_REG_0,
		 .src_reg = BPF_REG_10,
		 .off = -8},
		{.code = BPF_ALU64 | BPF_RSH | BPF_K, .dst_reg = BPF_REG_0, .imm = shift},
		{.code = BPF_JMP | BPF_EXIT},
	};

	return bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "bprof_jit_read", "GPL", insns,
			     ARRAY_SIZE(insns), NULL);
}

static int run_reader(int fd, __u32 *half)
{
	LIBBPF_OPTS(bpf_test_run_opts, run);

	if (bpf_prog_test_run_opts(fd, &run))
		return -errno;
	*half = run.retval;
	return 0;
}

/*
 * Reads a variable. Calls fn(arg), unless it is NULL, while the programs that read it are loaded. Returns
 * false if the machine does not allow that.
 */
static bool read_variable(__u64 address, void (*fn)(void *arg), void *arg, __u64 *value)
{
	int low_fd = address ? load_reader(address, 0) : -1;
	int high_fd = address ? load_reader(address, 32) : -1;
	__u32 low = 0, high = 0;
	bool known;

	if (fn)
		fn(arg);
	known = low_fd >= 0 && high_fd >= 0 && !run_reader(low_fd, &low) &&
		!run_reader(high_fd, &high);
	*value = (__u64)high << 32 | low;
	close_fd(&low_fd);
	close_fd(&high_fd);
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

	sum->err = prog__for_each_id(add_code, &sum->bytes);
}

/* Only root may read the file. */
static int read_limit(__u64 address, __u64 *limit)
{
	char *text;
	int err = read_file(LIMIT_PATH, &text);

	if (err)
		return read_variable(address, NULL, NULL, limit) ? 0 : err;
	err = parse_u64(text, ~0ULL, limit);
	free(text);
	return err;
}

int jit_memory__read(struct jit_memory *m)
{
	__u64 address[VARIABLES] = {}, number;
	struct code_sum code = {};
	int err;

	*m = (struct jit_memory){};
	find_variables(address);
	err = read_limit(address[LIMIT], &m->limit);
	if (err)
		return err;
	/* The code of the readers is counted, so that it is never 0 if there is a number. */
	m->exact = read_variable(address[USED], sum_code, &code, &number);
	m->used = m->exact ? jit_memory__to_bytes(number, code.bytes) : code.bytes;
	return code.err;
}
