/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sampling one event on all CPUs: the perf events, and the BPF program that counts what they hit.
 */
#ifndef BPROF_SAMPLING_H
#define BPROF_SAMPLING_H

#include "sampling/ip_sampler.h"
#include "report/report.h"
#include "sampling/sample_events.h"

struct sampling;

/* The event alone, as sample_events__open(). The caller closes *out. */
int sampling__open(const struct sample_spec *spec, const struct cpus *cpus, struct sampling **out,
		   struct reason *reason);
void sampling__close(struct sampling *s); /* NULL is fine */

const char *sampling__event(const struct sampling *s);
const struct cpus *sampling__cpus(const struct sampling *s);

/*
 * Loads the program that counts samples in these ranges, once, and gives it the event. 0 or -errno
 * with *reason, whose subject is the sampling program.
 */
int sampling__attach(struct sampling *s, const struct ip_ranges *ranges, struct reason *reason);
/*
 * Measures what a sample costs, for sampling__sum(); takes some 50 ms. What was counted until then is
 * forgotten.
 */
void sampling__measure_cost(struct sampling *s);

/* On or off, as often as is wanted: counts go on. 0 or -errno (reported). */
int sampling__enable(struct sampling *s, bool on);

/* For ranges that it was attached with. */
const struct ip_sampler *sampling__sampler(const struct sampling *s);
/* What came of it on all CPUs, so far. 0 or -errno (reported). */
int sampling__sum(const struct sampling *s, struct record_samples *out);

/*
 * May samples have been lost because a program of that type ran, and are they many beside its own? Then
 * a note says so. 0 or -ENOMEM.
 */
int sampling__note_losses(const char *prog_type, __u64 own, __u64 lost, struct report_notes *notes);

#endif
