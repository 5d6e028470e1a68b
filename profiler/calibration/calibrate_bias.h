/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Measures what a probe counts for an empty function.
 */
#ifndef BPROF_CALIBRATE_BIAS_H
#define BPROF_CALIBRATE_BIAS_H

#include <linux/types.h>

struct bias;
struct calibration;
struct target;

/*
 * Fills *bias by test runs of an open and attached target, which is a built-in program or a
 * function in one. This thread must be bound to the CPU. During the measurement, multiplexed events
 * are disabled and enabled on that CPU. Returns 0, -ETIME if an event got no counter, or another
 * -errno.
 */
int calibrate__measure(struct calibration *c, const struct target *t, int cpu, struct bias *bias);

/*
 * Runs an open and attached built-in target "runs" times on this CPU with the gate open. A timer runs
 * a program of type perf_event: this program may run a little more often, or less often if the kernel
 * throttles the timer. Returns 0 or -errno.
 */
int calibrate__run_target(struct calibration *c, const struct target *t, int cpu, int runs);

/*
 * Runs a built-in program "runs" times on this CPU by BPF_PROG_TEST_RUN. This thread must be bound to
 * the CPU. The program must not be of type perf_event, which has no test runs. mean_ns may be NULL.
 * If the kernel measures the time of test runs of this program type, sets *mean_ns to the mean time
 * of a run, rounded down. Returns 0 or -errno.
 */
int calibrate__run(int prog_fd, __u32 type, int cpu, int runs, __u32 *mean_ns);

#endif
