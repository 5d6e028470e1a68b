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
#define KEY_NAME_SZ 16 /* of a task, TASK_COMM_LEN */

/*
 * Returns the first part with the same name of a task as "part". comm: the names of the parts; the name of part 0 is
 * not used. Before Linux 5.17, two keys may stand for the same name: a key includes the bytes after the end of the
 * name, which may come from a longer name that the task had before.
 */
int key_read__first_of_name(const char (*comm)[KEY_NAME_SZ], int part);

/*
 * Writes the instructions into the BPROF_KEY_INSNS placeholders. KEY_FROM_NOTHING: all runs have
 * the same key. same: all runs get the same key, but the probe still reads the key of each run
 * first.
 */
void key_read__make(const struct key_read *k, enum key_source from, bool same,
		    struct bpf_insn *insns);

#endif
