/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The table of hooks on which BPF programs run. It defines for each hook how to attach a program,
 * and how to make the program run, as applications do. drive uses the functions; tests read the
 * table. Links no code of bprof.
 */
#ifndef KTEST_CONTEXTS_H
#define KTEST_CONTEXTS_H

#include <linux/types.h>

struct context {
	const char *name;
	/* an object of tests/progs that contains PROG_0, PROG_100, PROG_void_0, ... */
	const char *object;
	const char *prog;
	const struct hook *hook;
	const char *how; /* how the hook is driven, and in which context the programs run */
};

extern const struct context contexts[];
extern const int context_cnt;

/* Returns the hook of that name, or NULL. */
const struct context *context__find(const char *name);

/*
 * Uses the hook with one program after the other: attaches the program, drives the hook until the
 * program has run at least cnt times, and detaches it. Changes the network namespace and the cgroup
 * of the process. Returns 0 or -errno; on failure *step names the failed step.
 */
int context__use(const struct context *c, const __u32 *ids, int id_cnt, int cnt, const char **step);

/*
 * Attaches a program to the hook, calls fn(arg) instead of driving the hook, and detaches the
 * program. Returns what fn returned. If fn was not called, returns the same values as
 * context__use().
 */
int context__attach(const struct context *c, __u32 id, int (*fn)(void *arg), void *arg,
		    const char **step);
/* Like context__attach(), but closes its descriptor of the program before it calls fn. */
int context__leave(const struct context *c, __u32 id, int (*fn)(void *arg), void *arg,
		   const char **step);

#endif
