/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads which functions the samples in calls are in, with their names.
 */
#ifndef BPROF_RECORD_CALLEES_H
#define BPROF_RECORD_CALLEES_H

#include "sampling/ip_sampler.h"
#include "sampling/record.h"

struct kernel_names;

/* Call it after the samples of calls have been read: see record__read_samples(). */
void record__read_callees(struct record *r, const struct ip_ranges *ranges,
			  struct kernel_names *names, const struct ip_sampler *sampler);

#endif
