/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a probe adds to a run: the cost of a loop of runs with the probe, minus the cost without it.
 * Only doctor/ uses this header.
 */
#ifndef BPROF_SELFTEST_COST_H
#define BPROF_SELFTEST_COST_H

#include "base/util.h"

struct selftest_kind;
struct selftest_pair;
struct session;

/*
 * Runs the two empty programs of the pair in loops, and appends to k->cost what the probe costs.
 * The session must have a probe on pair->probed_fd, and must be stopped. This thread must be bound
 * to k->cpu. Returns 0 or -errno (reported).
 */
int __must_check selftest_cost__measure(struct session *s, const struct selftest_pair *pair,
					struct selftest_kind *k);

#endif
