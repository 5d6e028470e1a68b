/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs by bprof itself: programs on system calls, such as a tracepoint of openat(2), run also in those
 * that bprof makes while it measures. The probes of such programs leave these runs out, and count them
 * (bpf/probe_own.bpf.h).
 */
#ifndef BPROF_OWN_RUNS_H
#define BPROF_OWN_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include <linux/bpf.h>

#include "kernel/kernel_offsets.h"

/* What the check needs to know. */
struct own_runs {
	struct own_offsets at;
	__u32 tgid; /* this process's id, as the kernel numbers it in all namespaces; 0: unknown */
	__u32 stack_bits; /* an address without these bits is that of the stack */
};

/*
 * Finds out what the check needs. Returns 0, or -errno: this kernel cannot check it, or does not let us.
 */
int own_runs__find(struct own_runs *own);
/* Adds the check to a copy of a probe's instructions. An exit program has no place for it. */
void own_runs__add_check(const struct own_runs *own, struct bpf_insn *insns, size_t cnt);

/* Removes the check's instructions, for targets that need none: 5 % of what loading a probe takes. Returns the new cnt. */
size_t own_runs__drop_check(struct bpf_insn *insns, size_t cnt);

#endif
