/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The names of the kernel functions that programs call: helpers, functions of maps, kfuncs. The
 * kernel's symbols and BTF are read when they are first needed.
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
 * Returns the name of the function that begins at the address. Returns NULL if no function begins
 * there, if it is a BPF program or a trampoline, or if the kernel hides addresses. n owns the name.
 */
const char *kernel_names__at(struct kernel_names *n, __u64 address);
/* Adds a function of a BPF program, for kernel_names__around(). n copies its name. */
void kernel_names__add_code(struct kernel_names *n, __u64 address, __u32 len, const char *name);
/*
 * Returns the name of the function in which the address lies: a kernel function, or one of a
 * program that was added. NULL: not known. n owns the name.
 */
const char *kernel_names__around(struct kernel_names *n, __u64 address);
/*
 * Finds the code through which interrupts (but not exceptions such as page faults) enter the
 * kernel, and the code that handles soft interrupts. Sets unknown addresses to 0.
 */
void kernel_names__find_interrupts(struct kernel_names *n, struct ip_calls *calls);
/*
 * Returns the name of the helper or kfunc that a translated instruction calls. Returns NULL if that
 * is not certain. n owns the name.
 */
const char *kernel_names__called(struct kernel_names *n, const struct bpf_insn *call);
/*
 * Returns which parameter of the function is a map, counted from 1; 0: none. The function is a
 * helper, or the map's function that the verifier put in the place of a helper.
 */
int kernel_names__map_param(struct kernel_names *n, const char *func);

#endif
