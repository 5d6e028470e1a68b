/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds maps that a program passes to what it calls, and the code that the verifier put in the place
 * of calls, in translated instructions; and which parameter is a map.
 */
#ifndef BPROF_MAP_ARGS_H
#define BPROF_MAP_ARGS_H

#include <stdbool.h>
#include <linux/bpf.h>

struct btf;

/* The instructions of a program, with those at which jumps arrive. */
struct insn_flow {
	const struct bpf_insn *insns;
	__u32 cnt;
	bool *is_target; /* for each instruction: a jump may arrive there */
};

/* The caller frees *flow with insn_flow__free(). insns must outlive it. */
void insn_flow__find(struct insn_flow *flow, const struct bpf_insn *insns, __u32 cnt);
void insn_flow__free(struct insn_flow *flow);

/*
 * Returns the id of the map whose address is in register reg when instruction i runs, in a function
 * that begins at instruction first. Returns 0 unless the instructions before i, in one straight line,
 * load that address.
 */
__u32 insn_flow__map_in(const struct insn_flow *flow, __u32 first, __u32 i, __u8 reg);

/*
 * Returns the name of the helper that the verifier replaced by code in which instruction i is the
 * first that only the verifier can have written; NULL: there is none. *map: the id of its map, or 0.
 * first: see insn_flow__map_in().
 */
const char *insn_flow__inlined(const struct insn_flow *flow, __u32 first, __u32 i, __u32 *map);

/*
 * Returns the name of the helper whose number a call in translated instructions still has, because the
 * JIT makes instructions of the call; NULL: it has none.
 */
const char *insn__inlined_helper(const struct bpf_insn *call);

/*
 * Returns which parameter, from 1 on, is a map: of a helper, or of the function of a map that the
 * verifier put in its place; 0: none, or the kernel's BTF does not have the function. Compares the name
 * with all names of the BTF.
 */
int map_args__param(const struct btf *vmlinux, const char *func);

#endif
