/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a probe adds to a run, measured from outside. Private to the room.
 */
#ifndef BPROF_SELFTEST_COST_H
#define BPROF_SELFTEST_COST_H

#include "base/util.h"

struct selftest_kind;
struct selftest_pair;
struct session;

/*
 * Runs both empty programs in loops, and adds what the probe added to k->cost. The session has a
 * probe on the first program, and is stopped. This thread must be bound to k->cpu. Returns 0 or
 * -errno (reported).
 */
int __must_check selftest_cost__measure(struct session *s, const struct selftest_pair *pair,
					struct selftest_kind *k);

#endif
