/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Values of a function's row that depend on the rows of other functions: lost runs, calls per run.
 */
#ifndef BPROF_RESULT_FUNCS_H
#define BPROF_RESULT_FUNCS_H

#include <stdbool.h>

struct report;
struct session;

/*
 * Finds the functions whose runs may contain too many lost runs of other measured functions.
 * Removes the values of their events, or only their own costs if nothing else is wrong, and says
 * why. Call it after all rows have been added.
 */
void result__check_lost(struct report *r, const struct session *s);

/*
 * Sets how often each function was called per run of the root of its call tree
 * (report_prog.calls_per_run), if that is known. Adds a note if it is not known. Call it after all
 * rows have been added.
 */
void result__set_calls(struct report *r, const struct session *s, bool with_whole);

#endif
