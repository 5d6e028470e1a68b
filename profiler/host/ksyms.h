/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's functions from /proc/kallsyms, including BPF trampolines, but without BPF programs,
 * whose sizes are not in that file.
 */
#ifndef BPROF_KSYMS_H
#define BPROF_KSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

struct ksyms;

/*
 * Opens the symbols; path: "/proc/kallsyms". The functions below read as much of the file as they need, so
 * only one thread at a time may call them. Returns 0; -EPERM: the kernel hides addresses; or -errno. The
 * caller frees *out with ksyms__free().
 */
int ksyms__read(const char *path, struct ksyms **out);
void ksyms__free(struct ksyms *k); /* NULL is allowed */

struct ksym_place {
	const char *name; /* NULL: the address is in no known function */
	__u64 offset;	  /* offset of the address in the function */
	bool is_bpf;	  /* BPF trampoline or dispatcher, whose memory may soon have other code */
};

/*
 * Finds the function that contains the address. k may be NULL. A function ends where the next symbol
 * begins. If no symbol of the same module follows, and for BPF trampolines, only the first page is
 * known to belong to the function.
 */
struct ksym_place ksyms__find(struct ksyms *k, __u64 address);
/*
 * Returns the address of the first function with that name; functions of the kernel itself come before
 * those of modules. Returns 0 if there is no such function, after reading the whole file, or if k is NULL.
 */
__u64 ksyms__address(struct ksyms *k, const char *name);

/*
 * Sets *start and *end to the range of the first function with that name: from its symbol to the next
 * symbol. Returns false if there is no such function, or if k is NULL.
 */
bool ksyms__range(struct ksyms *k, const char *name, __u64 *start, __u64 *end);

#endif
