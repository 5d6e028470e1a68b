/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Samples one event on all CPUs, with a perf event on each CPU and a BPF program that counts the
 * samples.
 */
#ifndef BPROF_SAMPLING_H
#define BPROF_SAMPLING_H

#include "report/report.h"
#include "sampling/ip_sampler.h"
#include "sampling/sample_events.h"

struct sampling;

/*
 * Opens the event, but loads no BPF program yet. Returns the same values as sample_events__open().
 * The caller closes *out.
 */
int sampling__open(const struct sample_spec *spec, const struct cpus *cpus, struct sampling **out,
		   struct reason *reason);
void sampling__close(struct sampling *s); /* s may be NULL */

const char *sampling__event(const struct sampling *s);
const struct cpus *sampling__cpus(const struct sampling *s);

/* Returns true if samples are counted in callers (struct sample_spec), after sampling__attach(). */
bool sampling__counts_calls(const struct sampling *s);
/*
 * Loads the BPF program that counts samples in the ranges, and attaches it to the event. If the
 * program cannot find callers on this kernel, samples are not counted in callers. Call it only
 * once. Returns 0, or -errno with *reason.
 */
int sampling__attach(struct sampling *s, const struct ip_ranges *ranges, struct reason *reason);
/*
 * Measures the overhead of a sample, and sets all counts to zero. sampling__sum() returns the
 * result (cost_ns). Takes about 60 ms of CPU time, and up to 250 ms on a busy machine.
 */
void sampling__measure_cost(struct sampling *s);

/*
 * Enables or disables sampling. May be called any number of times; the counts add up. Returns 0 or
 * -errno (reported).
 */
int sampling__enable(struct sampling *s, bool on);

/* Returns the sampler that sampling__attach() opened. */
const struct ip_sampler *sampling__sampler(const struct sampling *s);
/*
 * Sets *out to the sums of the counts of all CPUs so far, and enabled_ns[i] to the time for which the
 * event was enabled on the i-th of sampling__cpus(). enabled_ns may be NULL. Returns 0 or -errno
 * (reported).
 */
int sampling__sum(const struct sampling *s, struct record_samples *out, __u64 *enabled_ns);
/*
 * Estimates the number of lost samples on a CPU. The periods of all samples, taken or lost, add up
 * to the event's count. So the number of lost samples is the count minus the sum of the taken
 * samples' periods, divided by the mean period. With a frequency (period is 0), the kernel changes
 * the periods: on a CPU that has become idle, a long one does not end, and its sample is not lost.
 */
__u64 sampling__estimate_lost(const struct sample_count *event, const struct bprof_ip_cpu *cpu,
			      __u64 period, __u64 freq);
/*
 * Adds to *gaps the online CPUs on which the event was not sampled all the time: it could not be opened
 * there, or the CPU was offline for a while. enabled_ns has one element for each CPU of "sampled", and
 * before_ns has the values of an earlier call, or is NULL. An event that has stopped since then is
 * found at once, not only when a large part of the whole time is missing. A CPU that *gaps has from an
 * earlier call stays, as it may be offline now. The caller frees *gaps.
 */
void sampling__find_gaps(const struct cpus *sampled, const __u64 *enabled_ns,
			 const __u64 *before_ns, const struct cpus *online, struct cpus *gaps);

/*
 * Returns true if so many samples were lost that the "own" samples of a program are no measure of
 * its cost: more than 1 % of all samples (and more than 3), because a busy machine then took them late
 * or too close together, or samples that may be those which sampling__note_losses() mentions.
 */
bool sampling__lost_too_many(const char *prog_type, __u64 own, const struct record_samples *all);
/*
 * Adds a note if two conditions hold: the kernel may drop samples while a program of this type
 * runs, and "lost", the number of lost samples, is more than 1 % of "own", the number of the
 * program's samples.
 */
void sampling__note_losses(const char *prog_type, __u64 own, __u64 lost,
			   struct report_notes *notes);

#endif
