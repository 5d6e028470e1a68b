/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs that bprof itself causes: programs on system calls, such as a tracepoint of openat(2), also
 * run in the system calls that bprof makes while it measures. The probes of such programs leave
 * these runs out of the numbers, and count how many they are (bpf/probe_own.bpf.h).
 */
#ifndef BPROF_OWN_RUNS_H
#define BPROF_OWN_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include <linux/bpf.h>

#include "kernel/kernel_offsets.h"

/* What a probe needs to know to check whether a run is one of bprof's. */
struct own_runs {
	struct own_offsets at;
	__u32 tgid;	  /* bprof's process id in the initial pid namespace; 0: unknown */
	__u32 stack_bits; /* this many low bits of an address are the offset in a kernel stack */
};

/*
 * Finds out what the check needs. Returns 0, or -errno if this kernel cannot do the check, or
 * denies what the check needs.
 */
int own_runs__find(struct own_runs *own);
/*
 * Adds the check to a copy of a probe's instructions. Does nothing to an exit program, which has no
 * placeholder for the check.
 */
void own_runs__add_check(const struct own_runs *own, struct bpf_insn *insns, size_t cnt);

/*
 * Removes the check's instructions for targets that do not need the check, which saves 5 % of the
 * time to load a probe. Returns the new cnt.
 */
size_t own_runs__drop_check(struct bpf_insn *insns, size_t cnt);

#endif
