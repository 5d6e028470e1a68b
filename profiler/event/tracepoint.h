/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's tracepoints, which can be counted as events.
 */
#ifndef BPROF_TRACEPOINT_H
#define BPROF_TRACEPOINT_H

/*
 * Calls fn() for each tracepoint ("sched:sched_switch") in ascending order, until fn() returns an
 * error. sysfs: see event_list__parse(). If tracefs is not mounted or not readable, finds no
 * tracepoints. Returns the error of fn() or 0.
 */
int tracepoints__for_each(const char *sysfs, int (*fn)(const char *name, void *arg), void *arg);

#endif
