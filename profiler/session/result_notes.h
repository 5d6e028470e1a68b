/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Adds the notes on a target to its rows.
 */
#ifndef BPROF_RESULT_NOTES_H
#define BPROF_RESULT_NOTES_H

struct report_prog;
struct result_span;
struct session;

/* Notes events that stood still in some runs. Returns 0 or -ENOMEM. */
int __attribute__((warn_unused_result)) result__note_stopped_counters(struct report_prog *p);
/* Adds the notes that concern all rows of a target to p, the first of them. 0 or -ENOMEM. */
int __attribute__((warn_unused_result))
result__add_notes(struct report_prog *p, const struct session *s, int index,
		  const struct result_span *span);

#endif
