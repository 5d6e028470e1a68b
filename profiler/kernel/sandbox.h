/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Limits the system calls of this process.
 */
#ifndef BPROF_SANDBOX_H
#define BPROF_SANDBOX_H

#include "kernel/privileges.h"

/*
 * Installs a seccomp filter, which cannot be removed: system calls that the mode does not need fail
 * with ENOSYS, and sandbox__report() names them. execve() is one of them. If the kernel refuses the
 * filter, only logs a warning. Returns 0 or -ENOMEM (reported).
 */
int __must_check sandbox__enter(enum privileges mode);

/* Warns of a system call that was refused since the last call of this function. */
void sandbox__report(void);

#endif
