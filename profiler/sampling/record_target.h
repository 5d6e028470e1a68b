/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From a loaded program to its part of a recording.
 */
#ifndef BPROF_RECORD_TARGET_H
#define BPROF_RECORD_TARGET_H

#include "sampling/ip_sampler.h"
#include "sampling/record.h"

struct prog;
struct reason;

/* Is this function to be sampled? */
typedef bool (*wants_func)(const struct record_func *f, const void *arg);

/*
 * Appends a program, whose functions have been loaded if they can be, and the addresses of those of its
 * functions that are wanted to ranges. 0; -ENOMEM; -E2BIG: more code than ranges take; or another
 * -errno with *reason, and nothing is appended.
 */
int record__add_target(struct record *r, const struct prog *p, wants_func wants, const void *arg,
		       struct ip_ranges *ranges, struct reason *reason);

/*
 * Fills in what was sampled in all programs, with a note where what was lost may be a program's. ranges
 * are those of their functions, as they were added. 0 or -ENOMEM.
 */
int record__take_samples(struct record *r, const struct ip_ranges *ranges,
			 const struct ip_sampler *sampler);

#endif
