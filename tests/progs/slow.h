/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Definitions shared by slow.bpf.c and its tests.
 */
#ifndef PROGS_SLOW_H
#define PROGS_SLOW_H

#define SLOW_PERIOD 10000
#define SLOW_AT 5000
/*
 * This is more than an interrupt takes. On x86-64 an interrupt with its softirqs takes some 10,000
 * instructions, sometimes more than 20,000, which are counted for the interrupted invocation.
 */
#define SLOW_INSNS 300000

/*
 * Run OUTLIER_AT of xdp_outlier executes OUTLIER_INSNS more instructions than all other runs. This
 * must not affect the percentiles up to the 99th.
 */
#define OUTLIER_AT 1000
#define OUTLIER_INSNS 30000

#endif
