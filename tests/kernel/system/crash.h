/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * bprof killed at a chosen step.
 */
#ifndef KTEST_CRASH_H
#define KTEST_CRASH_H

#include <stdbool.h>

/* Steps are the system calls that change what others see: some of bpf()'s, and flock(). */
enum crash_phase {
	CRASH_IN_START, /* from its first flock() to its first output */
	CRASH_IN_END,	/* from a SIGINT after its first output */
};

/*
 * Runs "bprof ARGS", which must write something to stdout before it is told to end, and kills it at
 * that point (from 0): before a step, or just after one that it may follow up by writing to memory
 * that it shares with the kernel. False where there are fewer points; it has ended then, too.
 */
bool crash_at(const char *args, enum crash_phase phase, int point);

#endif
