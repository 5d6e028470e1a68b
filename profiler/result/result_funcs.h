/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the rows of functions say of one another: lost runs, calls per run.
 */
#ifndef BPROF_RESULT_FUNCS_H
#define BPROF_RESULT_FUNCS_H

#include <stdbool.h>

struct report;
struct session;

/*
 * If too many runs of measured functions may have been lost inside a function's runs, its events,
 * or only its own costs, are wrong: removes these, and says why. All rows must be there.
 */
void result__check_lost(struct report *r, const struct session *s);

/*
 * Sets how often each function was called per run of the root of its call tree
 * (report_prog.calls_per_run), where that is known, and adds notes where it is not. All rows must be
 * there.
 */
void result__set_calls(struct report *r, const struct session *s, bool with_whole);

#endif
