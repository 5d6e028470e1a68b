/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What in_softirq.bpf.c counts. */
#ifndef PROGS_IN_SOFTIRQ_H
#define PROGS_IN_SOFTIRQ_H

#include <linux/types.h>

struct in_softirq_seen {
	__u64 softirqs, ticks;
};

#endif
