/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's clock source. The time that reading the clock takes depends on the clock source. If
 * the probe reads the clock, this time is a part of every event's bias.
 */
#ifndef BPROF_CLOCK_SOURCE_H
#define BPROF_CLOCK_SOURCE_H

#include <stdbool.h>

#include "base/kept_file.h"

struct clock_source {
	struct kept_file current;
	char name[32]; /* "" if unknown or before clock_source__remember() */
	bool reported; /* true after a change was reported */
};

#define CLOCK_SOURCE_NONE ((struct clock_source){.current = KEPT_FILE_NONE})

/* Remembers the current clock source in *c, which must be empty. Call this before measuring the bias. */
void clock_source__remember(struct clock_source *c);
/*
 * Returns true if the kernel has changed the clock source, and warns about the first change. Does
 * not notice a change that was undone between two calls.
 */
bool clock_source__check(struct clock_source *c);
void clock_source__close(struct clock_source *c);

#endif
