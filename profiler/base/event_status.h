/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The status of a requested event. The names of the statuses are in report.c. */
#ifndef BPROF_EVENT_STATUS_H
#define BPROF_EVENT_STATUS_H

#include <stdbool.h>
#include <linux/types.h>

enum event_status { EVENT_OK, EVENT_NOT_SUPPORTED, EVENT_NOT_COUNTED, EVENT_STATUS_CNT };

/* The state of an event in a measurement. */
struct event_state {
	enum event_status status;
	char detail[200]; /* the reason if status is not EVENT_OK */
	bool denied;	  /* the reason is a missing permission */
	/*
	 * The event's slot in the probe (probe.h). Valid only with EVENT_OK, and only if programs
	 * are measured.
	 */
	__u32 slot;
};

#endif
