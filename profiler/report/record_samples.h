/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What sampling one event on all CPUs came to.
 */
#ifndef BPROF_RECORD_SAMPLES_H
#define BPROF_RECORD_SAMPLES_H

#include <stdio.h>
#include <linux/types.h>

/* What was sampled, and what was not. */
struct record_samples {
	__u64 taken;
	__u64 in_targets; /* of these, in the programs' code */
	__u64 weight, weight_in_targets;
	/*
	 * The event went on for so long without a sample, in mean periods: the kernel left them
	 * out, or they came too close to one another.
	 */
	__u64 lost;
	/* So often the kernel stopped the event for a moment, as samples came too often. */
	__u64 throttled;
	/* Summed over the CPUs: the event was enabled, and on a counter. */
	__u64 enabled_ns, running_ns;
	double cost_ns; /* that a sample takes, its interrupt and all; NaN: not known */
};

/* What is missing, a line for each kind; nothing where nothing is. */
void record_samples__print_losses(const struct record_samples *s, FILE *out);
/* What a sample takes, and what all took of so much time of the CPUs. */
void record_samples__print_cost(const struct record_samples *s, double time_ns, FILE *out);

#endif
