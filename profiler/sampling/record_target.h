/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Adds a loaded program and its samples to a recording.
 */
#ifndef BPROF_RECORD_TARGET_H
#define BPROF_RECORD_TARGET_H

#include "host/cpus.h"
#include "sampling/ip_sampler.h"
#include "sampling/record.h"

struct kernel_names;
struct prog;
struct reason;

/* Returns true if the function is to be sampled. */
typedef bool (*wants_func)(const struct record_func *f, const void *arg);

/*
 * Appends a program to r. Appends to *ranges the addresses of those functions for which wants() is
 * true. names: the names of what it calls. The caller must have called prog__load_funcs() for p,
 * which may have failed. Returns 0; -E2BIG if *ranges is full; or another -errno with *reason, in
 * which case nothing was appended.
 */
int record__add_target(struct record *r, struct prog *p, wants_func wants, const void *arg,
		       struct kernel_names *names, struct ip_ranges *ranges, struct reason *reason);

/*
 * Reads the samples of all programs in r from the sampler. r has no samples yet. ranges and names
 * must be those of record__add_target().
 */
void record__read_samples(struct record *r, const struct ip_ranges *ranges,
			  struct kernel_names *names, const struct ip_sampler *sampler);
/*
 * Adds a note to programs that may have lost samples. Call it after the last
 * record__read_samples().
 */
void record__note_losses(struct record *r);
/* Adds a note to each program if there are CPUs in "gaps" (sampling__find_gaps()). */
void record__note_gaps(struct record *r, const struct cpus *gaps);

#endif
