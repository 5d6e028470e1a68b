/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds runs whose time cannot be made net, because reading the perf events next to the clock
 * failed.
 */
#ifndef BPROF_RESULT_CLOCK_H
#define BPROF_RESULT_CLOCK_H

#include <stdbool.h>

struct counts;
struct report_prog;
struct result_span;
struct session;

/*
 * Returns true if a probe measured wrong times on the session's i-th CPU between from and to. The
 * bias of the clock includes reading the events, and a failed reading takes less time. Readings
 * fail after the CPU was offline, or if it came online after the start. It is not known which runs
 * are affected.
 */
bool result__has_wrong_clock(const struct session *s, int i, const struct counts *from,
			     const struct counts *to);
/* Treats the clock as not readable in all runs of c. */
void counts__drop_clock(struct counts *c);
/* Adds a note on the CPUs whose runs the target's time leaves out. Returns 0 or -ENOMEM. */
int __attribute__((warn_unused_result))
result__add_clock_note(const struct session *s, int target, const struct result_span *span,
		       struct report_prog *p);

#endif
