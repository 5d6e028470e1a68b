/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Opens a sampling perf event on each CPU. Its samples go to a BPF program.
 */
#ifndef BPROF_SAMPLE_EVENTS_H
#define BPROF_SAMPLE_EVENTS_H

#include "btf/reason.h"
#include "event/event.h"
#include "host/cpus.h"
#include "sampling/ip_sampler.h"

/*
 * Returns the default sampling frequency in Hz: the default of perf record, or the kernel's limit
 * if that is lower. The kernel lowers its limit if samples take long (perf_sample_event_took()).
 */
__u64 sample_events__default_freq(void);
/* The highest frequency in Hz that bprof accepts, which is more than any kernel accepts. */
#define SAMPLE_MAX_FREQ 1000000

struct sample_spec {
	/*
	 * The event to sample. NULL: the first of cycles, instructions and cpu-clock that this
	 * machine can sample.
	 */
	const struct event *event;
	/* frequency in Hz, or period in units of the event; one of the two is 0 */
	__u64 freq, period;
	/*
	 * Whether samples are counted in callers, too. For this, the BPF program reads the stack.
	 * If the event is precise, the kernel requires that the event records the stack.
	 */
	struct ip_calls calls;
};

/* The counts of the event on one CPU while it was enabled. */
struct sample_count {
	__u64 value;
	__u64 enabled_ns, running_ns;
	__u64 throttled; /* number of times that the kernel throttled the event */
};

struct sample_events;

/*
 * Opens the event, disabled, on each of these CPUs that is online. Returns 0, or -errno with
 * *reason, which does not name the event. The caller closes *out. spec->event must outlive *out.
 */
int sample_events__open(const struct sample_spec *spec, const struct cpus *cpus,
			struct sample_events **out, struct reason *reason);
void sample_events__close(struct sample_events *e); /* e may be NULL */

const char *sample_events__name(const struct sample_events *e);
/* Returns the CPUs on which the event is open. */
const struct cpus *sample_events__cpus(const struct sample_events *e);
/*
 * Returns true if the event also counts code in which its modifiers (such as :u) allow no samples.
 * Then its count is more than the sum of the samples' periods.
 */
bool sample_events__counts_excluded(const struct sample_events *e);

/* Attaches a BPF program of type perf_event to the events. Returns 0 or -errno. */
int sample_events__attach(struct sample_events *e, int prog_fd);
/* Enables or disables the events, one CPU after the other. Returns 0 or -errno (reported). */
int sample_events__enable(struct sample_events *e, bool on);
/* Reads the event's counts on CPU i of sample_events__cpus(). Returns 0 or -errno (reported). */
int sample_events__read(const struct sample_events *e, int i, struct sample_count *out);

/*
 * Returns the median of a sample's measured costs. Sorts v. Returns NaN if the median is not certain
 * yet: there are too few costs, or they vary too much, or the median is not above 0.
 */
double sample_cost__settle(double *v, int cnt);
/*
 * Measures the overhead of a sample: how much longer a loop takes while an additional event of the
 * same kind samples often. taken(arg, cpu) returns the number of samples on the CPU so far. Returns
 * the overhead in nanoseconds of CPU time; NaN: not certain enough, or an error (reported).
 */
double sample_events__cost(const struct sample_events *e, int prog_fd,
			   __u64 (*taken)(void *arg, int cpu), void *arg);

#endif
