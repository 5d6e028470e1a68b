/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Measures the total time that a probe adds to a run. This time is longer than the bias, which
 * contains only the time between the probe's two readings.
 */
#ifndef BPROF_PROBE_COST_H
#define BPROF_PROBE_COST_H

#include "backend/counter.h"

struct calibration;
struct target;

/*
 * Measures *cost by test runs of the built-in empty program. This thread must be bound to the CPU.
 * empty is that program, with a probe attached that can thin out runs (BPROF_CONFIG_THIN). Returns
 * 0 or -errno.
 */
int probe_cost__measure(struct calibration *c, const struct target *empty, int cpu,
			struct probe_cost *cost);
/*
 * Sets *ns to the time of a run of a program (BPF_PROG_TYPE_SCHED_CLS) in test runs. This thread must be
 * bound to the CPU. Returns 0 or -errno.
 */
int probe_cost__time(int prog_fd, int cpu, __u32 *ns);

#endif
