/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Whether bprof's own programs are machine code. Each program that bprof attaches to something that may
 * run at once, on any CPU, is checked after it is loaded: some kernels crash in an interpreted program
 * (KERNEL_BUG_INTERPRETER), and its cost is not the one that was calibrated. bprof's iterators are not
 * checked: they run only when bprof reads from them, and call no helper that a JIT replaces.
 */
#ifndef BPROF_JITED_H
#define BPROF_JITED_H

#include "btf/reason.h"

struct bpf_object;

/*
 * Returns 0, or -errno with *reason: -KERNEL_ENOTSUPP and REASON_NOT_COMPILED (REASON_NOT_JITED if
 * the kernel has no JIT) if the kernel would interpret the program. A kernel without an interpreter
 * answers the same when it is loaded.
 */
int jited__check(int prog_fd, struct reason *reason);
/* The same for all programs of a loaded object. */
int jited__check_object(const struct bpf_object *obj, struct reason *reason);
/*
 * Corrects the reason why one of bprof's own programs cannot be probed: if it is interpreted, it is
 * because the kernel compiles no programs at present. A kernel without a JIT keeps its reason.
 */
void jited__correct(struct reason *reason);
#endif
