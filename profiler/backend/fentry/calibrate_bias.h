/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Measures what a probe counts for an empty function.
 */
#ifndef BPROF_CALIBRATE_BIAS_H
#define BPROF_CALIBRATE_BIAS_H

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
int calibrate__run(struct fentry *f, const struct target *t, int cpu, int runs);

#endif
