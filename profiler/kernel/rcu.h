/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Waits for BPF programs that are running. */
#ifndef BPROF_RCU_H
#define BPROF_RCU_H

/*
 * Returns when all BPF programs that cannot sleep and that are running now, on any CPU, have ended.
 * Takes some tens of milliseconds. Returns 0 or -errno.
 */
int rcu__synchronize(void);

#endif
