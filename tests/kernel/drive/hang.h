/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Waiting without a limit on time. Only the host knows how much CPU time the VM gets, so only
 * scripts/vm decides that a test hangs: it sends SIGALRM to ktest. All loops that wait call
 * hangs().
 */
#ifndef DRIVE_HANG_H
#define DRIVE_HANG_H

#include <stdbool.h>

/* From now on, SIGALRM does not end this process, but makes hangs() return true. */
void hang__catch(void);
/* Forgets earlier alarms, because another test begins. */
void hang__forget(void);
bool hangs(void);
/* Waits until fd can be read or is at its end; returns false if the test hangs. */
bool hang__await_input(int fd);

#endif
