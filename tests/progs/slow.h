/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What slow.bpf.c and its tests share.
 */
#ifndef PROGS_SLOW_H
#define PROGS_SLOW_H

#define SLOW_PERIOD 10000
#define SLOW_AT 5000
/*
 * So many more than an interrupt has: with its softirqs one takes some 10,000 instructions on x86-64, now and then
 * more than 20,000, and it is part of the invocation that it meets.
 */
#define SLOW_INSNS 300000

/* xdp_outlier: the one run that takes so many more, and the cost that no percentile may be off. */
#define OUTLIER_AT 1000
#define OUTLIER_INSNS 30000

#endif
