/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a probe shows for an empty function.
 */
#ifndef BPROF_CALIBRATE_BIAS_H
#define BPROF_CALIBRATE_BIAS_H

struct bias;
struct fentry;
struct target;

/*
 * Fills bias->value and bias->stddev, by test runs of an open and attached target that is a
 * built-in program, or in one, on the CPU that this thread is bound to. Multiplexed events are disabled and enabled there meanwhile. 0 or -errno, -ETIME:
 * some event found no counter.
 */
int calibrate__measure(struct fentry *f, const struct target *t, int cpu, struct bias *bias);

/* Runs a built-in target, open and attached, so often on this CPU with the gate open. 0 or -errno. */
int calibrate__run(struct fentry *f, const struct target *t, int cpu, int runs);

#endif
