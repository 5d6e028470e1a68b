/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Makes a loaded program's part of a recording.
 */
#ifndef BPROF_RECORD_TARGET_H
#define BPROF_RECORD_TARGET_H

#include "sampling/ip_sampler.h"
#include "sampling/record.h"

struct prog;
struct reason;

/* Returns true if the function is to be sampled. */
typedef bool (*wants_func)(const struct record_func *f, const void *arg);

/*
 * Appends a program to r, and the addresses of its wanted functions to ranges. The caller has
 * loaded p's functions, if that is possible. Returns 0; -ENOMEM; -E2BIG if ranges are full; or
 * another -errno with *reason if nothing was appended.
 */
int record__add_target(struct record *r, const struct prog *p, wants_func wants, const void *arg,
		       struct ip_ranges *ranges, struct reason *reason);

/*
 * Fills in the samples of all programs, with a note on programs that may have lost some. ranges are
 * those that record__add_target() added. Returns 0 or -ENOMEM.
 */
int record__read_samples(struct record *r, const struct ip_ranges *ranges,
			 const struct ip_sampler *sampler);

#endif
