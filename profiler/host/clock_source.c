// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The kernel's clock source. Owns the check for changes of the clock source during a session; knows
 * nothing of the bias.
 *
 * The clock source changes in the first seconds after boot (x86: from tsc-early to tsc), when the
 * kernel finds that the current one is unreliable, and when an administrator sets it
 * (kernel/time/clocksource.c). Linux 7.2 reads the TSC faster than other sources, without an
 * indirect call ("timekeeping: Allow inlining clocksource::read()", 2e27beeb66e4).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "host/clock_source.h"

#define CURRENT "/sys/devices/system/clocksource/clocksource0/current_clocksource"

/* Reads the name of the clock source, or sets buf to "" if it cannot be read. */
static void read_name(char *buf, size_t sz)
{
	char *text = NULL;

	buf[0] = '\0';
	if (read_file(CURRENT, &text))
		return;
	snprintf(buf, sz, "%s", text);
	free(text);
}

void clock_source__remember(struct clock_source *c)
{
	read_name(c->name, sizeof(c->name));
	c->reported = false;
}

bool clock_source__check(struct clock_source *c)
{
	char now[sizeof(c->name)];

	if (!c->name[0] || c->reported)
		return c->reported;
	read_name(now, sizeof(now));
	if (!now[0] || !strcmp(now, c->name))
		return false;
	c->reported = true;
	log_warn("the kernel's clock source has changed from %s to %s since the bias was "
		 "measured: net numbers are wrong by the difference in the cost of reading "
		 "the clock; measure again",
		 c->name, now);
	return true;
}
