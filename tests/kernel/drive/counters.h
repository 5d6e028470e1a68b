/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counts the free counters of a PMU.
 */
#ifndef TESTS_COUNTERS_H
#define TESTS_COUNTERS_H

/*
 * Returns how many more cycles events CPU 0 can count without multiplexing, in addition to the open
 * events; 0 if the machine has no PMU. To find the limit, opens events until an event does not get
 * a counter, and then closes all of them.
 */
int free_counters(void);

#endif
