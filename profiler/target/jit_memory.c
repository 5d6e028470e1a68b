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

/* Returns the address of the kernel's counter; 0: it is not known. Symbols of data have no other reader. */
static __u64 find_counter(void)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	unsigned long long address, found = 0;
	char *line = NULL, name[64];
	size_t sz = 0;

	while (file && !found && getline(&line, &sz, file) > 0)
		if (sscanf(line, "%llx %*c %63s", &address, name) == 2 &&
		    !strcmp(name, "bpf_jit_current"))
			found = address;
	free(line);
	if (file)
		fclose(file);
	return found;
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

__u64 jit_memory__to_bytes(__u64 number, __u64 code)
{
	return number < code ? number * sysconf(_SC_PAGESIZE) : number;
}

/*
 * Sets m->used to the kernel's number, or else to the size of all code. The code of the readers is
 * counted, so that it is never 0 if there is a number.
 */
static int read_used(struct jit_memory *m)
{
	__u64 address = find_counter();
	int low_fd = address ? load_reader(address, 0) : -1;
	int high_fd = address ? load_reader(address, 32) : -1;
	int err = prog__for_each_id(add_code, &m->used);
	__u32 low = 0, high = 0;

	m->exact = !err && low_fd >= 0 && high_fd >= 0 && !run_reader(low_fd, &low) &&
		   !run_reader(high_fd, &high);
	if (m->exact)
		m->used = jit_memory__to_bytes((__u64)high << 32 | low, m->used);
	close_fd(&low_fd);
	close_fd(&high_fd);
	return err;
}

int jit_memory__read(struct jit_memory *m)
{
	char *text;
	int err = read_file(LIMIT_PATH, &text);

	*m = (struct jit_memory){};
	if (err)
		return err;
	err = parse_u64(text, ~0ULL, &m->limit);
	free(text);
	return err ?: read_used(m);
}
