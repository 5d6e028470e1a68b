/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What became of an event that was asked for. The report says what each status is called.
 */
#ifndef BPROF_EVENT_STATUS_H
#define BPROF_EVENT_STATUS_H

enum event_status { EVENT_OK, EVENT_NOT_SUPPORTED, EVENT_NOT_COUNTED, EVENT_STATUS_CNT };

#endif
