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
 * A sample in the kernel that is in no range may be in a helper that a target calls: the innermost
 * frame that is in a range has the call. Such samples are counted in cells of their own, at the call
 * instruction.
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
/* index of the first cell of calls, which are in the same order; 0: do not look for callers */
const volatile __u32 bprof_calls_first;

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

struct bprof_ip_stack {
	__u64 ip[BPROF_IP_DEPTH];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct bprof_ip_stack);
} bprof_stacks SEC(".maps");

/*
 * Returns the index of the cell of an address + 1, or 0 if it is in no range. Not static: the
 * verifier looks only once at a global function, however often it is called.
 */
__noinline int bprof_find_cell(__u64 ip)
{
	__u32 low = 0, high = bprof_range_cnt;

	if (ip < bprof_low || ip >= bprof_high)
		return 0;
	for (int i = 0; i < BPROF_IP_STEPS && low < high; i++) {
		__u32 middle = (low + high) / 2;
		struct bprof_ip_range *r = bpf_map_lookup_elem(&bprof_ranges, &middle);

		if (!r)
			return 0;
		if (ip < r->start)
			high = middle;
		else if (ip >= r->end)
			low = middle + 1;
		else
			return r->first + ((ip - r->start) >> bprof_insn_shift) + 1;
	}
	return 0;
}

/*
 * Returns what bprof_find_cell() returns for the innermost call instruction of a target. "link" is
 * the register with the return address on architectures that have one: a function that has no frame
 * (yet) is not among the frames, nor is the call of it.
 */
static __always_inline int find_call(const __u64 *ctx, __u64 link)
{
	struct bprof_ip_stack *stack;
	__u32 key = 0;
	long sz; /* of the frames in bytes, or an error */
	int cell;

	/* Pointer authentication may have signed its highest bits, which all ranges have in common. */
	link |= bprof_low & 0xffff000000000000;
	cell = bprof_find_cell(link - 1);
	stack = bpf_map_lookup_elem(&bprof_stacks, &key);
	if (cell || !stack)
		return cell;
	sz = bpf_get_stack((void *)ctx, stack, sizeof(*stack), 0);
	/* The first one is the sampled address itself. */
	for (int i = 1; i < BPROF_IP_DEPTH && i * 8L < sz && !cell; i++)
		cell = bprof_find_cell(stack->ip[i] - 1);
	return cell;
}

static __always_inline void count_in_cell(__u32 index, __u64 period)
{
	struct bprof_ip_cell *cell = bpf_map_lookup_elem(&bprof_cells, &index);

	if (!cell) /* never happens: each instruction has a cell */
		return;
	/* Atomic, as another CPU may count into the same cell. */
	__sync_fetch_and_add(&cell->samples, 1);
	__sync_fetch_and_add(&cell->weight, period);
}

static __always_inline void count_call(struct bprof_ip_cpu *all, const __u64 *ctx, __u64 link,
				       __u64 period)
{
	__u64 start = bpf_ktime_get_ns();
	int cell = find_call(ctx, link);

	if (cell) {
		all->in_calls++;
		all->weight_in_calls += period;
		count_in_cell(bprof_calls_first + cell - 1, period);
	}
	all->walk_ns += bpf_ktime_get_ns() - start;
}

static __always_inline int count(const __u64 *ctx, __u64 ip, __u64 link, __u64 period)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct bprof_ip_cpu *all = bpf_map_lookup_elem(&bprof_cpus, &cpu);
	int cell;

	if (!all) /* never happens: each possible CPU has an entry */
		return 0;
	all->samples++;
	all->weight += period;
	cell = bprof_find_cell(ip);
	if (cell) {
		all->in_targets++;
		all->weight_in_targets += period;
		count_in_cell(cell - 1, period);
	} else if (bprof_calls_first && (__s64)ip < 0) { /* not in user space */
		count_call(all, ctx, link, period);
	}
	return 0;
}

/*
 * Defines the program for one architecture. The object file contains the programs for all
 * architectures; user space loads the one for its own.
 *
 * The context, struct bpf_perf_event_data, consists of reg_cnt registers (UAPI asm/ptrace.h) and
 * the period. Register number ip_reg is the instruction pointer, and link_reg the one with the return
 * address, or -1.
 */
#define DEFINE_PROGRAM(arch, ip_reg, link_reg, reg_cnt)                                         \
	SEC("perf_event")                                                                       \
	int bprof_sample_##arch(const __u64 *ctx)                                               \
	{                                                                                       \
		return count(ctx, ctx[ip_reg], link_reg < 0 ? 0 : ctx[link_reg], ctx[reg_cnt]); \
	}

/* struct pt_regs has 21 registers; rip, number 16, follows orig_rax. */
DEFINE_PROGRAM(x86_64, 16, -1, 21)
/* struct user_pt_regs has x0 to x30, sp, pc (number 32) and pstate. */
DEFINE_PROGRAM(arm64, 32, 30, 34)
/* struct user_regs_struct has pc and 31 registers. */
DEFINE_PROGRAM(riscv64, 0, 1, 32)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
