/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What slow.bpf.c and its tests share.
 */
#ifndef PROGS_SLOW_H
#define PROGS_SLOW_H

#define SLOW_PERIOD 10000
#define SLOW_AT 5000
#define SLOW_INSNS 30000

#endif
