/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Kills bprof at a chosen system call.
 */
#ifndef KTEST_CRASH_H
#define KTEST_CRASH_H

#include <stdbool.h>

/*
 * A step is a system call that changes something that other processes see: flock(), and some
 * commands of bpf().
 */
enum crash_phase {
	CRASH_IN_START, /* from the first flock() of bprof to the first output of bprof */
	CRASH_IN_END,	/* from a SIGINT, sent after the first output of bprof, to its end */
};

/*
 * Runs "bprof ARGS" and kills it at the point with this number (from 0). The moment before each
 * step is a point. If bprof may write to memory shared with the kernel after a step, the moment
 * after this step is also a point. bprof must write to stdout before the SIGINT. Returns false if
 * the phase has fewer points: bprof has then ended by itself or, in CRASH_IN_START, was killed at
 * its first output.
 */
bool crash_at(const char *args, enum crash_phase phase, int point);

#endif
