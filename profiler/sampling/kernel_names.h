/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The names of the kernel functions that programs call: helpers, functions of maps, kfuncs. Reads
 * the kernel's symbols and BTF when they are first needed.
 */
#ifndef BPROF_KERNEL_NAMES_H
#define BPROF_KERNEL_NAMES_H

#include <linux/bpf.h>

struct ip_calls;
struct kernel_names;

/* The caller frees the result with kernel_names__free(). */
struct kernel_names *kernel_names__new(void);
void kernel_names__free(struct kernel_names *n); /* NULL is allowed */

/*
 * Returns the name of the function that begins at the address; NULL: none does, or it is a BPF
 * program or trampoline, or the kernel hides addresses. n owns the name.
 */
const char *kernel_names__at(struct kernel_names *n, __u64 address);
/* Adds the name of a function of a BPF program, which n copies, for kernel_names__around(). */
void kernel_names__add_code(struct kernel_names *n, __u64 address, __u32 len, const char *name);
/*
 * Returns the name of the function, also of a program that was added, in which the address lies; NULL:
 * it is unknown. n owns the name.
 */
const char *kernel_names__around(struct kernel_names *n, __u64 address);
/*
 * Finds the code through which interrupts enter the kernel, but not exceptions such as page faults, and
 * that which handles soft interrupts. Sets what is unknown to 0.
 */
void kernel_names__find_interrupts(struct kernel_names *n, struct ip_calls *calls);
/*
 * Returns the name of the helper or kfunc that a translated instruction calls; NULL: it is not
 * certain. n owns the name.
 */
const char *kernel_names__called(struct kernel_names *n, const struct bpf_insn *call);
/*
 * Returns which parameter, from 1 on, is a map: of a helper, or of the function of a map that the
 * verifier put in its place; 0: none.
 */
int kernel_names__map_param(struct kernel_names *n, const char *func);

#endif
