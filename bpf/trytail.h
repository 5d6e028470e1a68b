/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What trytail.bpf.c and user space share.
 */
#ifndef BPROF_TRYTAIL_H
#define BPROF_TRYTAIL_H

/*
 * Rounds after which the program ends by itself. The kernel ends it after its first and
 * MAX_TAIL_CALL_CNT (32 or 33) more; the margin costs nothing.
 */
#define TRYTAIL_KERNEL_END 40
#define TRYTAIL_END 100

#endif
