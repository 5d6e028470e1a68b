// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Counts sampled instruction pointers that lie in the targets' JITed code. Runs when a perf event
 * overflows, in NMI or interrupt context. Most kernels drop a sample that is taken while a kprobe,
 * tracepoint or perf_event program runs on the CPU (bpf_overflow_handler(), bpf_prog_active).
 *
 * The target of an address is found by binary search in a sorted array. Each function of a program
 * has a range, so even a few targets have dozens of ranges. Most samples are in no range: the two
 * comparisons before the search filter them out. Counts are kept in an array with a cell for every
 * address at which an instruction can begin. Such an array needs no hashing and no allocation, and
 * it cannot fill up.
 *
 * The programs always return 0, so that the kernel writes no sample of its own.
 */
#include <stddef.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "ip_samples.h"

/* Constants that user space sets before loading. */
const volatile __u32 bprof_range_cnt;
/* the start of the first range, and the end of the last one */
const volatile __u64 bprof_low, bprof_high;
/* instructions begin at multiples of 1 << bprof_insn_shift */
const volatile __u32 bprof_insn_shift;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set by user space to bprof_range_cnt */
	__type(key, __u32);
	__type(value, struct bprof_ip_range);
} bprof_ranges SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* set by user space to the number of cells of all ranges */
	__type(key, __u32);
	__type(value, struct bprof_ip_cell);
} bprof_cells SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* set by user space to the highest CPU id + 1 */
	__type(key, __u32);
	__type(value, struct bprof_ip_cpu);
} bprof_cpus SEC(".maps");

static __always_inline struct bprof_ip_range *find_range(__u64 ip)
{
	__u32 low = 0, high = bprof_range_cnt;

	if (ip < bprof_low || ip >= bprof_high)
		return NULL;
	for (int i = 0; i < BPROF_IP_STEPS && low < high; i++) {
		__u32 middle = (low + high) / 2;
		struct bprof_ip_range *r = bpf_map_lookup_elem(&bprof_ranges, &middle);

		if (!r)
			return NULL;
		if (ip < r->start)
			high = middle;
		else if (ip >= r->end)
			low = middle + 1;
		else
			return r;
	}
	return NULL;
}

static __always_inline int count(__u64 ip, __u64 period)
{
	__u32 cpu = bpf_get_smp_processor_id(), index;
	struct bprof_ip_cpu *all = bpf_map_lookup_elem(&bprof_cpus, &cpu);
	struct bprof_ip_range *range;
	struct bprof_ip_cell *cell;

	if (!all) /* never happens: each possible CPU has an entry */
		return 0;
	all->samples++;
	all->weight += period;
	range = find_range(ip);
	if (!range)
		return 0;
	index = range->first + ((ip - range->start) >> bprof_insn_shift);
	cell = bpf_map_lookup_elem(&bprof_cells, &index);
	if (!cell) /* never happens: each instruction has a cell */
		return 0;
	all->in_targets++;
	all->weight_in_targets += period;
	/* Atomic, as another CPU may count into the same cell. */
	__sync_fetch_and_add(&cell->samples, 1);
	__sync_fetch_and_add(&cell->weight, period);
	return 0;
}

/*
 * Defines the program for one architecture. The object file contains the programs for all
 * architectures; user space loads the one for its own.
 *
 * The context, struct bpf_perf_event_data, consists of reg_cnt registers (UAPI asm/ptrace.h) and
 * the period. Register number ip_reg is the instruction pointer.
 */
#define DEFINE_PROGRAM(arch, ip_reg, reg_cnt)            \
	SEC("perf_event")                                \
	int bprof_sample_##arch(const __u64 *ctx)        \
	{                                                \
		return count(ctx[ip_reg], ctx[reg_cnt]); \
	}

/* struct pt_regs has 21 registers; rip, number 16, follows orig_rax. */
DEFINE_PROGRAM(x86_64, 16, 21)
/* struct user_pt_regs has x0 to x30, sp, pc (number 32) and pstate. */
DEFINE_PROGRAM(arm64, 32, 34)
/* struct user_regs_struct has pc and 31 registers. */
DEFINE_PROGRAM(riscv64, 0, 32)
/* user_pt_regs has orig_gpr2, the PSW's mask and address (number 2), and 16 registers. */
DEFINE_PROGRAM(s390x, 2, 19)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
