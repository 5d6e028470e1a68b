/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The result of sampling one event on all CPUs.
 */
#ifndef BPROF_RECORD_SAMPLES_H
#define BPROF_RECORD_SAMPLES_H

#include <stdio.h>
#include <linux/types.h>

/* How many samples were taken, and how many are missing for each reason. */
struct record_samples {
	__u64 taken;
	__u64 in_targets; /* samples in the code of the measured programs */
	__u64 in_calls;	  /* samples in the code that measured programs call */
	/* samples in interrupts during a measured program or the code that it calls */
	__u64 interrupting;
	/*
	 * The sums of the periods of all samples, of the samples in targets, of the samples in the
	 * code that targets call, and of the samples in interrupts. In units of the event.
	 */
	__u64 weight, weight_in_targets, weight_in_calls, weight_interrupting;
	/*
	 * a part of in_calls: bprof does not know in which called functions these samples were,
	 * because there were too many called functions
	 */
	__u64 no_room;
	/*
	 * How many samples are missing because the kernel suppressed them, or because they were too
	 * close together. Estimated from the mean period.
	 */
	__u64 lost;
	/* How often the kernel throttled the event. */
	__u64 throttled;
	/*
	 * How long the event was enabled, and how long a counter counted it, each summed over the
	 * CPUs.
	 */
	__u64 enabled_ns, running_ns;
	/* The CPU time that a sample takes, including its interrupt; NaN: not known */
	double cost_ns;
};

/*
 * Returns the number of samples that are neither in the measured programs, nor in what they call,
 * nor in interrupts of them.
 */
__u64 record_samples__outside(const struct record_samples *s);
/* Prints one line for each kind of loss that occurred. */
void record_samples__print_losses(const struct record_samples *s, FILE *out);
/*
 * Prints the CPU time that a sample takes, and which share of time_ns, a CPU time, all samples
 * took.
 */
void record_samples__print_cost(const struct record_samples *s, double time_ns, FILE *out);

#endif
