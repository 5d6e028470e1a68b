/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The result of sampling one event on all CPUs.
 */
#ifndef BPROF_RECORD_SAMPLES_H
#define BPROF_RECORD_SAMPLES_H

#include <stdio.h>
#include <linux/types.h>

/* How many samples were taken, and how many are missing for which reason. */
struct record_samples {
	__u64 taken;
	__u64 in_targets; /* samples in the code of the measured programs */
	__u64 in_calls;	  /* samples in the code that the measured programs call */
	/* samples in interrupts that came while a measured program, or what it calls, was running */
	__u64 interrupting;
	/*
	 * The sums of the periods of all samples, of the samples in targets, of those in what
	 * targets call, and of those in interrupts, in units of the event.
	 */
	__u64 weight, weight_in_targets, weight_in_calls, weight_interrupting;
	__u64 no_room; /* of in_calls: samples whose callees are not known, as there were too many */
	/*
	 * An estimate of the samples that are missing because the kernel suppressed them or they
	 * were too close together. It is computed from the mean period.
	 */
	__u64 lost;
	/* How often the kernel throttled the event. */
	__u64 throttled;
	/*
	 * How long the event was enabled, and how long it was on a counter, each summed over the
	 * CPUs.
	 */
	__u64 enabled_ns, running_ns;
	/* The CPU time that a sample takes, including the interrupt; NaN: not known */
	double cost_ns;
};

/* Returns the number of samples that have nothing to do with the measured programs. */
__u64 record_samples__outside(const struct record_samples *s);
/* Prints one line for each kind of loss that occurred. */
void record_samples__print_losses(const struct record_samples *s, FILE *out);
/*
 * Prints the CPU time that a sample takes, and the share of the CPU time time_ns that all samples
 * took.
 */
void record_samples__print_cost(const struct record_samples *s, double time_ns, FILE *out);

#endif
