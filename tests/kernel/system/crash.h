/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Kills bprof at a chosen step.
 */
#ifndef KTEST_CRASH_H
#define KTEST_CRASH_H

#include <stdbool.h>

/*
 * Steps are the system calls that change something that others see: some of bpf()'s, and flock().
 */
enum crash_phase {
	CRASH_IN_START, /* from its first flock() to its first output */
	CRASH_IN_END,	/* from a SIGINT after its first output */
};

/*
 * Runs "bprof ARGS", which must write something to stdout before it is interrupted, and kills it at
 * that point (counted from 0): before a step, or just after one that may be followed by writes to
 * memory shared with the kernel. Returns false if there are fewer points; bprof has ended then,
 * too.
 */
bool crash_at(const char *args, enum crash_phase phase, int point);

#endif
