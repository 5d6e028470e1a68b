/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's symbols, BPF programs and trampolines among them, as /proc/kallsyms has them.
 */
#ifndef BPROF_KSYMS_H
#define BPROF_KSYMS_H

#include <stddef.h>
#include <linux/types.h>

struct ksyms;

/*
 * Reads them: "/proc/kallsyms" is the path. 0, -errno, or -EPERM: the kernel hides addresses. The
 * caller frees *out.
 */
int ksyms__read(const char *path, struct ksyms **out);
void ksyms__free(struct ksyms *k); /* NULL is fine */

/*
 * "name+0x1c", or the address where no symbol is before it. k may be NULL. Returns buf, of sz bytes.
 */
const char *ksyms__format(const struct ksyms *k, __u64 address, char *buf, size_t sz);

#endif
