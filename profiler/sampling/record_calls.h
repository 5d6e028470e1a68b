/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Adds the names of what a program calls to its recording: functions and maps.
 */
#ifndef BPROF_RECORD_CALLS_H
#define BPROF_RECORD_CALLS_H

#include <linux/bpf.h>

#include "sampling/record.h"

struct kernel_names;
struct prog;

/*
 * Adds the names of the program's maps, and of what its BPF and machine code calls. addr: the memory
 * addresses of its functions.
 */
void record_prog__name_calls(struct record_prog *rp, struct prog *p, const __u64 *addr,
			     struct kernel_names *names);

/*
 * Returns the name of the function of the program that instruction i calls or passes as a callback;
 * NULL: it is not certain.
 */
const char *record_prog__find_callee(const struct record_prog *p, const struct bpf_insn *insn,
				     __u32 i);

#endif
