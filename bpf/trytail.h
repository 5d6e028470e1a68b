/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Constants that trytail.bpf.c and user space share.
 */
#ifndef BPROF_TRYTAIL_H
#define BPROF_TRYTAIL_H

/*
 * The program stops by itself after TRYTAIL_END rounds (runs of itself). The kernel stops it after
 * the first round and MAX_TAIL_CALL_CNT (32 or 33) more rounds; TRYTAIL_KERNEL_END is a little
 * higher than that.
 */
#define TRYTAIL_KERNEL_END 40
#define TRYTAIL_END 100

#endif
