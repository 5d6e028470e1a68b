/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The instructions by which a probe reads the key of a run (bpf/probe_key.bpf.h, read_key()).
 *
 * They start at the current task or at the first argument of the target, and follow pointers of the
 * kernel whose types the verifier knows. For a probe, the first argument is not a struct xdp_md or
 * __sk_buff, but the kernel's struct xdp_buff or sk_buff. So each step is one load and needs no
 * helper. A load that faults reads 0.
 */
#ifndef BPROF_KEY_READ_H
#define BPROF_KEY_READ_H

#include <stdbool.h>
#include <linux/bpf.h>

#include "btf/run_key.h"
#include "kernel/kernel_offsets.h"

struct key_read {
	enum run_key by;
	struct key_offsets at;
	/*
	 * for keys that are names: the factor of a name's second half; random, so that nobody can
	 * choose names with equal keys
	 */
	__u64 multiplier;
};

/*
 * Sets *k from the running kernel's BTF. Returns 0, or -errno with *reason.
 */
int key_read__find(enum run_key by, struct key_read *k, struct reason *reason);
/* Returns true if insn is the first of the placeholders. */
bool key_read__begins(const struct bpf_insn *insn);
/* Returns true if insn is the placeholder that says whether the probe needs the names of tasks. */
bool key_read__is_names(const struct bpf_insn *insn);
bool key_read__needs_names(const struct key_read *k);

/*
 * Returns the part in whose row the runs of "part" are to be counted: a part with the same key, or
 * with by_name the same name, that already has a row, or else "part". row: the results so far, or 0,
 * indexed by part. Before Linux 5.17, several keys may stand for the same name: a key includes the
 * bytes after the end of the name, which may come from a longer name that the task had before. Rarely,
 * two CPUs give two parts to one key at the same time. A part that is closed (BPROF_KEY_CLOSED) shares no
 * row that it did not share before: only the parts that were chosen with it end.
 */
int key_read__find_row(const struct bprof_keys *k, bool by_name, const __u8 *row, int part);

/*
 * Writes the instructions into the BPROF_KEY_INSNS placeholders. KEY_FROM_NOTHING: all runs have
 * the same key. same: all runs get the same key, but the probe still reads the key of each run
 * first.
 */
void key_read__make(const struct key_read *k, enum key_source from, bool same,
		    struct bpf_insn *insns);

#endif
