/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the kernel's clock is read from. Reading another one costs something else, and where the
 * probe reads the clock that cost is a part of every event's bias.
 */
#ifndef BPROF_CLOCK_SOURCE_H
#define BPROF_CLOCK_SOURCE_H

#include <stdbool.h>

struct clock_source {
	char name[32]; /* "" where it is not known, and before clock_source__remember() */
	bool told;     /* that it changed */
};

/* Remembers the present one: to be called before the bias is measured. */
void clock_source__remember(struct clock_source *c);
/*
 * Has the kernel chosen another one since? Warns, once. One that was left and came back in between
 * two calls is not seen.
 */
bool clock_source__check(struct clock_source *c);

#endif
