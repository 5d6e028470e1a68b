/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The result of sampling one event on all CPUs.
 */
#ifndef BPROF_RECORD_SAMPLES_H
#define BPROF_RECORD_SAMPLES_H

#include <stdio.h>
#include <linux/types.h>

/* Counts of samples taken and missed. */
struct record_samples {
	__u64 taken;
	__u64 in_targets; /* those in the programs' code */
	__u64 weight, weight_in_targets;
	/*
	 * Samples that were due but not taken, estimated in mean periods: the kernel suppressed
	 * them, or they came too close together.
	 */
	__u64 lost;
	/* How often the kernel paused the event because samples came too fast. */
	__u64 throttled;
	/* Time that the event was enabled, and on a counter, summed over the CPUs. */
	__u64 enabled_ns, running_ns;
	double cost_ns; /* per sample, including its interrupt; NaN: not known */
};

/* Prints a line for each kind of loss that occurred. */
void record_samples__print_losses(const struct record_samples *s, FILE *out);
/* Prints the cost of a sample, and the share of time_ns (CPU time) that all samples took. */
void record_samples__print_cost(const struct record_samples *s, double time_ns, FILE *out);

#endif
