/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads which functions were running in the samples of calls, with their names.
 */
#ifndef BPROF_RECORD_CALLEES_H
#define BPROF_RECORD_CALLEES_H

#include "sampling/ip_sampler.h"
#include "sampling/record.h"

struct kernel_names;

/* Call it after record__read_samples() has read the samples of calls. */
void record__read_callees(struct record *r, const struct ip_ranges *ranges,
			  struct kernel_names *names, const struct ip_sampler *sampler);

#endif
