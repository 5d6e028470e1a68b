/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Decides which rows a target has in a report that divides runs by their return value.
 */
#ifndef BPROF_RESULT_RETVAL_H
#define BPROF_RESULT_RETVAL_H

#include "backend/snapshot.h"
#include "report/report.h"
#include "session/session.h"

/* In place of a part: all runs of the target; those that were not measured. */
#define ALL_PARTS (-1)
#define UNMEASURED_PART (-2)
/* The maximum number of a target's rows. */
#define MAX_PART_ROWS (BPROF_PARTS + 1)

/*
 * Writes the parts that have a row, in the order of the rows, to parts[MAX_PART_ROWS], and
 * returns their number, which is at least 1. If the target is not divided, there is one row for ALL_PARTS.
 * A part that has a row once has one in all later snapshots of the session.
 */
int result__list_parts(const struct session *s, int target, const struct snapshot *to, int *parts);

/* Sets what the row of a part shows of its return value. */
void result__set_retval(struct report_prog *p, const struct snapshot *to, int target, int part);

/* Adds a note to a target whose runs cannot be divided, if that was asked for. 0 or -ENOMEM. */
int result__add_retval_note(const struct session *s, const struct target *t, struct report_prog *p);

#endif
