/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sampling one event on all CPUs: the perf events, and the BPF program that counts their samples.
 */
#ifndef BPROF_SAMPLING_H
#define BPROF_SAMPLING_H

#include "report/report.h"
#include "sampling/ip_sampler.h"
#include "sampling/sample_events.h"

struct sampling;

/* Opens the event without the program, as sample_events__open(). The caller closes *out. */
int sampling__open(const struct sample_spec *spec, const struct cpus *cpus, struct sampling **out,
		   struct reason *reason);
void sampling__close(struct sampling *s); /* NULL is fine */

const char *sampling__event(const struct sampling *s);
const struct cpus *sampling__cpus(const struct sampling *s);

/*
 * Loads the program that counts samples in the ranges, and attaches it to the event; call it once.
 * Returns 0, or -errno with *reason, whose subject is the sampling program.
 */
int sampling__attach(struct sampling *s, const struct ip_ranges *ranges, struct reason *reason);
/*
 * Measures the cost of a sample for sampling__sum(), which takes about 50 ms, and resets all
 * counts.
 */
void sampling__measure_cost(struct sampling *s);

/* Enables or disables sampling, any number of times; counts add up. 0 or -errno (reported). */
int sampling__enable(struct sampling *s, bool on);

/* Returns the program with its counts, for the ranges given to sampling__attach(). */
const struct ip_sampler *sampling__sampler(const struct sampling *s);
/* Adds up the counts of all CPUs so far. Returns 0 or -errno (reported). */
int sampling__sum(const struct sampling *s, struct record_samples *out);

/*
 * Adds a note if samples may have been lost because a program of this type ran, and they are more
 * than LOSS_OF_NOTE of its own samples. Returns 0 or -ENOMEM.
 */
int sampling__note_losses(const char *prog_type, __u64 own, __u64 lost, struct report_notes *notes);

#endif
