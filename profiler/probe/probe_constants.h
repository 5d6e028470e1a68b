/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writes constants into the probe's instructions: its config, and the offsets at which it loads
 * members of struct task_struct. Only the running kernel's BTF has these offsets. CO-RE relocations
 * would do the same, but libbpf would then take 80 ms to load the probe.
 */
#ifndef BPROF_PROBE_CONSTANTS_H
#define BPROF_PROBE_CONSTANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/bpf.h>

#include "base/hist.h"
#include "bpf/probe.h"
#include "kernel/kernel_offsets.h"

/* The offsets are in bytes. */
struct probe_constants {
	__u64 config; /* BPROF_CONFIG_... */
	__u32 migration_disabled;
	__u32 rcu_read_lock_nesting;
	__u32 retval; /* offset of the return value in the exit probe's ctx */
	struct fsession_kfuncs kfuncs;
	/*
	 * For a map of counts with one element (BPROF_DIRECT): its descriptor, the number of its
	 * CPUs, and the bytes for each CPU.
	 */
	int stats_fd;
	__u32 cpus, stat_sz;
	int hist_shift; /* how coarse the distributions are: hist__words_sz() */
};

/* Returns true for the placeholder of the instruction that loads the return value. */
static inline bool probe_constants__is_retval(const struct bpf_insn *insn)
{
	return insn->code == (BPF_LDX | BPF_MEM | BPF_DW) && insn->off == BPROF_RETVAL_OFFSET;
}

/* Returns true for the placeholder of the instruction that loads the target's number. */
static inline bool probe_constants__is_caller(const struct bpf_insn *insn)
{
	return insn->code == (BPF_ALU64 | BPF_MOV | BPF_K) && insn->imm == BPROF_CALLER_PLACEHOLDER;
}

/*
 * Returns true for the placeholder of the instruction that loads the map that is passed to a call.
 */
static inline bool probe_constants__is_map(const struct bpf_insn *insn)
{
	return insn->code == (BPF_LDX | BPF_MEM | BPF_DW) && insn->off == BPROF_MAP_OFFSET;
}

/* Turns the call of a placeholder into the call of a kfunc. */
static inline void probe_constants__set_kfunc(struct bpf_insn *insn, __s32 placeholder, __u32 id)
{
	if (insn->code == (BPF_JMP | BPF_CALL) && !insn->src_reg && insn->imm == placeholder) {
		insn->src_reg = BPF_PSEUDO_KFUNC_CALL;
		insn->imm = id;
	}
}

/* Fills in the instructions that find a bucket (find_word() in bpf/probe_core.bpf.h). */
static inline void probe_constants__set_hist(const struct probe_constants *c, struct bpf_insn *insn)
{
	__u32 skipped = (__u32)insn->imm - BPROF_HIST_SKIP_PLACEHOLDER(0);

	if (insn->code == (BPF_ALU64 | BPF_RSH | BPF_K) &&
	    insn->imm == BPROF_HIST_SHIFT_PLACEHOLDER) {
		insn->imm = c->hist_shift;
		if (!c->hist_shift) /* a jump to the next instruction, which the verifier removes */
			*insn = (struct bpf_insn){.code = BPF_JMP | BPF_JA};
	}
	if (insn->code != (BPF_ALU64 | BPF_ADD | BPF_K) || skipped > BPROF_HIST_SKIP_ALL)
		return;
	if (skipped == BPROF_HIST_SKIP_ALL)
		skipped = BPROF_CONFIG_EVENTS(c->config);
	insn->imm = skipped * hist__words_sz(c->hist_shift);
}

/* Replaces the placeholders in the probe's instructions by the constants. */
static inline void probe_constants__set(const struct probe_constants *c, struct bpf_insn *insns,
					size_t cnt)
{
	for (size_t i = 0; i < cnt; i++) {
		if (insns[i].code == (BPF_ALU64 | BPF_MOV | BPF_K) &&
		    insns[i].imm == BPROF_CONFIG_PLACEHOLDER)
			insns[i].imm = c->config;
		if (insns[i].code == (BPF_ALU64 | BPF_MOV | BPF_K) &&
		    insns[i].imm == BPROF_CPUS_PLACEHOLDER)
			insns[i].imm = c->cpus;
		if (insns[i].code == (BPF_ALU64 | BPF_MUL | BPF_K) &&
		    insns[i].imm == BPROF_STAT_SZ_PLACEHOLDER)
			insns[i].imm = c->stat_sz;
		if (insns[i].code == (BPF_LDX | BPF_MEM | BPF_H) &&
		    insns[i].off == BPROF_MIGRATION_OFFSET)
			insns[i].off = c->migration_disabled;
		if (insns[i].code == (BPF_LDX | BPF_MEM | BPF_W) &&
		    insns[i].off == BPROF_RCU_OFFSET)
			insns[i].off = c->rcu_read_lock_nesting;
		if (probe_constants__is_retval(&insns[i]))
			insns[i].off = c->retval;
		if (probe_constants__is_map(&insns[i]))
			insns[i].off = 0; /* any offset: this program is never attached */
		probe_constants__set_hist(c, &insns[i]);
		probe_constants__set_kfunc(&insns[i], BPROF_FSESSION_IS_RETURN,
					   c->kfuncs.is_return);
		probe_constants__set_kfunc(&insns[i], BPROF_FSESSION_COOKIE, c->kfuncs.cookie);
		if (insns[i].code == (BPF_LD | BPF_IMM | BPF_DW) &&
		    insns[i].imm == (__s32)BPROF_STATS_PLACEHOLDER) {
			insns[i].src_reg = BPF_PSEUDO_MAP_VALUE;
			insns[i].imm = c->stats_fd;
			insns[i + 1].imm = BPROF_DIRECT;
		}
	}
}

#endif
