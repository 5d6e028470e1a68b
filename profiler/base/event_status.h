/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The status of a requested event. The report owns the names of the statuses.
 */
#ifndef BPROF_EVENT_STATUS_H
#define BPROF_EVENT_STATUS_H

enum event_status { EVENT_OK, EVENT_NOT_SUPPORTED, EVENT_NOT_COUNTED, EVENT_STATUS_CNT };

#endif
