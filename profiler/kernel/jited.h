/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks that bprof's own programs are machine code. bprof checks each program after loading it, if it
 * will attach the program to something that may run immediately, on any CPU. The reason is that some
 * kernels crash in an interpreted program (KERNEL_BUG_INTERPRETER), and that an interpreted program
 * does not have the calibrated cost. bprof's iterators are not checked: they run only when bprof reads
 * from them, and call no helper that a JIT replaces.
 */
#ifndef BPROF_JITED_H
#define BPROF_JITED_H

#include "btf/reason.h"

struct bpf_object;

/*
 * Returns 0, or -errno with *reason. If the kernel would interpret the program, the error is
 * -KERNEL_ENOTSUPP, and the reason is REASON_NOT_COMPILED or, if the kernel has no JIT,
 * REASON_NOT_JITED. A kernel without an interpreter returns the same error when the program is
 * loaded.
 */
int jited__check(int prog_fd, struct reason *reason);
/* Like jited__check(), for all programs of a loaded object. */
int jited__check_object(const struct bpf_object *obj, struct reason *reason);
/*
 * Call it if one of bprof's own programs cannot be probed. If the kernel has a JIT, but did not use
 * it, changes REASON_NOT_JITED to REASON_NOT_COMPILED.
 */
void jited__correct(struct reason *reason);
#endif
