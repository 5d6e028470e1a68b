/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A sampling perf event on each CPU, whose samples a BPF program takes.
 */
#ifndef BPROF_SAMPLE_EVENTS_H
#define BPROF_SAMPLE_EVENTS_H

#include "kernel/cpus.h"
#include "event/event.h"
#include "btf/reason.h"

/* perf record's */
#define SAMPLE_DEFAULT_FREQ 4000
/* More than any kernel takes. */
#define SAMPLE_MAX_FREQ 1000000

struct sample_spec {
	const struct event *event; /* NULL: cycles or instructions where they can be sampled, else
				    * cpu-clock */
	__u64 freq, period;	   /* in Hz, or of the event; one is 0 */
};

/* What the event did on one CPU while it was on. */
struct sample_count {
	__u64 value;
	__u64 enabled_ns, running_ns;
	__u64 throttled; /* so often the kernel stopped it for a moment */
};

struct sample_events;

/*
 * Opens the event, off, on each of the CPUs; those that have gone offline are left out. 0; -errno with
 * a *reason that does not name the event. The caller closes *out. spec->event must live as long.
 */
int sample_events__open(const struct sample_spec *spec, const struct cpus *cpus,
			struct sample_events **out, struct reason *reason);
void sample_events__close(struct sample_events *e); /* NULL is fine */

const char *sample_events__name(const struct sample_events *e);
/* Those that it is open on. */
const struct cpus *sample_events__cpus(const struct sample_events *e);

/* Gives the samples to a BPF program of type perf_event. 0 or -errno. */
int sample_events__attach(struct sample_events *e, int prog_fd);
/* On or off, on all CPUs, one after the other. 0 or -errno (reported). */
int sample_events__enable(struct sample_events *e, bool on);
/* That of the CPU with index i. 0 or -errno (reported). */
int sample_events__read(const struct sample_events *e, int i, struct sample_count *out);

/*
 * Measures what a sample costs the CPU: runs a loop with and without another such event that samples
 * often. taken(arg) says how many samples that CPU has had. Nanoseconds; NaN where it cannot be told.
 */
double sample_events__cost(const struct sample_events *e, int prog_fd,
			   __u64 (*taken)(void *arg, int cpu), void *arg);

#endif
