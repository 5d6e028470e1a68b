// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The kernel's clock source. Owns the check for changes of the clock source during a session; knows
 * nothing of the bias.
 *
 * The clock source changes in the first seconds after boot (x86: from tsc-early to tsc), when the
 * kernel finds the current clock source unreliable, and when an administrator sets another clock
 * source (kernel/time/clocksource.c). Linux 7.2 reads the TSC faster than other sources, without an
 * indirect call ("timekeeping: Allow inlining clocksource::read()", 2e27beeb66e4).
 */
#include <string.h>

#include "base/log.h"
#include "host/clock_source.h"

#define CURRENT "/sys/devices/system/clocksource/clocksource0/current_clocksource"

void clock_source__remember(struct clock_source *c)
{
	/* If the clock source cannot be read, the name is "". */
	if (!kept_file__open(CURRENT, &c->current))
		kept_file__read(&c->current, c->name, sizeof(c->name));
	c->reported = false;
}

bool clock_source__check(struct clock_source *c)
{
	char now[sizeof(c->name)];

	if (!c->name[0] || c->reported)
		return c->reported;
	if (kept_file__read(&c->current, now, sizeof(now)) || !now[0] || !strcmp(now, c->name))
		return false;
	c->reported = true;
	log_warn("the kernel's clock source has changed from %s to %s since the bias was "
		 "measured: net numbers are wrong by the difference in the cost of reading "
		 "the clock; measure again",
		 c->name, now);
	return true;
}

void clock_source__close(struct clock_source *c)
{
	kept_file__close(&c->current);
}
