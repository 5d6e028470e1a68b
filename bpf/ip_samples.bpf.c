// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Counts sampled instruction pointers that lie in the targets' JITed code. Runs on the overflow of
 * a perf event, in NMI or interrupt context, but not while a kprobe, tracepoint or perf_event
 * program runs on the CPU: most kernels drop the sample then (bpf_overflow_handler(),
 * bpf_prog_active).
 *
 * The target of an address is found by binary search in a sorted array. Each function of a program
 * has a range, so even a few targets have dozens. Most samples are in no range; the two comparisons
 * before the search filter them out. Counts are kept in an array with a cell for every address at
 * which an instruction can begin: no hashing, no allocation, and it cannot fill up.
 *
 * Always returns 0: the kernel then writes no sample of its own.
 */
#include <stddef.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "ip_samples.h"

/* Set before loading. */
const volatile __u32 bprof_range_cnt;
const volatile __u64 bprof_low, bprof_high; /* of all ranges */
const volatile __u32 bprof_insn_shift;	    /* instructions begin at multiples of 1 << this */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* user space: bprof_range_cnt */
	__type(key, __u32);
	__type(value, struct bprof_ip_range);
} bprof_ranges SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* user space: the cells of all ranges */
	__type(key, __u32);
	__type(value, struct bprof_ip_cell);
} bprof_cells SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* user space: highest CPU id + 1 */
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

	if (!all) /* never: there is an entry for each possible CPU */
		return 0;
	all->samples++;
	all->weight += period;
	range = find_range(ip);
	if (!range)
		return 0;
	index = range->first + ((ip - range->start) >> bprof_insn_shift);
	cell = bpf_map_lookup_elem(&bprof_cells, &index);
	if (!cell) /* never: there is a cell for each instruction */
		return 0;
	all->in_targets++;
	all->weight_in_targets += period;
	/* Another CPU may count to the same cell. */
	__sync_fetch_and_add(&cell->samples, 1);
	__sync_fetch_and_add(&cell->weight, period);
	return 0;
}

/*
 * The context, struct bpf_perf_event_data, is the registers (UAPI asm/ptrace.h) followed by the
 * period. There is one program per architecture, and user space loads that of its own: so the
 * object file is the same for all of them.
 */
#define DEFINE_PROGRAM(arch, ip_reg, reg_cnt)            \
	SEC("perf_event")                                \
	int bprof_sample_##arch(const __u64 *ctx)        \
	{                                                \
		return count(ctx[ip_reg], ctx[reg_cnt]); \
	}

/* struct pt_regs: rip is behind orig_rax */
DEFINE_PROGRAM(x86_64, 16, 21)
/* struct user_pt_regs: x0 to x30, sp, pc, pstate */
DEFINE_PROGRAM(arm64, 32, 34)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
