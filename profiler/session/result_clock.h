/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs whose time cannot be net, because the perf events could not be read beside the clock.
 */
#ifndef BPROF_RESULT_CLOCK_H
#define BPROF_RESULT_CLOCK_H

#include <stdbool.h>

struct counts;
struct report_prog;
struct result_span;
struct session;

/*
 * Is some of the time wrong that a probe counted on the session's i-th CPU between the two? The bias of
 * the clock includes reading the events, and a reading that fails takes less: it is so once the CPU was
 * offline, or where it came online after the start. Which runs these are is not known.
 */
bool result__has_wrong_clock(const struct session *s, int i, const struct counts *from,
			     const struct counts *to);
/* Makes it as if the clock could not be read in any of these runs. */
void counts__drop_clock(struct counts *c);
/* Says which CPUs' runs are not in the target's time. 0 or -ENOMEM. */
int __attribute__((warn_unused_result))
result__add_clock_note(const struct session *s, int target, const struct result_span *span,
		       struct report_prog *p);

#endif
