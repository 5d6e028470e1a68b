/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds in translated instructions the maps that a program passes to the functions that it calls,
 * and the code by which the verifier replaced calls. Also finds which parameter of a function is a
 * map.
 */
#ifndef BPROF_MAP_ARGS_H
#define BPROF_MAP_ARGS_H

#include <stdbool.h>
#include <linux/bpf.h>

struct btf;

/* The instructions of a program, with marks at the targets of jumps. */
struct insn_flow {
	const struct bpf_insn *insns;
	__u32 cnt;
	bool *is_target; /* for each instruction: true if it may be the target of a jump */
};

/* The caller frees *flow with insn_flow__free(). insns must outlive it. */
void insn_flow__find(struct insn_flow *flow, const struct bpf_insn *insns, __u32 cnt);
void insn_flow__free(struct insn_flow *flow);

/*
 * Returns the id of the map whose address is in register reg when instruction i runs, in a function
 * that begins at instruction first. Returns 0 unless the instructions before i load that address, in
 * a sequence without jumps.
 */
__u32 insn_flow__map_in(const struct insn_flow *flow, __u32 first, __u32 i, __u8 reg);

/*
 * Returns the name of the helper that the verifier replaced by code that contains instruction i. To
 * find each such code once, returns the name only for one i: the first instruction that only the
 * verifier can have written. Returns NULL for all other instructions. *map: the id of the helper's
 * map, or 0. first: see insn_flow__map_in().
 */
const char *insn_flow__inlined(const struct insn_flow *flow, __u32 first, __u32 i, __u32 *map);

/*
 * Returns the name of a helper that the JIT replaces by instructions. The call of such a helper in
 * translated instructions still has the helper's number. Returns NULL for other calls.
 */
const char *insn__inlined_helper(const struct bpf_insn *call);

/*
 * Returns which parameter of a function, from 1 on, is a map. func is a helper, or the function of a
 * map by which the verifier replaced a helper. Returns 0 if no parameter is a map, or if the kernel's
 * BTF does not have the function. Is slow: compares the name with all names of the BTF.
 */
int map_args__param(const struct btf *vmlinux, const char *func);

#endif
