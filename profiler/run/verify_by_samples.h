/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * stat --verify: samples the same programs and events as the probes, so that the numbers of the
 * probes can be compared with numbers that need no probe.
 */
#ifndef BPROF_VERIFY_BY_SAMPLES_H
#define BPROF_VERIFY_BY_SAMPLES_H

#include <stdbool.h>

struct report;
struct session;
struct verify;
struct verify_by_samples;

/*
 * Returns NULL (the reason is logged as information) if no event can be sampled, or if targets may
 * call one another: the cost of a probed target includes the targets that it calls, and its samples
 * do not. s must outlive the result. The caller calls verify_by_samples__close().
 */
struct verify_by_samples *verify_by_samples__open(const struct session *s);
void verify_by_samples__close(struct verify_by_samples *vs); /* vs may be NULL */

/* Starts and stops sampling. The samples add up. */
void verify_by_samples__enable(struct verify_by_samples *vs, bool on);
/* Stores in v the samples of each event of r, a report on the programs of the session. */
void verify_by_samples__set(const struct verify_by_samples *vs, const struct report *r,
			    struct verify *v);

#endif
