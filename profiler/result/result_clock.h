/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds runs whose net time cannot be calculated, because perf events could not be read in them.
 */
#ifndef BPROF_RESULT_CLOCK_H
#define BPROF_RESULT_CLOCK_H

#include <stdbool.h>

struct counts;
struct report_prog;
struct result_span;
struct session;

/*
 * Returns true if net times on the session's i-th CPU between "from" and "to" would be wrong,
 * because some readings of events failed. The bias of the clock includes the time of reading the
 * events, and a failed reading takes less time. Readings fail after the CPU was offline, or if it
 * came online after the start. bprof does not know in which of the runs they failed.
 */
bool result__has_wrong_clock(const struct session *s, int i, const struct counts *from,
			     const struct counts *to);
/* Changes c as if the clock could not be read in any run. */
void counts__drop_clock(struct counts *c);
/*
 * If the target's times are wrong on some CPUs, adds a note that its time leaves out the runs on
 * these CPUs. Returns 0 or -ENOMEM.
 */
int __attribute__((warn_unused_result))
result__add_clock_note(const struct session *s, int target, const struct result_span *span,
		       struct report_prog *p);

#endif
