/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The number of free counters of a PMU.
 */
#ifndef TESTS_COUNTERS_H
#define TESTS_COUNTERS_H

/*
 * Returns how many more cycles events CPU 0 can count without multiplexing, in addition to the open
 * events; 0 if the machine has no PMU. Opens one event too many for a moment.
 */
int free_counters(void);

#endif
