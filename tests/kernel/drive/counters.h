/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is left of a PMU.
 */
#ifndef TESTS_COUNTERS_H
#define TESTS_COUNTERS_H

/*
 * How many more cycles events can be counted on CPU 0 all of the time, beside all that are counted
 * there. Takes one too many, for a moment. Where the machine has no PMU: 0.
 */
int free_counters(void);

#endif
