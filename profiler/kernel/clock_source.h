/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's clock source. The cost of reading the clock depends on it, and if the probe reads
 * the clock that cost is a part of every event's bias.
 */
#ifndef BPROF_CLOCK_SOURCE_H
#define BPROF_CLOCK_SOURCE_H

#include <stdbool.h>

struct clock_source {
	char name[32]; /* "" if unknown, and before clock_source__remember() */
	bool reported; /* the change was reported */
};

/* Remembers the current clock source. To be called before the bias is measured. */
void clock_source__remember(struct clock_source *c);
/*
 * Returns true if the kernel uses another clock source now. Warns about it once. A change and back
 * again between two calls is not noticed.
 */
bool clock_source__check(struct clock_source *c);

#endif
