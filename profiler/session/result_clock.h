/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs whose time cannot be net, because the perf events could not be read along with the clock.
 */
#ifndef BPROF_RESULT_CLOCK_H
#define BPROF_RESULT_CLOCK_H

#include <stdbool.h>

struct counts;
struct report_prog;
struct result_span;
struct session;

/*
 * True if some of the time is wrong that a probe counted between the two on the session's i-th CPU.
 * The clock's bias includes reading the events, and a failed reading takes less time. Readings fail
 * once the CPU was offline, or if it came online after the start. The affected runs are not known.
 */
bool result__has_wrong_clock(const struct session *s, int i, const struct counts *from,
			     const struct counts *to);
/* Treats the clock as not readable in all of these runs. */
void counts__drop_clock(struct counts *c);
/* Adds a note on the CPUs whose runs are not in the target's time. 0 or -ENOMEM. */
int __attribute__((warn_unused_result))
result__add_clock_note(const struct session *s, int target, const struct result_span *span,
		       struct report_prog *p);

#endif
