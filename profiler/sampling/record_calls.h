/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Adds the names of the functions and maps that a program uses to its recording.
 */
#ifndef BPROF_RECORD_CALLS_H
#define BPROF_RECORD_CALLS_H

#include <linux/bpf.h>

#include "sampling/record.h"

struct kernel_names;
struct prog;

/*
 * Adds the names of the program's maps, and of the functions that its BPF code and its JITed code
 * call. addr: the memory addresses of the program's functions.
 */
void record_prog__name_calls(struct record_prog *rp, struct prog *p, const __u64 *addr,
			     struct kernel_names *names);

/*
 * Returns the name of the program's function that instruction i calls or passes as a callback.
 * Returns NULL if that is not certain.
 */
const char *record_prog__find_callee(const struct record_prog *p, const struct bpf_insn *insn,
				     __u32 i);

#endif
