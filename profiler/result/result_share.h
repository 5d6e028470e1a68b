/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calculates which share of the CPUs a target used.
 */
#ifndef BPROF_RESULT_SHARE_H
#define BPROF_RESULT_SHARE_H

struct range;
struct report_row;

/*
 * Sets the row's share of the CPUs of the range g, in CPUs (1: one CPU all the time; NaN: not known),
 * and whether it is estimated, because not all runs were measured. "total" is the range of the target's
 * row over all CPUs, whose mean cost stands in for CPUs without measured runs.
 */
void result__set_share(struct report_row *row, const struct range *g, const struct range *total);

#endif
