/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by slow.bpf.c and its tests.
 */
#ifndef PROGS_SLOW_H
#define PROGS_SLOW_H

#define SLOW_PERIOD 10000
#define SLOW_AT 5000
/*
 * More than an interrupt takes: with its softirqs it has some 10,000 instructions on x86-64,
 * sometimes more than 20,000, and they are part of the invocation that is interrupted.
 */
#define SLOW_INSNS 300000

/*
 * xdp_outlier: the run that executes that many more, and the cost that percentiles must not be
 * affected by.
 */
#define OUTLIER_AT 1000
#define OUTLIER_INSNS 30000

#endif
