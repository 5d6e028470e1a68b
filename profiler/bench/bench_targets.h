/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The programs that bench runs, of both versions: loaded from objects, or loaded already.
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
	__u32 *base; /* ids of the base's programs */
	int base_cnt;
	struct target_list list;	/* until a session takes ownership of it */
	struct bench_object **deferred; /* of earlier loads, freed by bench_targets__close() */
	int deferred_cnt;
};

/*
 * Loads the plan's objects and selects their programs, or selects the loaded programs that the plan
 * names. *t must be zeroed before the first call; later calls close the previous load. Returns 0 or
 * -errno (reported); the caller closes *t in any case.
 */
int bench_targets__open(const struct bench_plan *plan, struct bench_targets *t);
void bench_targets__close(struct bench_targets *t);

/* Returns true if the program belongs to the base, the version to compare with. */
bool bench_targets__is_base(const struct bench_targets *t, __u32 id);
/* Sets p's sizes and full_length from its load; without one, NaN and true. */
void bench_targets__set_sizes(const struct bench_targets *t, struct bench_prog *p);

#endif
