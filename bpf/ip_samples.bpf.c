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
 * A sample in the kernel that is in no range may be in a helper that a target calls. Then the
 * innermost frame that is in a range is the target's, and contains the call. Such a sample is
 * counted in a second cell of the call instruction (bprof_calls_first). It is also counted in a
 * hash map, by the frames between the target and the sampled instruction. If one of these frames is
 * where interrupts enter the kernel, or where soft interrupts are handled, the target did not call
 * that code but was interrupted.
 *
 * The programs always return 0, so that the kernel writes no sample of its own.
 */
#include <stdbool.h>
#include <stddef.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "ip_samples.h"

/* Constants that user space sets before loading. */
const volatile __u32 bprof_range_cnt;
/* the start of the first range, and the end of the last range */
const volatile __u64 bprof_low, bprof_high;
/* instructions begin at multiples of 1 << bprof_insn_shift */
const volatile __u32 bprof_insn_shift;
/* length of the code at the start of a function in which only a trampoline is called, in bytes */
const volatile __u32 bprof_entry_len;
/* index of the first cell for calls (same order as the other cells); 0: do not search for callers */
const volatile __u32 bprof_calls_first;
/* how many frames of callees are kept, at most BPROF_IP_CALLEES */
const volatile __u32 bprof_callee_depth;
/* the code where interrupts enter the kernel, and the code of soft interrupts; 0: not known */
const volatile __u64 bprof_irq_start, bprof_irq_end;
const volatile __u64 bprof_softirq_start, bprof_softirq_end;

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

/* A power of two, so that the verifier can see that an index is below STACK_SZ. */
#define STACK_SZ 32

struct bprof_ip_stack {
	__u64 ip[STACK_SZ];
	__u64 link;   /* a return address that may be missing in the frames; 0: none */
	__u32 target; /* index of the target's frame */
	bool interrupted;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, BPROF_IP_CALLEES_MAX);
	__uint(key_size, BPROF_IP_CALLEES_SZ(1)); /* set by user space for the depth */
	__uint(value_size, sizeof(struct bprof_ip_cell));
} bprof_callees SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct bprof_ip_stack);
} bprof_stacks SEC(".maps");

/*
 * Returns 1 + the index of an address's cell; 0 if the address is in no range; -1 if it is one of the
 * first "skip" bytes of a range. Not static: the verifier checks a global function only once, and not
 * again for each call.
 */
__noinline int bprof_find_cell(__u64 ip, __u32 skip)
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
		else if (ip - r->start < skip)
			return -1;
		else
			return r->first + ((ip - r->start) >> bprof_insn_shift) + 1;
	}
	return 0;
}

static __always_inline bool is_interrupt(__u64 ip)
{
	return (ip >= bprof_irq_start && ip < bprof_irq_end) ||
	       (ip >= bprof_softirq_start && ip < bprof_softirq_end);
}

/*
 * Returns the result of bprof_find_cell() for the innermost call instruction of a target, and sets
 * *stack. Returns -1 if this instruction calls a trampoline: the cost of probes on the target is not
 * a cost of the target. "link" is the register with the return address, on architectures that have
 * such a register. A function that has no frame (yet) is missing in the stack, and so is the call
 * of this function: only "link" shows that call.
 */
static __always_inline int find_call(const __u64 *ctx, __u64 ip, __u64 link,
				     struct bprof_ip_stack *stack)
{
	long sz; /* size of the frames in bytes, or an error */
	int cell;

	stack->link = 0;
	stack->ip[0] = ip;
	stack->target = 1;
	stack->interrupted = false;
	/*
	 * Pointer authentication may have signed the highest bits of "link". Restore these bits:
	 * they are the same in all ranges.
	 */
	if (link)
		link |= bprof_low & 0xffff000000000000;
	cell = bprof_find_cell(link - 1, bprof_entry_len);
	if (cell)
		return cell;
	sz = bpf_get_stack((void *)ctx, stack->ip, BPROF_IP_DEPTH * sizeof(__u64), 0);
	if (link != stack->ip[1])
		stack->link = link;
	/* The first address is the sampled address itself. */
	for (int i = 1; i < BPROF_IP_DEPTH && i * 8L < sz && !cell; i++) {
		__u64 at = stack->ip[i] - 1;

		cell = bprof_find_cell(at, bprof_entry_len);
		stack->target = i;
		stack->interrupted |= !cell && is_interrupt(at);
	}
	return cell;
}

static __always_inline void add_sample(struct bprof_ip_cell *cell, __u64 period)
{
	/* Atomic, because another CPU may count into the same cell. */
	__sync_fetch_and_add(&cell->samples, 1);
	__sync_fetch_and_add(&cell->weight, period);
}

static __always_inline void count_in_cell(__u32 index, __u64 period)
{
	struct bprof_ip_cell *cell = bpf_map_lookup_elem(&bprof_cells, &index);

	if (cell) /* always: each instruction has a cell */
		add_sample(cell, period);
}

/* Sets the frames in a key: see struct bprof_ip_callees. */
static __always_inline void set_frames(struct bprof_ip_callees *key,
				       const struct bprof_ip_stack *stack)
{
	__u32 left = stack->target, limit = bprof_callee_depth;
	__u64 link = stack->link;

	for (__u32 k = 0; k <= BPROF_IP_CALLEES; k++) {
		if (k >= limit || !left)
			return;
		if (left == 1 && link) {
			key->frame[k] = link - 1;
			key->link = k + 1;
			limit++;
			link = 0;
			continue;
		}
		left--;
		key->frame[k] = stack->ip[left % STACK_SZ] - !!left;
	}
}

/*
 * Counts a sample by the frames of the code that the target calls. Returns false if the map is
 * full.
 */
static __always_inline bool count_callees(const struct bprof_ip_stack *stack, __u32 cell,
					  __u64 period)
{
	const struct bprof_ip_cell first = {1, period};
	struct bprof_ip_callees key = {.cell = cell};
	struct bprof_ip_cell *found;

	set_frames(&key, stack);
	found = bpf_map_lookup_elem(&bprof_callees, &key);
	if (!found && !bpf_map_update_elem(&bprof_callees, &key, &first, BPF_NOEXIST))
		return true;
	if (!found) /* another CPU may have added the key first */
		found = bpf_map_lookup_elem(&bprof_callees, &key);
	if (found)
		add_sample(found, period);
	return found;
}

static __always_inline void count_call(struct bprof_ip_cpu *all, const __u64 *ctx, __u64 ip,
				       __u64 link, __u64 period)
{
	__u64 start = bpf_ktime_get_ns();
	struct bprof_ip_stack *stack;
	__u32 key = 0;
	int cell;

	stack = bpf_map_lookup_elem(&bprof_stacks, &key);
	if (!stack) /* never happens */
		return;
	cell = find_call(ctx, ip, link, stack);
	if (cell > 0 && stack->interrupted) {
		all->interrupting++;
		all->weight_interrupting += period;
	} else if (cell > 0) {
		all->in_calls++;
		all->weight_in_calls += period;
		count_in_cell(bprof_calls_first + cell - 1, period);
		if (bprof_callee_depth && !count_callees(stack, cell - 1, period))
			all->no_room++;
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
	all->period = period;
	cell = bprof_find_cell(ip, 0);
	if (cell) {
		all->in_targets++;
		all->weight_in_targets += period;
		count_in_cell(cell - 1, period);
	} else if (bprof_calls_first && (__s64)ip < 0) { /* not in user space */
		count_call(all, ctx, ip, link, period);
	}
	return 0;
}

/*
 * Defines the program for one architecture. The object file contains the programs for all
 * architectures; user space loads the program for its own architecture.
 *
 * The context, struct bpf_perf_event_data, consists of reg_cnt registers (UAPI asm/ptrace.h) and the
 * period. Register number ip_reg is the instruction pointer. link_reg is the number of the register
 * with the return address, or -1 if there is none.
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
