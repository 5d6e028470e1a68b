/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's symbols from /proc/kallsyms, including BPF programs and trampolines.
 */
#ifndef BPROF_KSYMS_H
#define BPROF_KSYMS_H

#include <stddef.h>
#include <linux/types.h>

struct ksyms;

/*
 * Reads the symbols; path: "/proc/kallsyms". Returns 0; -EPERM: the kernel hides addresses; or
 * -errno. The caller frees *out with ksyms__free().
 */
int ksyms__read(const char *path, struct ksyms **out);
void ksyms__free(struct ksyms *k); /* NULL is allowed */

/*
 * Formats an address as "name+0x1c", or as a number if there is no symbol at or below it. k may be
 * NULL. Returns buf, of sz bytes.
 */
const char *ksyms__format(const struct ksyms *k, __u64 address, char *buf, size_t sz);

#endif
