/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Random numbers that depend on their state only, so that tests can repeat them. Not for secrets.
 */
#ifndef BPROF_RANDOM_H
#define BPROF_RANDOM_H

#include <linux/types.h>

/* Returns the next number. The state may begin with any number. */
static inline __u64 random__next(__u64 *state)
{
	/* SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, 2014) */
	__u64 z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

#endif
