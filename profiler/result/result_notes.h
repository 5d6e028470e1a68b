/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Adds the notes on a target to its rows.
 */
#ifndef BPROF_RESULT_NOTES_H
#define BPROF_RESULT_NOTES_H

#include <linux/bpf.h>

struct report_prog;
struct result_span;
struct session;

/* Notes events that stood still in some runs of a program of this type. Returns 0 or -ENOMEM. */
int __attribute__((warn_unused_result))
result__note_stopped_counters(struct report_prog *p, enum bpf_prog_type type);
/* Adds the notes that concern all rows of a target to p, the first of them. 0 or -ENOMEM. */
int __attribute__((warn_unused_result))
result__add_notes(struct report_prog *p, const struct session *s, int index,
		  const struct result_span *span);

#endif
