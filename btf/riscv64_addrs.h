/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counts the instructions with which riscv64 code loads an address.
 */
#ifndef BPROF_RISCV64_ADDRS_H
#define BPROF_RISCV64_ADDRS_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <linux/types.h>

/* True if bprof was built for riscv64. */
#ifdef __riscv
#define RISCV64_HERE true
#else
#define RISCV64_HERE false
#endif

/* Returns the number of instructions with which JITed code loads this number: 1 to 8. */
int riscv64__load_insns(__u64 value);
/*
 * Returns true if a program's translated instructions load the address of a map, of a map's value, or
 * of a kernel variable. The number of instructions for this load depends on where the kernel put the
 * map or the variable.
 */
bool riscv64__loads_address(const struct bpf_insn *insns, __u32 cnt);

#endif
