/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Samples several events on all CPUs, and counts the samples of each of several programs: those in
 * its code, and those in what the code calls.
 */
#ifndef BPROF_TARGET_SAMPLES_H
#define BPROF_TARGET_SAMPLES_H

#include "event/event_fds.h"
#include "sampling/sampling.h"

struct prog;

struct target_samples {
	const struct event_list *events;
	/* Indexed like events. NULL: the event is not sampled; "why" has the reason. */
	struct sampling *sampling[BPROF_MAX_EVENTS];
	struct reason why[BPROF_MAX_EVENTS];
	struct ip_ranges ranges; /* the code of all programs */

	struct event_list clock; /* a list of one event, whose samples measure time */
	struct ip_calls calls;	 /* how samples in what a program calls are found */
};

/* The ranges of one program in target_samples.ranges. */
struct sampled_code {
	int first, cnt;
};

/* The samples of a program, and the sum of their periods in units of the event. */
struct sampled_sum {
	__u64 samples, weight;
};

/*
 * Opens a sampling event for each event that is open in fds. events and fds must outlive ts.
 * Returns 0, or -errno with *reason if no event can be sampled. The caller calls
 * target_samples__close() also after a failure.
 */
int target_samples__open(struct target_samples *ts, const struct event_list *events,
			 const struct event_fds *fds, __u64 freq, struct reason *reason);
/* Adds the code of a program. Call it before target_samples__attach(). 0 or -errno with *reason. */
int target_samples__add(struct target_samples *ts, const struct prog *p, struct sampled_code *code,
			struct reason *reason);
/* Loads the BPF programs that count, and measures what a sample costs. 0 or -errno with *reason. */
int target_samples__attach(struct target_samples *ts, struct reason *reason);
/* Errors are reported. */
void target_samples__enable(struct target_samples *ts, bool on);
struct sampled_sum target_samples__sum(const struct target_samples *ts, int event,
				       const struct sampled_code *code);
void target_samples__close(struct target_samples *ts);

#endif
