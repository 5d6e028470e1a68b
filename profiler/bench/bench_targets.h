/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The programs of both versions that bench runs: loaded from objects, or already loaded.
 */
#ifndef BPROF_BENCH_TARGETS_H
#define BPROF_BENCH_TARGETS_H

#include <stdbool.h>

#include "bench/bench.h"
#include "target/target.h"

struct bench_object;
struct bench_plan;

struct bench_targets {
	const struct bench_plan *plan; /* borrowed */
	struct bench_object *object[BENCH_SIDE_CNT];
	__u32 *base; /* program ids of the base version */
	int base_cnt;
	/*
	 * With plan->setup.exact: ids of loaded programs that are not of full length, or whose length
	 * is not known.
	 */
	__u32 *shorter;
	int shorter_cnt;
	struct target_list list; /* valid until a session takes ownership of it */
	/* Objects of earlier loads; bench_targets__close() frees them. */
	struct bench_object **deferred;
	int deferred_cnt;
};

/*
 * Loads the plan's objects and selects their programs, or selects the loaded programs that the plan
 * names. *t must be zeroed before the first call. A later call closes the previous load. Returns 0
 * or -errno (reported). The caller closes *t in any case.
 */
int bench_targets__open(const struct bench_plan *plan, struct bench_targets *t);
void bench_targets__close(struct bench_targets *t);

/*
 * Returns true if the program belongs to the base version, which the new version is compared with.
 */
bool bench_targets__is_base(const struct bench_targets *t, __u32 id);
/*
 * Sets p->stack_bytes, p->verified_insns, p->full_length and p->fixed_short. For a program that
 * bench did not load, the sizes are NaN.
 */
void bench_targets__set_sizes(const struct bench_targets *t, struct bench_prog *p);

#endif
