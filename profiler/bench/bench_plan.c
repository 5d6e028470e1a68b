// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The plan of a bench. Owns the plan's memory. Must not know how a plan is filled in.
 */
#include "bench/bench_plan.h"

bool bench_plan__compares(const struct bench_plan *p)
{
	return p->object_cnt == BENCH_SIDE_CNT || p->loaded[BENCH_BASE].cnt;
}

void bench_plan__free(struct bench_plan *p)
{
	for (int side = 0; side < BENCH_SIDE_CNT; side++)
		selector_list__free(&p->loaded[side]);
	bench_setup__free(&p->setup);
	bench_input__free(&p->input);
	bench_expects__free(&p->expects);
}
