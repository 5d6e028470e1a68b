/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Made-up costs of a program over many commits: noise from drand48(3), which the code under test
 * does not use, and a step of 5 % every 50 commits, up and down in turns.
 */
#ifndef BPROF_TESTS_MADE_SERIES_H
#define BPROF_TESTS_MADE_SERIES_H

#include <math.h>
#include <stdlib.h>

enum { COMMITS = 500, STEP_EVERY = 50, STEPS = COMMITS / STEP_EVERY - 1, BLOCKS = 20 };
#define NOISE 0.02
#define STEP 1.05

/* A random number of a normal distribution (G. E. P. Box and M. E. Muller, 1958). */
static inline double random_normal(void)
{
	double u = 1 - drand48(), v = drand48();

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

/* The true cost at a commit. */
static inline double true_cost(int commit, bool steps)
{
	return steps && commit / STEP_EVERY % 2 ? 1000 * STEP : 1000;
}

static inline double noisy_cost(int commit, bool steps)
{
	return true_cost(commit, steps) * (1 + NOISE * random_normal());
}

#endif
