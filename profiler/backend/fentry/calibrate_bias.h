/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Measures what a probe counts for an empty function.
 */
#ifndef BPROF_CALIBRATE_BIAS_H
#define BPROF_CALIBRATE_BIAS_H

#include <linux/types.h>

struct bias;
struct fentry;
struct target;

/*
 * Fills *bias by test runs of an open and attached target, which is a built-in program or a
 * function in one, on the CPU that this thread is bound to. Multiplexed events are disabled and
 * enabled on that CPU meanwhile. Returns 0; -ETIME: an event got no counter; or another -errno.
 */
int calibrate__measure(struct fentry *f, const struct target *t, int cpu, struct bias *bias);

/*
 * Runs an open and attached built-in target "runs" times on this CPU with the gate open. Returns 0
 * or -errno.
 */
int calibrate__run_target(struct fentry *f, const struct target *t, int cpu, int runs);

/*
 * Runs a built-in program "runs" times on this CPU, which this thread is bound to: by
 * BPF_PROG_TEST_RUN, or by a timer if it is of type perf_event. *mean_ns (may be NULL): time per
 * run, by the kernel's clock, rounded down; not set for every type. Returns 0 or -errno.
 */
int calibrate__run(int prog_fd, __u32 type, int cpu, int runs, __u32 *mean_ns);

#endif
