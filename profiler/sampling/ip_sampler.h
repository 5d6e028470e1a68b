/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Loads the BPF program that counts sampled instruction pointers in given ranges of addresses, and
 * reads its counts.
 */
#ifndef BPROF_IP_SAMPLER_H
#define BPROF_IP_SAMPLER_H

#include <stdbool.h>

#include "bpf/ip_samples.h"

struct ip_sampler;
struct reason;

/* The address ranges of the targets' code. */
struct ip_ranges {
	struct bprof_ip_range *v; /* address ranges, in any order */
	int cnt;
	__u32 cell_cnt;
};

/* Returns n such that instructions begin at multiples of 1 << n on this architecture. */
unsigned int ip_sampler__shift(void);

/*
 * Appends a range of len bytes, and assigns to it one cell (a counter) for each possible
 * instruction. Returns 0, or -E2BIG if there are too many ranges or cells.
 */
int ip_ranges__add(struct ip_ranges *ranges, __u64 addr, __u32 len);
void ip_ranges__free(struct ip_ranges *ranges);

/* Whether and how the sampler counts samples in functions that the code in the ranges calls. */
struct ip_calls {
	bool find; /* count these samples at the call */
	/* also count them by chains of at most this many called functions: 0 to BPROF_IP_CALLEES */
	int depth;
	/*
	 * The code through which interrupts enter the kernel, and the code that handles soft
	 * interrupts; 0: not known.
	 */
	__u64 irq_start, irq_end, softirq_start, softirq_end;
};

/*
 * Loads the program that counts samples in the ranges. cpu_limit is the highest possible CPU id +
 * 1. Returns 0 or -errno with *reason. The caller closes *out. Perf events to which the program is
 * attached keep the program loaded.
 */
int ip_sampler__open(const struct ip_ranges *ranges, int cpu_limit, const struct ip_calls *calls,
		     struct ip_sampler **out, struct reason *reason);
void ip_sampler__close(struct ip_sampler *s); /* s may be NULL */
int ip_sampler__prog_fd(const struct ip_sampler *s);

/* These return the counts of a cell or a CPU. The counts change while events are enabled. */
const struct bprof_ip_cell *ip_sampler__cell(const struct ip_sampler *s, __u32 cell);
/* Returns the cell for samples in what the instruction calls; NULL: they are not counted. */
const struct bprof_ip_cell *ip_sampler__call_cell(const struct ip_sampler *s, __u32 cell);
const struct bprof_ip_cpu *ip_sampler__cpu(const struct ip_sampler *s, int cpu);
/* Returns how many frames of callees the sampler keeps for each sample. */
int ip_sampler__depth(const struct ip_sampler *s);
/*
 * Calls fn for each key of the BPF map bprof_callees, in any order. While events are enabled, it
 * may miss keys. Returns 0 or -errno.
 */
int ip_sampler__for_each_callees(const struct ip_sampler *s,
				 void (*fn)(const struct bprof_ip_callees *key,
					    const struct bprof_ip_cell *count, void *arg),
				 void *arg);
/* Sets all counts to zero. Call it only while no event is enabled. */
void ip_sampler__clear(struct ip_sampler *s);

#endif
