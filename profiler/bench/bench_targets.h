/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The programs that bench runs, of both versions: loaded for it, or loaded already.
 */
#ifndef BPROF_BENCH_TARGETS_H
#define BPROF_BENCH_TARGETS_H

#include <stdbool.h>

#include "bench/bench.h"
#include "target/target.h"

struct bench_object;
struct bench_plan;

struct bench_targets {
	const struct bench_plan *plan; /* the caller's */
	struct bench_object *object[BENCH_SIDE_CNT];
	__u32 *base; /* ids of the base's programs */
	int base_cnt;
	struct target_list list;     /* until a session takes it over */
	struct bench_object **spare; /* of earlier loads, which are to be closed at the end */
	int spare_cnt;
};

/*
 * Loads the objects, if there are any, and selects their programs, or those that are named; what *t, which
 * begins zeroed, had before is closed. 0 or -errno (reported); in any case the caller closes *t.
 */
int bench_targets__open(const struct bench_plan *plan, struct bench_targets *t);
void bench_targets__close(struct bench_targets *t);

/* Is it of the version that the other is compared with? */
bool bench_targets__is_base(const struct bench_targets *t, __u32 id);
/* Fills in what the verifier said when the program was loaded here, NaN where it was not. */
void bench_targets__set_sizes(const struct bench_targets *t, struct bench_prog *p);

#endif
